import type { BalanceChange } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import { edgesAfter } from "../evidence/judge.js";
import { type Edge, edgesOf, forward, type ListRequest, type NodePage, withRoom } from "../evidence/page.js";
import type { ListReader } from "../evidence/reader.js";
import { gapError, prunedError } from "../evidence/reading-errors.js";
import type { Block } from "../http/call.js";
import { type Expectation, type KnownRecord, NotShown } from "../http/expectation.js";
import { identify } from "../list/cursors.js";
import { type Continuation, fromNeighbor, fromRecordBefore } from "../list/repair.js";
import { maximum, minimum } from "../values/integers.js";
import { microsecondOf, toTime } from "../values/times.js";
import { compareRecords, microsecondAt } from "./records.js";
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
  /** The current block; `undefined` if the node does not say. */
  block: Block | undefined;
  /** The time from which on no record is missing, in Unix nanoseconds. */
  completeFrom: bigint;
}

/** The records at the start of a range, and what is left of it. */
export interface SegmentReading {
  records: readonly BalanceChange[];
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

/** What is requested besides the range. */
export interface PageOptions {
  size: number;
  /** Known records that the page has to show. */
  anchor?: Anchor | undefined;
  /** Set for a page within a microsecond that has more records than a page. */
  from?: Continuation;
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

  /** Fetches a page of a range. Known records can be before the range, in reading order. */
  async fetch(range: OpenRange, { size, anchor, from, isFirst }: PageOptions): Promise<RangePage> {
    const { newestFirst } = this.order;
    const { start: scanStart = 0n, reader, run, ignoresMissingHistory } = this.#options;
    const start = anchor && !newestFirst ? minimum(range.start ?? 0n, anchor.microsecond) : range.start;
    const end = anchor && newestFirst ? maximum(range.end ?? 0n, anchor.microsecond + 1n) : range.end;
    // Known records at the start of a page show that the node keeps what follows.
    const isScanStart = (range.start ?? 0n) === scanStart;
    const decidesStart = isScanStart && (newestFirst || (anchor ?? from) === undefined);
    const request: ListRequest = {
      pagination: { first: size, newestFirst, ...(from?.cursor !== undefined && { after: from.cursor }) },
      start: start === undefined || start <= 1n ? undefined : toTime(start) - lead,
      end: end === undefined ? undefined : toTime(end),
    };
    const minBlockAtEnd = range.end === undefined ? undefined : toTime(range.end);
    const expectation: Expectation = {
      isFresh: isFirst,
      needsBlock: true,
      // Also a range without an end begins in the past of its node.
      minBlock: newestFirst && minBlockAtEnd ? minBlockAtEnd : range.start && toTime(range.start + 1n),
      minBlockAtEnd,
      continuesFrom: from?.continuesFrom ?? (anchor && { records: anchor.records }),
      historyFrom: decidesStart ? toTime(scanStart) : undefined,
    };
    const read = decidesStart && !ignoresMissingHistory ? reader.readOldest : reader.read;
    try {
      const { edges, pageInfo, extra, ...page } = await run((signal) => read(request, expectation, signal));
      if (page.availableFrom !== undefined) throw this.#pruned(toTime(scanStart), page.availableFrom);
      if (decidesStart) {
        const completeFrom = end === undefined ? page.completeFrom : minimum(page.completeFrom, toTime(end));
        this.#completeFrom = maximum(this.#completeFrom, completeFrom);
      }
      return {
        edges: edgesOf({ edges, pageInfo }, forward),
        hasMore: pageInfo?.hasNextPage ?? false,
        block: extra.block,
        completeFrom: page.completeFrom,
      };
    } catch (error) {
      if (!NotShown.is(error) || error.lack !== "place" || anchor === undefined) throw error;
      // Records of a whole day are dropped at once, also while they are read.
      await this.checkHistory(anchor.microsecond);
      throw gapError(this.#options.operation, toTime(anchor.microsecond), undefined);
    }
  }

  /** Rejects if nodes do not keep the records from a microsecond on. */
  async checkHistory(microsecond: bigint): Promise<void> {
    const { reader, run } = this.#options;
    const start = toTime(microsecond);
    const { availableFrom } = await run((signal) => reader.readHistory(start, signal));
    if (availableFrom !== undefined) throw this.#pruned(start, availableFrom);
  }

  #pruned(start: bigint, availableFrom: bigint): PaginationError {
    const advice = 'pass `missingHistory: "ignore"` to read what is left';
    return prunedError(this.#options.operation, start, availableFrom, advice, undefined);
  }

  /** The newest record of all. */
  async newest(): Promise<BalanceChange | undefined> {
    const { reader, run } = this.#options;
    const { edges } = await run((signal) => reader.read({ pagination: { first: 1, newestFirst: true } }, {}, signal));
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
    let last = lastMicrosecond(page, order);
    while (page.hasMore && order.compare(last, order.firstOf(range)) <= 0) {
      const { edges } = page;
      const next = await this.#pageAfter(range, edges);
      page = { ...next, edges: [...edges, ...next.edges] };
      last = lastMicrosecond(page, order);
    }
    const { edges, hasMore, completeFrom } = page;
    const rest = order.from(range, last);
    const unread = hasMore && !isEmpty(rest) ? rest : undefined;
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
    const inRange = edges.map(({ node }) => microsecondAt(node)).filter(isInRange);
    const known = unread ? last : inRange.at(-1);
    return { records: distinct, unread, completeFrom, anchor: anchorAt(edges, known) };
  }

  /** The page after others of the same range, within a microsecond that has more records than a page. */
  async #pageAfter(range: Range, edges: RangePage["edges"]): Promise<RangePage> {
    const last = edges.at(-1);
    const after = fromRecordBefore(edges);
    if (last === undefined || after === undefined) throw this.#tooDense(range);
    const at = microsecondAt(last.node);
    // The known records can be before the range, in reading order.
    const whole = this.order.newestFirst
      ? { ...range, end: maximum(range.end, at + 1n) }
      : { ...range, start: minimum(range.start, at) };
    // Of a single record, the page is requested again with room for more.
    const from = after.only ? fromNeighbor([], after) : after;
    try {
      const page = await this.fetch(whole, { size: withRoom(this.pageSize, from.overlap), from });
      const next = (from.continuesFrom && edgesAfter(page.edges, from.continuesFrom)) ?? page.edges;
      if (next.length > 0 || !page.hasMore) return { ...page, edges: next };
    } catch (error) {
      throw NotShown.is(error) && error.lack === "place"
        ? gapError(this.#options.operation, BigInt(last.node.timestamp), undefined)
        : error;
    }
    throw this.#tooDense(range);
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
