/** Pages of lists, whose cursors lead to every record once, whatever the cursors of nodes do. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type BalanceChangesDateRange,
  type Block,
  type Pagination,
  PaginationError,
  type ScanOptions,
  toNanoseconds,
  type VegaClient,
} from "vegaprotocol-client";
import { isScannable, type ListId, listOperation } from "../operations.js";
import type { WireRecord } from "../output/columns.js";
import { largestPage, readWhole } from "../records.js";
import { finalTime } from "../times.js";
import { type Cursor, decodeCursor, encodeCursor } from "./cursors.js";
import { Rejection } from "./errors.js";

/** A page that a caller wants. */
export interface PageRequest {
  readonly id: ListId;
  /** The argument of the client's method, without pagination. */
  readonly query: { readonly dateRange?: BalanceChangesDateRange };
  readonly size: number;
  /** Whether the page ends at the cursor, or at the end of the list. */
  readonly isBackward: boolean;
  readonly newestFirst: boolean;
  readonly cursor: Cursor | undefined;
  /** The time of the latest block that nodes have reached, in Unix nanoseconds, if it is known. */
  readonly head: bigint | undefined;
}

interface PlacedRecord {
  readonly node: WireRecord;
  readonly place: Cursor["place"];
}

/** The records after a cursor, in the direction of the request. */
interface Reading {
  readonly records: readonly PlacedRecord[];
  /** The response that the page is from, as far as it is known. */
  readonly source: { readonly block?: Block | undefined; readonly stale?: boolean; readonly response?: Response };
  /** What the cursors of the page hold. */
  readonly next: bigint | undefined;
  /** The range of time for which the page is complete. */
  readonly coverage?: { readonly start: bigint; readonly end: bigint | undefined };
}

type Options = Pick<ScanOptions, "signal" | "node">;

/** Two parameters of which nodes silently ignore one (observed on v0.74 nodes). */
const contradictions = "first last,first before,last after,after before".split(",").map((pair) => pair.split(" "));

/** How far the block of a cursor may be after those of all nodes, in nanoseconds: other gateways can have heard newer ones. */
const lead = 60_000_000_000n;

/** @param head - The time of the latest block that nodes have reached, in Unix nanoseconds. */
export function readPageRequest(id: ListId, argument: object, head: bigint | undefined): PageRequest {
  const { pagination = {}, ...query } = argument as { pagination?: Pagination };
  const { first, last, after, before, newestFirst = true } = pagination;
  const size = first ?? last ?? 1000;
  if (!Number.isInteger(size) || size < 1 || size > largestPage) {
    throw new Rejection(3, `Expected a page of 1 to ${largestPage} records, got ${size}.`);
  }
  if (typeof newestFirst !== "boolean") throw new Rejection(3, "Expected pagination.newestFirst to be true or false.");
  const pair = contradictions.find((names) => names.every((name) => name in pagination));
  if (pair) throw new Rejection(3, `pagination.${pair[1]} cannot be combined with pagination.${pair[0]}.`);
  const text = after ?? before;
  const isBackward = last !== undefined || before !== undefined;
  const cursor = text === undefined ? undefined : decodeCursor(text, id, head && head + lead);
  return { id, query, size, isBackward, newestFirst, cursor, head };
}

/** @param nodeAt - The node that has reached a time in Unix nanoseconds, if it is known. */
export async function readPage(
  client: VegaClient,
  request: PageRequest,
  signal: AbortSignal,
  nodeAt: (time: bigint) => string | undefined,
) {
  const { id, size, isBackward, cursor } = request;
  const { records, source, next, coverage } = isScannable(id)
    ? await readScan(client, request, { signal })
    : await readList(client, request, { signal }, nodeAt);
  const edges = records
    .slice(0, size)
    .map(({ node, place }) => ({ node, cursor: encodeCursor(id, { place, block: next }) }));
  const hasMore = records.length > size;
  if (isBackward) edges.reverse();
  const [hasPreviousPage, hasNextPage] = isBackward ? [hasMore, cursor !== undefined] : [cursor !== undefined, hasMore];
  const [startCursor, endCursor] = [edges.at(0)?.cursor ?? "", edges.at(-1)?.cursor ?? ""];
  return {
    content: { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } },
    coverage: coverage && { startTimestamp: `${coverage.start}`, endTimestamp: coverage.end?.toString() },
    source,
    hasMore,
  };
}

/** Adds the places of records: their times, and the members that sort those of one time. Records of a scan have this order. */
function withPlaces(id: ListId, records: readonly object[]): PlacedRecord[] {
  const { naturalKey, cursors } = listOperation(id);
  const names = (cursors?.missingMember?.sha256Of ?? naturalKey).map(String).filter((name) => name !== "timestamp");
  return (records as WireRecord[]).map((node) => {
    const time = String(node["timestamp"] ?? "").padStart(20, "0");
    return { node, place: [time, ...names.map((name) => String(node[name] ?? ""))] };
  });
}

/** Less than 0 if the first place is before the second one, with the oldest record first. */
function comparePlaces(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((text, each) => text !== b[each]);
  return index < 0 ? 0 : (a[index] ?? "") < (b[index] ?? "") ? -1 : 1;
}

const timeOf = ({ place }: Pick<PlacedRecord, "place">): bigint => BigInt(place[0] ?? 0);

const isDescending = ({ newestFirst, isBackward }: PageRequest): boolean => newestFirst !== isBackward;

/** Returns a function that selects what comes after the cursor. */
function isAfterCursor(request: PageRequest): (record: PlacedRecord) => boolean {
  const { cursor } = request;
  const sign = isDescending(request) ? -1 : 1;
  return ({ place }) => cursor === undefined || sign * comparePlaces(place, cursor.place) > 0;
}

/** A page needs one request, of a node that has the block of the cursor soon. */
const scanOptions = { concurrency: 1, catchUp: 8000 };

/** Reads balance changes from the time of the cursor on. A loop with the oldest record first ends with the block of its first page. */
async function readScan(client: VegaClient, request: PageRequest, options: Options): Promise<Reading> {
  const { id, query, size, cursor, head } = request;
  const isNewestFirst = isDescending(request);
  const { startTimestamp, endTimestamp } = query.dateRange ?? {};
  const from = cursor && timeOf(cursor);
  const wantedEnd = endTimestamp === undefined ? undefined : toNanoseconds(endTimestamp);
  // A range that ends in the future ends with the newest block, as that of a node.
  const end = wantedEnd !== undefined && head !== undefined && wantedEnd > head ? undefined : wantedEnd;
  const dateRange = isNewestFirst
    ? { startTimestamp, endTimestamp: from === undefined ? end : from + 1n }
    : { startTimestamp: from ?? startTimestamp, endTimestamp: end ?? cursor?.block };
  const order = isNewestFirst ? "newest-first" : "oldest-first";
  // Some records of the block of the cursor are before it, seldom more.
  for (let maxItems = size + 100; ; maxItems *= 8) {
    const scan = client.scanBalanceChanges({ ...query, dateRange }, { ...options, order, maxItems, ...scanOptions });
    const placed = withPlaces(id, await scan.toArray());
    const isWanted = (record: PlacedRecord) => wantedEnd === undefined || timeOf(record) < wantedEnd;
    const records = placed.filter(isWanted).filter(isAfterCursor(request));
    const { start, end: shownEnd, block } = await scan.coverage;
    const isTimeRead = placed.length < maxItems || placed.some((record) => timeOf(record) !== from);
    if (cursor && isTimeRead && !placed.some(({ place }) => comparePlaces(place, cursor.place) === 0)) {
      const message = "The node has dropped the records that the cursor leads to.";
      throw new PaginationError(message, { reason: "pruned", availableFrom: start });
    }
    const rest = records[size];
    if (rest === undefined && placed.length === maxItems) continue;
    const cut = rest && timeOf(rest);
    const final = block && finalTime(block);
    // A response after the first one can be of a later block than the one that the page ends with.
    const isOfBlock =
      dateRange.endTimestamp !== undefined || shownEnd === final || (!isNewestFirst && cut !== undefined);
    const source = isOfBlock ? { block } : {};
    if (isNewestFirst) {
      const coverage = { start: cut === undefined ? start : cut + 1n, end: shownEnd };
      return { records, source, next: undefined, coverage };
    }
    const next = cut === undefined ? undefined : (cursor?.block ?? final);
    return { records, source, next, coverage: { start, end: cut ?? shownEnd } };
  }
}

/** The waits for a node that has reached the block of the pages before, in milliseconds. */
const waits = [0, 250, 500, 1000, 2000, 4000];

/** Reads a list as a whole, and sorts it: records that move while pages are requested are at their time, on every node. */
async function readList(
  client: VegaClient,
  request: PageRequest,
  { signal }: Options,
  nodeAt: (time: bigint) => string | undefined,
): Promise<Reading> {
  const { id, query, cursor } = request;
  for (const wait of waits) {
    if (wait > 0) await sleep(wait, undefined, { signal });
    const node = wait > 0 && cursor?.block ? nodeAt(cursor.block) : undefined;
    const { records, gap, pages } = await readWhole(client, id, query, { signal, node });
    if (gap) {
      throw new Rejection(
        15,
        "The list has more records than nodes show at its ends, 10000. Request them by their ids.",
      );
    }
    const times = pages.flatMap(({ block }) => (block ? [block.timestamp] : []));
    if (cursor?.block !== undefined && times.some((time) => time < (cursor.block ?? 0n))) continue;
    const next = [...times, cursor?.block ?? 0n].reduce((a, b) => (a > b ? a : b), 0n);
    const sign = isDescending(request) ? -1 : 1;
    const rest = withPlaces(id, records).filter(isAfterCursor(request));
    rest.sort((a, b) => sign * comparePlaces(a.place, b.place));
    return { records: rest, source: pages[0] ?? {}, next };
  }
  throw new Rejection(14, "No node has reached the block of the pages before.");
}
