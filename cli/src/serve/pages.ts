/** Pages of lists, whose cursors lead to every record once, whatever the cursors of nodes do. */
import { bisector } from "d3-array";
import {
  type BalanceChangesDateRange,
  type Pagination,
  PaginationError,
  type ScanOptions,
  toNanoseconds,
  type VegaClient,
} from "vegaprotocol-client";
import { isScannable, type ListId, largestPage } from "../operations.js";
import { earliest, finalTime, latest } from "../times.js";
import { type Cursor, decodeCursor, encodeCursor } from "./cursors.js";
import { Rejection } from "./errors.js";
import {
  comparePlaces,
  createLists,
  type PlacedRecord,
  type SortedList,
  type Source,
  timeOf,
  withPlaces,
} from "./lists.js";
import type { Nodes } from "./nodes.js";

export interface PageRequest {
  readonly id: ListId;
  /** The argument of the client's method, without pagination. */
  readonly query: { readonly dateRange?: BalanceChangesDateRange };
  readonly size: number;
  /** Whether the page ends at the cursor, or at the end of the list. */
  readonly isBackward: boolean;
  readonly newestFirst: boolean;
  readonly cursor: Cursor | undefined;
}

/** The records after a cursor, in the direction of the request. */
interface PageRecords {
  readonly records: readonly PlacedRecord[];
  readonly source: Source;
  /** The content of the page's cursors, apart from their places. */
  readonly next: Pick<Cursor, "block" | "newest">;
  readonly coverage?: { readonly start: bigint; readonly end: bigint | undefined };
  /** Whether the coverage has the start of the requested range, if the page leads to it. */
  readonly isComplete?: boolean;
}

/** The request that a page is read for. */
export interface Reader {
  /** Aborts if the page is no longer needed. */
  readonly signal: AbortSignal;
  /** Reads from nodes when it is the turn of the caller. */
  inTurn<T>(weight: number, task: () => PromiseLike<T>): Promise<T>;
}

/** Two parameters of which nodes silently ignore one (observed on v0.74 nodes). */
const contradictions = "first last,first before,last after,after before".split(",").map((pair) => pair.split(" "));

export function readPageRequest(id: ListId, argument: object): PageRequest {
  const { pagination = {}, ...query } = argument as { pagination?: Pagination };
  const { first, last, after, before, newestFirst = true } = pagination;
  const size = first ?? last ?? 1000;
  if (!Number.isInteger(size) || size < 1 || size > largestPage) {
    throw new Rejection(3, `Expected a page of 1 to ${largestPage} records, got ${size}.`);
  }
  const pair = contradictions.find((names) => names.every((name) => name in pagination));
  if (pair) throw new Rejection(3, `pagination.${pair[1]} cannot be combined with pagination.${pair[0]}.`);
  const text = after ?? before;
  const isBackward = last !== undefined || before !== undefined;
  return { id, query, size, isBackward, newestFirst, cursor: text === undefined ? undefined : decodeCursor(text, id) };
}

export function createPages(client: VegaClient, nodes: Nodes) {
  const lists = createLists(client);

  /** The first and the last page show the current list. Other pages are cut from the last reading. */
  async function readList(request: PageRequest, { inTurn, signal }: Reader): Promise<PageRecords> {
    const { id, query, cursor, size } = request;
    const minBlock = cursor?.block ?? 0n;
    const arrival = lists.arrive();
    const kept = lists.kept(id, query);
    // Without block headers, the last reading can be earlier than the first page.
    if (cursor && kept && minBlock > 0n && kept.earliest >= minBlock) {
      const page = pageOf(kept, request);
      if (page.records.length > size) return page;
    }
    if (cursor === undefined && isDescending(request) && size < largestPage) {
      const count = Math.min(size + 50, largestPage);
      const newest = await inTurn(weightOf(count), () => lists.readNewest(id, query, count, signal));
      const page = newest && pageOf(newest, request);
      if (page && (newest.isWhole || page.records.length > size)) return page;
    }
    await nodes.waitFor(minBlock, signal);
    const weight = weightOf(kept?.records.length ?? largestPage);
    const list = await inTurn(weight, () => lists.read({ id, query, arrival, minBlock }, signal, nodes.nodeAt));
    return pageOf(list, request);
  }

  /**
   * Reads balance changes from the cursor on. An oldest-first loop ends with its range, or with the block of its first
   * page.
   */
  async function readScan(request: PageRequest, reader: Reader): Promise<PageRecords> {
    return (await readRange(request, reader)) ?? readScan(request, reader);
  }

  /** Returns `undefined` if nodes have reached the end of the range meanwhile. */
  async function readRange(request: PageRequest, { inTurn, signal }: Reader): Promise<PageRecords | undefined> {
    const { id, query, size, cursor } = request;
    const isNewestFirst = isDescending(request);
    const range = query.dateRange ?? {};
    const from = cursor && timeOf(cursor);
    const wantedStart = startOf(range.startTimestamp);
    const wantedEnd = range.endTimestamp === undefined ? undefined : toNanoseconds(range.endTimestamp);
    await nodes.waitFor(latest(0n, from, cursor?.block), signal);
    // A range that ends after the newest block ends with that block, as the range of a node.
    const end = wantedEnd !== undefined && (await nodes.isAhead(wantedEnd)) ? undefined : wantedEnd;
    // Whether nodes keep the start is shown by the first page, and by the one that leads to it.
    let missingHistory: ScanOptions["missingHistory"] = isNewestFirst && cursor ? "ignore" : "error";
    const startTimestamp = isNewestFirst ? wantedStart : (from ?? wantedStart);
    const endTimestamp = isNewestFirst ? (from === undefined ? end : from + 1n) : (end ?? cursor?.block);
    const order = isNewestFirst ? "newest-first" : "oldest-first";
    const isInRange = (record: PlacedRecord) =>
      (wantedStart === undefined || timeOf(record) >= wantedStart) &&
      (wantedEnd === undefined || timeOf(record) < wantedEnd);
    // A page begins with the block of the cursor.
    const skipped = Math.min(cursor?.skipped ?? 0, largestPage);
    return inTurn(weightOf(size + skipped), async () => {
      for (let maxItems = size + skipped + 1; ; ) {
        // With room for the last block, one request has all of them. The more records of a block are skipped, the larger
        // the block is likely to be.
        const most = Math.max(120, maxItems + 50, 5 * skipped);
        const pageSize = Math.ceil(most / Math.ceil(most / largestPage));
        const dateRange = { startTimestamp, endTimestamp };
        const options = { signal, order, maxItems, pageSize, missingHistory, concurrency: 1, catchUp: 1000 } as const;
        const scan = client.scanBalanceChanges({ ...query, dateRange }, options);
        const placed = withPlaces(id, await scan.toArray());
        const records = placed.filter(isInRange).filter(isAfterCursor(request));
        const { start, end: shownEnd, block } = await scan.coverage;
        const isTimeRead = placed.length < maxItems || placed.some((record) => timeOf(record) !== from);
        if (cursor && isTimeRead && !placed.some(({ place }) => comparePlaces(place, cursor.place) === 0)) {
          const message = "The node has dropped the records that the cursor leads to.";
          throw new PaginationError(message, { reason: "pruned", availableFrom: start });
        }
        const rest = records[size];
        if (placed.length < maxItems && missingHistory === "ignore" && wantedStart !== undefined) {
          missingHistory = "error";
          continue;
        }
        if (rest === undefined && placed.length === maxItems) {
          maxItems *= 8;
          continue;
        }
        const cut = rest && timeOf(rest);
        const final = block && finalTime(block.timestamp);
        // The header of that block would show that the page has all of the range.
        if (end === undefined && wantedEnd !== undefined && final !== undefined && final >= wantedEnd) return undefined;
        // A response after the first one can be of a later block than the one that the page ends with.
        const isOfBlock = endTimestamp !== undefined || shownEnd === final || (!isNewestFirst && cut !== undefined);
        const source = isOfBlock ? { block } : {};
        // Without block headers, nothing shows that the end was reached.
        const coveredEnd = shownEnd && earliest(shownEnd, wantedEnd);
        if (isNewestFirst) {
          const oldest = records.at(-1);
          const reached = wantedStart ?? (oldest ? timeOf(oldest) : start);
          const wanted = cut === undefined ? reached : cut + 1n;
          const coverage = { start: latest(start, wanted), end: coveredEnd };
          return { records, source, next: {}, coverage, isComplete: start <= wanted };
        }
        const isComplete = startTimestamp === undefined || start <= startTimestamp;
        // Pages of a past range can come from nodes at different blocks, and the first node can be before the end.
        const next = { block: cut === undefined ? undefined : (end ?? cursor?.block ?? final) };
        const coverage = { start: earliest(start, cut), end: cut ?? coveredEnd };
        return { records, source, next, coverage, isComplete };
      }
    });
  }

  return async function readPage(request: PageRequest, reader: Reader) {
    const { id, size, isBackward, cursor } = request;
    const read = isScannable(id) ? readScan : readList;
    const { records, source, next, coverage, isComplete } = await read(request, reader);
    let { skipped = 0, place: [time] = [] } = cursor ?? {};
    const edges = records.slice(0, size).map(({ node, place }) => {
      skipped = place[0] === time ? skipped + 1 : 1;
      [time] = place;
      return { node, cursor: encodeCursor(id, { place, skipped, ...next }) };
    });
    const hasMore = records.length > size;
    if (isBackward) edges.reverse();
    const [before, after] = isBackward ? [hasMore, cursor !== undefined] : [cursor !== undefined, hasMore];
    const [startCursor, endCursor] = [edges.at(0)?.cursor ?? "", edges.at(-1)?.cursor ?? ""];
    return {
      content: { edges, pageInfo: { hasNextPage: after, hasPreviousPage: before, startCursor, endCursor } },
      coverage: coverage && { startTimestamp: `${coverage.start}`, endTimestamp: coverage.end?.toString() },
      isComplete,
      source,
      hasMore,
    };
  };
}

const weightOf = (count: number): number => Math.max(1, Math.min(5, Math.ceil(count / 1000)));

/** The start of a range in Unix nanoseconds. The client takes 0 for no start. */
export function startOf(time: BalanceChangesDateRange["startTimestamp"]): bigint | undefined {
  const start = time === undefined ? undefined : toNanoseconds(time);
  return start === 0n ? 1n : start;
}

const isDescending = ({ newestFirst, isBackward }: PageRequest): boolean => newestFirst !== isBackward;

type Placed = Pick<PlacedRecord, "place">;

function isAfterCursor(request: PageRequest): (record: Placed) => boolean {
  const { cursor } = request;
  const sign = isDescending(request) ? -1 : 1;
  return ({ place }) => cursor === undefined || sign * comparePlaces(place, cursor.place) > 0;
}

/**
 * The records of a list that come after the cursor. A vote that is cast again moves to the newest end: so that a loop
 * with the newest record first does not miss it, records that are newer than its first page come after the oldest one.
 */
function pageOf({ records, source, latest: newestBlock }: SortedList, request: PageRequest): PageRecords {
  const { cursor } = request;
  const isDown = isDescending(request);
  const { newest } = cursor ?? { newest: isDown ? records.at(-1)?.place[0] : undefined };
  const next = { block: latest(newestBlock, cursor?.block), newest };
  const newerFrom = newest === undefined ? records.length : bisectTime.right(records, newest);
  const isAmongNewer = cursor && newest !== undefined && (cursor.place[0] ?? "") > newest;
  if (!isDown || isAmongNewer)
    return { records: records.slice(cursor ? bisectPlace.right(records, cursor.place) : 0), source, next };
  const others = records.slice(0, cursor ? bisectPlace.left(records, cursor.place) : newerFrom);
  return { records: [...others.reverse(), ...records.slice(newerFrom)], source, next };
}

const bisectTime = bisector(({ place: [time = ""] }: Placed) => time);
const bisectPlace = bisector(({ place }: Placed, other: readonly string[]) => comparePlaces(place, other));
