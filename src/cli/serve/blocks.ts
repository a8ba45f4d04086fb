import { operations } from "../../../generated/operations.js";
import type { Page } from "../../pagination/listing.js";
import { largestPage } from "../../pagination/repair/continuation.js";
import { nanosecondsOf } from "../../source/block-cursor.js";
import { keyBy } from "../../values/natural-key.js";
import { encodeCursor, type GatewayCursor } from "./cursors.js";
import {
  assemble,
  inDirection,
  isDescending,
  type PageRequest,
  paginationOf,
  type Row,
  type RowEdge,
  type ServedPage,
} from "./lists.js";
import { Rejection } from "./replies.js";

/** A record with its place in the list: by the time of its block, and in the block by its key. */
interface PlacedEdge extends RowEdge {
  readonly time: bigint;
  readonly key: string;
}

/** What was read of the list, in the direction of the request. */
interface BlocksReading {
  readonly edges: readonly PlacedEdge[];
  readonly isAtEnd: boolean;
  readonly source: Page<Row>;
}

/**
 * A page of a list whose cursors name a block, and not a record of it (observed on v0.74 nodes). Whole blocks are read, from a block
 * before that of the cursor, and their records are sorted by their key, so that a place in a block is the same on all nodes.
 *
 * @returns `undefined` if the cursors of the node have another form.
 */
export async function readByBlocks(request: PageRequest): Promise<ServedPage | undefined> {
  const { size, cursor, isBackward } = request;
  if (cursor !== undefined && nanosecondsOf(cursor.own) === undefined) return undefined;
  if (cursor !== undefined && cursor.key === undefined) {
    throw new Rejection(3, "Expected a cursor of the gateway: that of a node names a block, and not a record of it.");
  }
  const guard = isBackward ? cursor?.before : cursor?.after;
  // Most pages are within one small page of a node. A block that is not takes the largest one.
  const attempts = [
    { pageSize: Math.min(size + 100, largestPage), from: guard },
    { pageSize: largestPage, from: guard },
    // What came before the cursor has moved: the list is read from its start.
    ...(guard === undefined ? [] : [{ pageSize: largestPage, from: undefined }]),
  ];
  for (const { pageSize, from } of attempts) {
    const read = await readFrom(request, pageSize, from);
    if (read === "other form") return undefined;
    if (read !== "not shown") return pageOf(request, read, from);
  }
  throw new Rejection(13, `Expected pages of ${request.id} up to the cursor.`);
}

/**
 * Reads pages until they have enough records of whole blocks behind the cursor.
 *
 * @param from - The cursor of a block before that of the request's cursor.
 */
async function readFrom(
  request: PageRequest,
  pageSize: number,
  from: string | undefined,
): Promise<BlocksReading | "not shown" | "other form"> {
  const edges: RowEdge[] = [];
  let source: Page<Row> | undefined;
  for await (const page of request.open(paginationOf(request, pageSize, from)).pages()) {
    edges.push(...inDirection(page.edges, request));
    const placed = place(request, edges);
    if (placed === undefined) return "other form";
    // The node leaves out the first record of the block that it is asked from. That was not one of the cursor's block, or behind it, if
    // the page begins before that block.
    if (source === undefined && from !== undefined && !isBefore(request, placed[0])) return "not shown";
    source ??= page;
    const isAtEnd = !(request.isBackward ? page.pageInfo?.hasPreviousPage : page.pageInfo?.hasNextPage);
    const reading = { edges: placed, isAtEnd, source };
    if (isAtEnd || wanted(request, reading).length >= request.size) return reading;
    if (pageSize < largestPage) return "not shown";
  }
  return source ? { edges: place(request, edges) ?? [], isAtEnd: true, source } : "not shown";
}

/** The edges with their places, those of one block in the order of their keys. */
function place(request: PageRequest, edges: readonly RowEdge[]): PlacedEdge[] | undefined {
  const sign = request.isBackward ? -1 : 1;
  // The time of a vote is not that of its block.
  const keyOf = keyBy<Row>(operations[request.id].naturalKey.filter((name) => name !== "timestamp"));
  const placed: PlacedEdge[] = [];
  for (const { node, cursor } of edges) {
    const time = nanosecondsOf(cursor);
    if (time === undefined) return undefined;
    placed.push({ node, cursor, time, key: keyOf(node) });
  }
  const order = isDescending(request) ? -1 : 1;
  return placed.sort((a, b) => (a.time === b.time ? compare(a.key, b.key) * sign : a.time < b.time ? -order : order));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Whether an edge is of a block before that of the request's cursor. */
function isBefore(request: PageRequest, edge: PlacedEdge | undefined): boolean {
  const time = request.cursor && nanosecondsOf(request.cursor.own);
  if (edge === undefined || time === undefined) return false;
  return isDescending(request) ? edge.time > time : edge.time < time;
}

/** The edges behind the cursor, without those of a block that may not be complete. */
function wanted(request: PageRequest, { edges, isAtEnd }: BlocksReading): readonly PlacedEdge[] {
  const last = edges.at(-1)?.time;
  const complete = isAtEnd ? edges : edges.filter(({ time }) => time !== last);
  const { cursor } = request;
  if (cursor === undefined) return complete;
  const time = nanosecondsOf(cursor.own);
  const behind = complete.findIndex(
    (edge) => !isBefore(request, edge) && (edge.time !== time || isBehind(request, cursor, edge)),
  );
  return behind < 0 ? [] : complete.slice(behind);
}

/** Whether an edge of the cursor's block is behind it. */
const isBehind = ({ isBackward }: PageRequest, { key = "" }: GatewayCursor, edge: PlacedEdge): boolean =>
  compare(edge.key, key) * (isBackward ? -1 : 1) > 0;

function pageOf(request: PageRequest, reading: BlocksReading, from: string | undefined): ServedPage {
  const { id, size, cursor, isBackward } = request;
  const { edges: read, isAtEnd, source } = reading;
  const all = wanted(request, reading);
  const page = all.slice(0, size);
  const block = cursor?.block ?? source.block?.height.toString();
  const blocks = new Map<bigint, { start: number; end: number }>();
  for (const [index, { time }] of read.entries()) {
    blocks.set(time, { start: blocks.get(time)?.start ?? index, end: index });
  }
  const edges = page.map(({ node, cursor: own, time, key }) => {
    const { start, end } = blocks.get(time) ?? { start: 0, end: 0 };
    // Two records away, so that the node shows one of them if it leaves out the other.
    const earlier = read[start - 2]?.cursor ?? from;
    const later = (read[end + 2] ?? read[end + 1])?.cursor;
    const [before, after] = isBackward ? [earlier, later] : [later, earlier];
    return { node, cursor: encodeCursor({ list: id, own, key, before, after, block }) };
  });
  const hasEarlier = cursor !== undefined;
  return assemble(request, edges, { hasMore: all.length > size || !isAtEnd, hasEarlier, source });
}
