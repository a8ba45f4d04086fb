import type { BalanceChange } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import { edgesAfter } from "../evidence/judge.js";
import {
  blockTimeOf,
  type Edge,
  edgesOf,
  forward,
  type ListRequest,
  largestPage,
  type NodePage,
} from "../evidence/page.js";
import type { ListReader } from "../evidence/reader.js";
import { describeTime, prunedError, readingError } from "../evidence/reading-errors.js";
import type { Block } from "../http/call.js";
import { type Expectation, type KnownRecord, NotShown, type Place } from "../http/expectation.js";
import { identify } from "../list/cursors.js";
import { fromNeighbor, fromRecordBefore } from "../list/repair.js";
import { compareDigits, maximum, minimum } from "../values/integers.js";
import { microsecondOf, toTime } from "../values/times.js";
import { compareRecords, keyOf, microsecondAt } from "./records.js";
import { isEmpty, type Range, type ReadingOrder } from "./timeline.js";

/** Known records at the start of a range: the page that reads on from there begins with them. */
export interface Anchor {
  readonly microsecond: bigint;
  readonly records: readonly KnownRecord[];
}

/** A page of a range. */
export interface RangePage {
  edges: readonly Edge<BalanceChange>[];
  hasMore: boolean;
  endCursor: string | undefined;
  /** The current block; `undefined` if the node does not say. */
  block: Block | undefined;
  /** The time from which on no record is missing, in Unix nanoseconds. */
  completeFrom: bigint;
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
  /** The place where a page after a cursor continues. Default: that of the anchor. */
  continuesFrom?: Place | undefined;
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
  reader: ListReader<BalanceChange>;
  /** Sends a request when there is room for it. */
  run(send: (signal: AbortSignal) => Promise<NodePage<BalanceChange>>): Promise<NodePage<BalanceChange>>;
}

/** Requests begin a microsecond early, because the reference does not say whether the start belongs to the range. */
const lead = 1000n;

/** Reads ranges of one filter page by page. Records of one time come in the order of their natural key. */
export class SegmentReader {
  readonly order: ReadingOrder;
  readonly pageSize: number;
  readonly #options: SegmentReaderOptions;
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
  async fetch(range: OpenRange, { size, after, anchor, isFirst, ...options }: PageOptions): Promise<RangePage> {
    const { newestFirst } = this.order;
    const { microsecond, records } = anchor ?? {};
    const isAscending = !newestFirst && range.start !== undefined;
    const start = isAscending && microsecond !== undefined ? minimum(range.start ?? 0n, microsecond) : range.start;
    const end = newestFirst && microsecond !== undefined ? maximum(range.end ?? 0n, microsecond + 1n) : range.end;
    const request = {
      pagination: { first: size, newestFirst, ...(after !== undefined && { after }) },
      start: start === undefined || start <= 1n ? undefined : toTime(start),
      end: end === undefined ? undefined : toTime(end),
    };
    const { continuesFrom = records && { records } } = options;
    const minBlockAtEnd = range.end === undefined ? undefined : toTime(range.end);
    const expectation = {
      isFresh: isFirst,
      needsBlock: true,
      // Also a range without an end begins in the past of its node.
      minBlock: newestFirst && minBlockAtEnd ? minBlockAtEnd : range.start && toTime(range.start + 1n),
      minBlockAtEnd,
      continuesFrom,
    };
    // Known records at the start of a page show that the node keeps what follows.
    const isScanStart = (range.start ?? 0n) === (this.#options.start ?? 0n);
    const decidesStart = isScanStart && (newestFirst || (anchor ?? after) === undefined);
    try {
      if (!decidesStart) return rangePage(await this.#read(request, expectation));
      const page = await this.#readOldest(request, expectation);
      if (page.availableFrom !== undefined && !this.#options.ignoresMissingHistory) {
        throw this.#pruned(toTime(range.start ?? 0n), page.availableFrom);
      }
      const from = end === undefined ? page.completeFrom : minimum(page.completeFrom, toTime(end));
      this.#completeFrom = maximum(this.#completeFrom, from);
      return rangePage(page);
    } catch (error) {
      if (!NotShown.is(error) || error.lack !== "place" || microsecond === undefined) throw error;
      // Records of a whole day are dropped at once, also while they are read.
      await this.checkHistory(microsecond);
      throw this.#gap(toTime(microsecond));
    }
  }

  #read({ start, ...request }: ListRequest, expectation: Expectation): Promise<NodePage<BalanceChange>> {
    const { reader, run } = this.#options;
    return run((signal) => reader.read({ ...request, start: start && start - lead }, expectation, signal));
  }

  #readOldest(request: ListRequest, expectation: Expectation, isProbe = false): Promise<NodePage<BalanceChange>> {
    const { reader, run, ignoresMissingHistory } = this.#options;
    const options = { lead, takesWhatIsLeft: ignoresMissingHistory, isProbe };
    return run((signal) => reader.readOldest(request, expectation, signal, options));
  }

  /** Rejects if nodes do not keep the records from a microsecond on. */
  async checkHistory(microsecond: bigint): Promise<void> {
    const start = toTime(microsecond);
    const request = { pagination: { first: 1, newestFirst: false }, start };
    const { availableFrom } = await this.#readOldest(request, {}, true);
    if (availableFrom !== undefined) throw this.#pruned(start, availableFrom);
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
    const { edges } = await this.#read({ pagination: { first: 1, newestFirst: true } }, {});
    return edges[0]?.node ?? undefined;
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
    const start = maximum(toTime(read.start), times.start);
    const end = minimum(toTime(read.end), times.end);
    const isWanted = (time: bigint) => time >= start && time < end;
    const records = edges.map(({ node }) => node).filter(({ timestamp }) => isWanted(BigInt(timestamp)));
    // Records of one time come in any order, which depends on the node and on page borders.
    records.sort((a, b) => order.sign * compareRecords(a, b));
    // A node can send a record twice.
    const distinct = records.filter(
      (record, at) => at === 0 || compareRecords(record, records[at - 1] ?? record) !== 0,
    );
    const isInRange = (microsecond: bigint) => microsecond >= range.start && microsecond < range.end;
    const known = unread
      ? last
      : edges
          .map(({ node }) => microsecondAt(node))
          .filter(isInRange)
          .at(-1);
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
    const at = microsecondAt(last.node);
    // The known records can be before the range, in reading order.
    const whole = this.order.newestFirst
      ? { ...range, end: maximum(range.end, at + 1n) }
      : { ...range, start: minimum(range.start, at) };
    const way = fromRecordBefore(edges);
    if (way === undefined) throw this.#gap(BigInt(last.node.timestamp));
    // Of a single record, the page is requested again with room for more.
    const { cursor: after, overlap, continuesFrom } = way.only ? fromNeighbor([], way) : way;
    const size = Math.min(this.pageSize + overlap, Math.max(largestPage, this.pageSize));
    try {
      const page = await this.fetch(whole, { size, after, continuesFrom });
      const next = (continuesFrom && edgesAfter(page.edges, continuesFrom)) ?? page.edges;
      if (next.length > 0 || !page.hasMore) return { ...page, edges: next };
    } catch (error) {
      throw NotShown.is(error) && error.lack === "place" ? this.#gap(BigInt(last.node.timestamp)) : error;
    }
    throw this.#tooDense(range);
  }

  /** The edges of a page after another one; `undefined` if a cursor led back. */
  #edgesAfterPage(edges: RangePage["edges"], previous: RangePage["edges"]): RangePage["edges"] | undefined {
    const known = new Set(previous.map(({ node }) => keyOf(node)));
    const [first, last] = [edges.at(0)?.node.timestamp, previous.at(-1)?.node.timestamp];
    const isEarlier = first !== undefined && last !== undefined && this.order.sign * compareDigits(first, last) < 0;
    return isEarlier || edges.some(({ node }) => known.has(keyOf(node))) ? undefined : edges;
  }

  #tooDense(range: Range): PaginationError {
    const { operation } = this.#options;
    const time = toTime(this.order.firstOf(range));
    return new PaginationError(
      `${operation} found more than ${this.pageSize} records in the microsecond from ${time} on, and the node's cursors ` +
        "do not lead through them. Narrow the filter by account types, parties or markets, or continue after that time.",
      { operation, reason: "too-dense", timestamp: `${time}` },
    );
  }
}

const rangePage = ({ pageInfo, extra: { block }, completeFrom, ...page }: NodePage<BalanceChange>): RangePage => ({
  edges: edgesOf({ ...page, pageInfo }, forward),
  hasMore: pageInfo?.hasNextPage ?? false,
  endCursor: pageInfo?.endCursor,
  block,
  completeFrom,
});

/** The records of a microsecond of a page; `undefined` if there are none. */
function anchorAt(edges: RangePage["edges"], microsecond: bigint | undefined): Anchor | undefined {
  const records = edges.filter(({ node }) => microsecondAt(node) === microsecond).map(({ node }) => identify(node));
  return microsecond === undefined || records.length === 0 ? undefined : { microsecond, records };
}

/**
 * The microsecond from which on a page may not be complete: that of its last record, or of its block, whose records can be missing.
 */
function lastMicrosecond({ edges, block }: Pick<RangePage, "edges" | "block">, { newestFirst }: ReadingOrder): bigint {
  const last = microsecondOf(BigInt(edges.at(-1)?.node.timestamp ?? 0));
  return newestFirst || block === undefined ? last : minimum(last, microsecondOf(block.timestamp));
}
