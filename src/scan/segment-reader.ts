import type { BalanceChange } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import { blockTimeOf } from "../evidence/block-cursor.js";
import { describeTime, prunedError, readingError } from "../evidence/reading-errors.js";
import { NotShown } from "../http/demand.js";
import type { Edge } from "../list/page.js";
import { fromRecordBefore, largestPage, longestOverlap } from "../list/repair/continuation.js";
import { compareDigits } from "../values/digits.js";
import { maximum, minimum } from "../values/integers.js";
import { microsecondOf, toTime } from "../values/microseconds.js";
import { contentOf, type RangeContent, type RangeDemand, type RangePage, type RangeRequest } from "./range-page.js";
import { compareRecords, keyOf } from "./record-order.js";
import { isEmpty, type Range, type ReadingOrder } from "./timeline.js";

/** Known records at the start of a range: the page that reads on from there begins with them. */
export interface Anchor {
  readonly microsecond: bigint;
  readonly keys: ReadonlySet<string>;
}

/** The records at the start of a range, and what is left of it. */
export interface SegmentReading {
  records: readonly BalanceChange[];
  /** How many records the page had. */
  pageLength: number;
  /** `undefined` if the whole range was read. */
  unread: Range | undefined;
  /** The time from which on the last page is complete, in Unix nanoseconds. */
  completeFrom: bigint;
  /** Known records at the start of `unread`, or if there is nothing left, at its end; `undefined` if there are none. */
  anchor: Anchor | undefined;
}

/** A range of which one side, or both, can be open. */
export interface OpenRange {
  start: bigint | undefined;
  end: bigint | undefined;
}

/** What is requested beside the range. */
export interface PageOptions {
  size: number;
  after?: string | undefined;
  /** Known records that the page has to show. */
  anchor?: Anchor | undefined;
  accept?: ((edges: readonly Edge<BalanceChange>[]) => unknown) | undefined;
  /** Whether this page decides where the scan ends. */
  isFirst?: boolean;
}

export interface SegmentReaderOptions {
  operation: string;
  order: ReadingOrder;
  pageSize: number;
  /** The microsecond at which the scan starts; `undefined` if it begins with the oldest record. */
  start: bigint | undefined;
  /** Whether records that nodes no longer keep are left out. */
  ignoresMissingHistory: boolean;
  fetch: (request: RangeRequest, demand: RangeDemand) => Promise<RangePage>;
}

/** Reads ranges of one filter page by page. Records of one time come in the order of their natural key. */
export class SegmentReader {
  readonly order: ReadingOrder;
  readonly pageSize: number;
  readonly #options: SegmentReaderOptions;
  /** The record before the start, or that there is none, if that was requested. */
  #before: RangeRequest["before"];
  /** The time from which on the pages show that no record is missing, in Unix nanoseconds. */
  #completeFrom: bigint;

  constructor(options: SegmentReaderOptions) {
    this.order = options.order;
    this.pageSize = options.pageSize;
    this.#options = options;
    this.#completeFrom = toTime(options.start ?? 0n);
  }

  /** The time from which on no record of the filter is missing, in Unix nanoseconds. */
  get completeFrom(): bigint {
    return this.#completeFrom;
  }

  /** Fetches the first page of a range, or the page after a cursor. Known records can be before the range, in reading order. */
  async fetch(range: OpenRange, options: PageOptions): Promise<RangePage> {
    const { newestFirst } = this.order;
    const { size, after, anchor } = options;
    const { microsecond } = anchor ?? {};
    const start = newestFirst ? range.start : minimumOf(range.start, microsecond);
    const end = newestFirst && microsecond !== undefined ? maximum(range.end ?? 0n, microsecond + 1n) : range.end;
    const request: RangeRequest = {
      start: start === undefined || start <= 1n ? undefined : toTime(start),
      end: end === undefined ? undefined : toTime(end),
      size,
      newestFirst,
      after,
      // Known records at the start of a page show that the node keeps what follows.
      decidesStart: this.#isScanStart(range) && (newestFirst || (anchor === undefined && after === undefined)),
      before: this.#before,
    };
    try {
      const page = await this.#options.fetch(request, demandOf(range, options, newestFirst));
      if (request.decidesStart) this.#noteStart({ start: range.start, end }, page);
      return page;
    } catch (error) {
      if (!NotShown.is(error) || error.lack !== "place" || microsecond === undefined) throw error;
      // Records of a whole day are dropped at once, also while they are read.
      await this.checkHistory(microsecond);
      throw this.#gap(toTime(microsecond));
    }
  }

  #isScanStart({ start = 0n }: OpenRange): boolean {
    return start === (this.#options.start ?? 0n);
  }

  /** Rejects if nodes do not keep the records from a microsecond on. */
  async checkHistory(microsecond: bigint): Promise<void> {
    const start = toTime(microsecond);
    const request = { start, size: 1, newestFirst: false, decidesStart: "probe" as const };
    const { availableFrom, completeFrom, edges } = await this.#options.fetch(request, {});
    if (availableFrom !== undefined) throw this.#pruned(start, availableFrom);
    const first = edges[0] && BigInt(edges[0].node.timestamp);
    if (!this.#isScanStart({ start: microsecond, end: undefined })) return;
    this.#before = completeFrom > start ? "none" : first !== undefined && first < start ? first : undefined;
  }

  /** Notes how far back the scan is complete. */
  #noteStart({ start = 0n, end }: OpenRange, { completeFrom, availableFrom }: RangePage): void {
    if (availableFrom !== undefined && !this.#options.ignoresMissingHistory) {
      throw this.#pruned(toTime(start), availableFrom);
    }
    const from = end === undefined ? completeFrom : minimum(completeFrom, toTime(end));
    this.#completeFrom = maximum(this.#completeFrom, from);
  }

  #pruned(start: bigint, availableFrom: bigint): PaginationError {
    const advice = 'pass `missingHistory: "ignore"` to read what is left';
    return prunedError(this.#options.operation, start, availableFrom, advice, undefined);
  }

  #gap(time: bigint): PaginationError {
    const { operation } = this.#options;
    return readingError(
      `${operation} received no response that has the records both before and after ${describeTime(time)}, so that nothing shows ` +
        "which ones are missing. Continue with `resume` on another node.",
      { operation, reason: "gap" },
      undefined,
    );
  }

  /** The newest record of all. */
  async newest(): Promise<BalanceChange | undefined> {
    const request = { size: 1, newestFirst: true, decidesStart: false };
    const { edges } = await this.#options.fetch(request, {});
    return edges[0]?.node;
  }

  /**
   * Takes the records from a page whose microseconds it shows completely. If it shows none completely, pages are read by
   * cursor until one is complete.
   *
   * @param times - What the caller wants, in Unix nanoseconds.
   */
  async complete(range: Range, first: RangePage, times: Range): Promise<SegmentReading> {
    const { order } = this;
    let page = first;
    let edges = page.edges;
    let last = lastMicrosecond(page, order);
    while (page.hasMore && order.compare(last, order.firstOf(range)) <= 0) {
      page = await this.#pageAfter(range, { ...page, edges });
      edges = [...edges, ...page.edges];
      last = lastMicrosecond({ ...page, edges }, order);
    }
    const rest = order.from(range, last);
    const unread = page.hasMore && !isEmpty(rest) ? rest : undefined;
    // More records of the last microsecond can be on the next page.
    const read =
      unread === undefined ? range : order.newestFirst ? { ...range, start: rest.end } : { ...range, end: last };
    const records = recordsBetween(
      edges,
      maximum(toTime(read.start), times.start),
      minimum(toTime(read.end), times.end),
    );
    // Records of one time come in any order, which depends on the node and on page borders.
    records.sort((a, b) => order.sign * compareRecords(a, b));
    // A node can send a record twice.
    const distinct = records.filter(
      (record, at) => at === 0 || compareRecords(record, records[at - 1] ?? record) !== 0,
    );
    const known = unread ? last : lastWithin(edges, range);
    const { completeFrom } = page;
    return { records: distinct, pageLength: first.edges.length, unread, completeFrom, anchor: anchorAt(edges, known) };
  }

  /** The page after others of the same range, within a microsecond that has more records than a page. */
  async #pageAfter(range: Range, { edges, endCursor }: RangePage): Promise<RangePage> {
    const last = edges.at(-1);
    if (last === undefined || !endCursor) throw this.#tooDense(range);
    if (blockTimeOf(endCursor) === undefined) {
      const page = await this.fetch(range, { size: this.pageSize, after: endCursor });
      const next = this.#edgesAfterPage(page.edges, edges);
      if (next === undefined) throw this.#tooDense(range);
      return { ...page, edges: next };
    }
    const { newestFirst } = this.order;
    const at = microsecondOf(BigInt(last.node.timestamp));
    // The known records can be before the range, in reading order.
    const whole = newestFirst
      ? { ...range, end: maximum(range.end, at + 1n) }
      : { ...range, start: minimum(range.start, at) };
    let isRefused = false;
    for (let way = fromRecordBefore(edges); way !== undefined; way = way.fallback?.()) {
      // Of a single record, the page is requested again with room for more. A page that had room says that records follow in another
      // part of a range that is too long for one request: no page has both them and the known one.
      const isAlone = edges.length === 1 && this.pageSize > 1;
      const around = way.locate && !isAlone ? { ...way.locate([]), overlap: longestOverlap } : way;
      const { cursor: after, overlap, accept } = around;
      const size = Math.min(this.pageSize + Number(overlap), Math.max(largestPage, this.pageSize));
      try {
        const page = await this.fetch(whole, { size, after, accept });
        const next = accept?.(page.edges) ?? page.edges;
        if (next.length > 0 || !page.hasMore) return { ...page, edges: next };
      } catch (error) {
        if (!NotShown.is(error) || error.lack !== "place") throw error;
        isRefused = true;
      }
    }
    throw isRefused ? this.#gap(BigInt(last.node.timestamp)) : this.#tooDense(range);
  }

  /** The edges of a page after another one; `undefined` if a cursor led back. */
  #edgesAfterPage(edges: RangePage["edges"], previous: RangePage["edges"]): RangePage["edges"] | undefined {
    const known = new Set(previous.map(({ node }) => keyOf(node)));
    const [first, last] = [edges.at(0)?.node.timestamp, previous.at(-1)?.node.timestamp];
    const isEarlier = first !== undefined && last !== undefined && this.order.sign * compareDigits(first, last) < 0;
    return isEarlier || edges.some(({ node }) => known.has(keyOf(node))) ? undefined : edges;
  }

  #tooDense(range: Range): PaginationError {
    const time = toTime(this.order.firstOf(range));
    return new PaginationError(
      `${this.#options.operation} found more than ${this.pageSize} records in the microsecond from ${time} on, and the node's cursors ` +
        "do not lead through them. Narrow the filter by account types, parties or markets, or continue after that time.",
      { operation: this.#options.operation, reason: "too-dense", timestamp: `${time}` },
    );
  }
}

/** What a page of a range has to show: its end, and the known records at its start. */
function demandOf(
  { start, end }: OpenRange,
  { anchor, accept, isFirst = false }: PageOptions,
  newestFirst: boolean,
): RangeDemand {
  return {
    isFresh: isFirst,
    lacksBlock: ({ data, block }, namesBlocks) => {
      if (block === undefined) return namesBlocks;
      const endsHere = newestFirst || !data.pageInfo?.hasNextPage;
      // Also a range without an end begins in the past of its node.
      const needed = endsHere && end !== undefined ? end : start === undefined ? undefined : start + 1n;
      return needed !== undefined && block.timestamp < toTime(needed);
    },
    ...(anchor && { holdsPlace: (page) => shows(contentOf(page), anchor) }),
    ...(accept && { holdsPlace: (page) => accept(contentOf(page).edges) !== undefined }),
  };
}

/** Whether a page has all known records, or if it ends among them, no others. */
function shows({ edges, hasMore }: RangeContent, { microsecond, keys }: Anchor): boolean {
  const from = edges.findIndex(({ node }) => isIn(node, microsecond));
  let to = from;
  while (to >= 0 && to < edges.length && isIn((edges[to] as Edge<BalanceChange>).node, microsecond)) to++;
  const known = edges.slice(Math.max(0, from), Math.max(0, to)).filter(({ node }) => keys.has(keyOf(node))).length;
  const endsThere = hasMore && to === edges.length;
  return known > 0 && known >= (endsThere ? Math.min(to - from, keys.size) : keys.size);
}

/** The microsecond of the last record of a page that is within a range; `undefined` if there is none. */
function lastWithin(edges: readonly Edge<BalanceChange>[], { start, end }: Range): bigint | undefined {
  for (let index = edges.length - 1; index >= 0; index--) {
    const microsecond = microsecondOf(BigInt((edges[index] as Edge<BalanceChange>).node.timestamp));
    if (microsecond >= start && microsecond < end) return microsecond;
  }
  return undefined;
}

/** The records of a microsecond of a page; `undefined` if there are none. */
function anchorAt(edges: readonly Edge<BalanceChange>[], microsecond: bigint | undefined): Anchor | undefined {
  if (microsecond === undefined) return undefined;
  const keys = new Set<string>();
  for (let index = edges.length - 1; index >= 0; index--) {
    const { node } = edges[index] as Edge<BalanceChange>;
    if (isIn(node, microsecond)) keys.add(keyOf(node));
    else if (keys.size > 0) break;
  }
  return keys.size === 0 ? undefined : { microsecond, keys };
}

const minimumOf = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || b === undefined ? a : minimum(a, b);

const isIn = ({ timestamp }: BalanceChange, microsecond: bigint) => microsecondOf(BigInt(timestamp)) === microsecond;

/**
 * The microsecond from which on a page may not be complete: that of its last record, or of its block, whose records can be missing.
 */
function lastMicrosecond({ edges, block }: Pick<RangePage, "edges" | "block">, { newestFirst }: ReadingOrder): bigint {
  const last = microsecondOf(BigInt(edges.at(-1)?.node.timestamp ?? 0));
  return newestFirst || block === undefined ? last : minimum(last, microsecondOf(block.timestamp));
}

/** The records of a range of time, of edges in order of time. */
function recordsBetween(edges: readonly Edge<BalanceChange>[], start: bigint, end: bigint): BalanceChange[] {
  const isOutside = (edge: Edge<BalanceChange> | undefined) => {
    const time = BigInt(edge?.node.timestamp ?? 0);
    return time < start || time >= end;
  };
  let [from, to] = [0, edges.length];
  while (from < to && isOutside(edges[from])) from++;
  while (from < to && isOutside(edges[to - 1])) to--;
  return edges.slice(from, to).map(({ node }) => node);
}
