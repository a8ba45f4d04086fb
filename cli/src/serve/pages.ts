/** Pages of lists with cursors that lead to the rest of the list, also on nodes whose own cursors do not. */
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, type Page } from "vegaprotocol-client";
import { listOperation } from "../operations.js";
import { readByBlocks } from "./blocks.js";
import { type Cursor, encodeCursor } from "./cursors.js";
import { Rejection } from "./errors.js";
import type { PageReading, PageRequest, Row, RowEdge } from "./request.js";
import { inDirection, keyOf, largestPage } from "./request.js";

/** The waits for a node that has reached the block of the pages before, in milliseconds. */
const waits = [0, 250, 500, 1000, 2000, 4000];

/** Reads a page, again until it is of a node that has reached the latest block of the pages before it, such as that of `nodeAt`. */
export async function readPage(given: PageRequest, signal: AbortSignal, nodeAt: (time: bigint) => string | undefined) {
  const { id, cursor, isBackward, newestFirst } = given;
  const { cursors, range } = listOperation(id);
  const isByBlock = cursors?.timeMember !== undefined && cursors.missingMember === undefined;
  const readOther = cursors?.rejectedWith === undefined ? readWalk : readWhole;
  for (const wait of waits) {
    if (wait > 0) await sleep(wait, undefined, { signal });
    const node = wait > 0 && cursor?.block ? nodeAt(cursor.block) : undefined;
    const request: PageRequest = { ...given, open: (page, options) => given.open(page, { ...options, signal, node }) };
    const read = (isByBlock ? await readByBlocks(request) : undefined) ?? (await readOther(request));
    const times = read.pages.flatMap(({ block }) => (block ? [block.timestamp] : []));
    if (cursor?.block !== undefined && times.some((time) => time < (cursor.block ?? 0n))) continue;
    // Votes move to the newer end when they are cast again: no page is before another. Of other lists, the first page decides, unless
    // older rows are read, which do not change: any node that is past the cursor has them.
    const isSettled = range !== undefined && isBackward !== newestFirst;
    const latest = isByBlock ? [cursor?.block ?? 0n, ...times].reduce((a, b) => (a > b ? a : b)) : cursor?.block;
    const block = isSettled ? undefined : (latest ?? times[0]) || undefined;
    const encode = ({ node, cursor: own, ...places }: RowEdge & Partial<Cursor>) => ({
      node,
      cursor: encodeCursor({ ...places, list: id, own, block }),
    });
    const edges = inDirection(read.edges.map(encode), request);
    const [hasPreviousPage = false, hasNextPage = false] = inDirection([read.hasEarlier, read.hasMore], request);
    const [startCursor, endCursor] = [edges.at(0)?.cursor ?? "", edges.at(-1)?.cursor ?? ""];
    const pageInfo = { hasNextPage, hasPreviousPage, startCursor, endCursor };
    const { start, end } = (range && read.coverage) ?? {};
    const coverage = range && { startTimestamp: start?.toString(), endTimestamp: end?.toString() };
    return { content: { edges, pageInfo }, coverage, source: read.pages[0] as Page<Row> };
  }
  throw new Rejection(14, "No node has reached the block of the pages before.");
}

/** As the client walks the list. Its `page.next` holds all that is needed to continue. */
async function readWalk(request: PageRequest): Promise<PageReading> {
  const { size, isBackward, cursor } = request;
  const from = cursor && ((isBackward ? cursor.before : cursor.after) ?? cursor.own);
  const pages: Page<Row>[] = [];
  const listing = request.open(request.place(size, from));
  let read = 0;
  for await (const page of listing.pages()) {
    pages.push(page);
    read += page.edges.length;
    if (read >= size && (isBackward ? page.previous : page.next) !== undefined) break;
  }
  const [first, last] = [pages[0] as Page<Row>, pages.at(-1) as Page<Row>];
  const all = pages.flatMap((page) => inDirection(page.edges, request));
  const isCut = all.length > size;
  const next = isCut ? undefined : isBackward ? last.previous?.before : last.next?.after;
  const hasEarlier = (isBackward ? first.pageInfo?.hasNextPage : first.pageInfo?.hasPreviousPage) ?? false;
  // No cursor leads back from a page without records.
  const previous = all.length === 0 ? undefined : isBackward ? first.next?.after : first.previous?.before;
  const edges: (RowEdge & Partial<Cursor>)[] = all.slice(0, size);
  const [head, tail] = isBackward ? (["after", "before"] as const) : (["before", "after"] as const);
  if (edges[0]) edges[0] = { ...edges[0], [head]: previous };
  const end = edges.pop();
  if (end) edges.push({ ...end, [tail]: next });
  const coverage = await listing.coverage;
  const cut = isCut && end ? BigInt(String(end.node["timestamp"] ?? 0)) : undefined;
  const isDescending = request.newestFirst !== isBackward;
  const own =
    cut === undefined ? coverage : isDescending ? { ...coverage, start: cut + 1n } : { ...coverage, end: cut };
  return { edges, hasMore: isCut || next !== undefined, hasEarlier, pages, coverage: own };
}

/** Of a list of which nodes show only the first page from either end (observed on v0.74 nodes), both are read and cut. */
async function readWhole(request: PageRequest): Promise<PageReading> {
  const { id, cursor, size } = request;
  const { pages, edges } = await readEnds(request);
  const all = inDirection(edges, request).map((edge) => ({ ...edge, key: keyOf(id, edge.node) }));
  const at = all.findIndex(({ cursor: own, key }) => (cursor?.key ? cursor.key === key : cursor?.own === own));
  if (cursor && at < 0) throw new Rejection(3, `Expected a cursor of a record of ${id} with this filter.`);
  const start = at + 1;
  return { edges: all.slice(start, start + size), hasMore: start + size < all.length, hasEarlier: start > 0, pages };
}

async function readEnds({ id, newestFirst, open }: PageRequest): Promise<{ pages: Page<Row>[]; edges: RowEdge[] }> {
  const pages: Page<Row>[] = [];
  try {
    for await (const page of open({ first: largestPage, newestFirst }).pages()) pages.push(page);
    return { pages, edges: pages.flatMap((page) => page.edges) };
  } catch (error) {
    const [start] = pages;
    if (!start || !ApiError.is(error) || error.status !== listOperation(id).cursors?.rejectedWith) throw error;
    const end = await open({ first: largestPage, newestFirst: !newestFirst });
    const known = new Set(start.nodes.map((node) => keyOf(id, node)));
    const rest = end.edges.filter(({ node }) => !known.has(keyOf(id, node)));
    // What both pages show is all there is. So it is if the other end has one page.
    const isWhole = rest.length < end.edges.length || !end.pageInfo?.hasNextPage;
    if (isWhole) return { pages: [start, end], edges: [...start.edges, ...rest.reverse()] };
    throw new Rejection(15, "The list has more records than nodes show at its ends, 10000. Request them by their ids.");
  }
}
