import type { BalanceChange, BalanceChangesDateRange } from "../../generated/types.js";
import { VegaError } from "../errors/index.js";
import { fetchUntilAborted } from "../pagination/step.js";
import type { History } from "./history.js";
import { HistoryCheck, toDateRange } from "./history-check.js";
import { MergedScan } from "./merged-scan.js";
import { PartScan, pageSizeFor } from "./part-scan.js";
import { checkPage, type FetchRange, type RangePage, type RangeRequest, type SpreadRanges } from "./range-page.js";
import { SegmentReader } from "./segment-reader.js";
import { Semaphore } from "./semaphore.js";
import { aligned, microsecondOf, newestFirst, oldestFirst, type Range, toTime } from "./timeline.js";

/** What a scan reads. It is opened when the scan is used: wrong arguments and options are a rejection then. */
export interface ScanSource {
  operation: string;
  open(): OpenedSource;
  history: History;
}

/** The checked arguments of a scan, and the requests that follow from them. */
export interface OpenedSource {
  /** Unix nanoseconds. Default: from the oldest record, to the block that has begun. */
  start: bigint | undefined;
  end: bigint | undefined;
  /** One for each request that the filter takes. */
  fetchRanges: readonly FetchRange[];
  /** Fetches without a filter. */
  fetchAny: FetchRange;
  /** Set if the client has several nodes. */
  nodes?: SpreadRanges | undefined;
}

/** The checked options of a scan. */
export interface ScanRunOptions {
  isNewestFirst: boolean;
  maxItems: number;
  concurrency: number;
  pageSize: number;
  checksHistory: boolean;
  /** The caller's. */
  signal: AbortSignal | undefined;
  /** Ends every request of the scan. */
  controller: AbortController;
}

/** How many pages are prefetched for each request that may be in flight. */
const prefetchedPages = 12;
/** The smallest page of one part: a scan whose filter was split often must not take a request for each record. */
const smallestPage = 100;

/** One scan from its first request to its last. */
export class ScanRun {
  readonly #operation: string;
  readonly #options: ScanRunOptions;
  readonly #historyCheck: HistoryCheck | undefined;
  readonly #start: bigint | undefined;
  readonly #end: bigint | undefined;
  readonly #readers: readonly SegmentReader[];
  /** What is read, in Unix nanoseconds, once its end is known. */
  #times: Range | undefined;
  #scan: MergedScan | undefined;
  #pagesRead = 0;
  #itemsRead = 0;

  constructor(
    { operation, history }: ScanSource,
    { start, end, fetchRanges, fetchAny, nodes }: OpenedSource,
    options: ScanRunOptions,
  ) {
    this.#operation = operation;
    this.#options = options;
    this.#start = start !== undefined && start > 0n ? start : undefined;
    this.#end = end;
    const fetchFirst = async () => (await this.#send(fetchAny, { size: 1, newestFirst: false })).edges[0]?.node;
    if (options.checksHistory && this.#start !== undefined) {
      this.#historyCheck = new HistoryCheck(operation, this.#start, nodes ?? history, fetchFirst);
    }
    const semaphore = new Semaphore(options.concurrency);
    const order = options.isNewestFirst ? newestFirst : oldestFirst;
    const partSize = Math.max(smallestPage, Math.floor(this.#bufferSize / fetchRanges.length));
    const pageSize = Math.min(options.pageSize, partSize);
    this.#readers = fetchRanges.map((fetchRange) => {
      const fetch = (request: RangeRequest) => semaphore.run(() => this.#send(fetchRange, request));
      return new SegmentReader({ operation, order, pageSize, fetch });
    });
  }

  async #send(fetch: FetchRange, request: RangeRequest): Promise<RangePage> {
    const { signal, controller } = this.#options;
    const page = await fetchUntilAborted(signal, controller, (signal) => fetch(request, signal));
    checkPage(this.#operation, request, page);
    this.#pagesRead++;
    return page;
  }

  get #bufferSize(): number {
    return prefetchedPages * this.#options.concurrency * this.#options.pageSize;
  }

  /** The next records; `undefined` at the end. */
  async next(): Promise<readonly BalanceChange[] | undefined> {
    let unread: Range | undefined;
    try {
      this.#scan ??= await this.#begin();
      const next = await this.#scan.next();
      if (next !== undefined && "error" in next) {
        unread = next.unread;
        throw next.error;
      }
      if (next === undefined) await this.#checkHistoryAgain();
      this.#itemsRead += next?.length ?? 0;
      return next;
    } catch (error) {
      throw this.#describe(error, unread);
    }
  }

  async #begin(): Promise<MergedScan> {
    const { isNewestFirst, maxItems, concurrency } = this.#options;
    const [firstReader, ...otherReaders] = this.#readers;
    const isEmpty = this.#start !== undefined && this.#end !== undefined && this.#start >= this.#end;
    if (firstReader === undefined || isEmpty) return new MergedScan([], isNewestFirst);
    const requested = {
      start: this.#start === undefined ? undefined : microsecondOf(this.#start),
      end: this.#end === undefined ? undefined : aligned(0n, this.#end).end,
    };
    const [first] = await Promise.all([
      firstReader.fetch(requested, pageSizeFor(maxItems, firstReader.pageSize)),
      this.#historyCheck?.load(),
    ]);
    const end = await this.#findEnd(first);
    const times = { start: this.#start ?? 0n, end };
    this.#times = times;
    this.#historyCheck?.check(times);
    const range = aligned(times.start, times.end);
    // Without the time before the first record, the first page shows how densely records come.
    const [oldestEdge] = isNewestFirst || otherReaders.length > 0 ? [] : first.edges;
    const start =
      this.#start === undefined && oldestEdge ? microsecondOf(BigInt(oldestEdge.node.timestamp)) : range.start;
    const common = { range: { ...range, start }, times, maxItems };
    const share = {
      concurrency: Math.max(1, Math.floor(concurrency / this.#readers.length)),
      bufferSize: Math.floor(this.#bufferSize / this.#readers.length),
    };
    const scans = this.#readers.map(
      (reader) => new PartScan({ ...common, ...share, reader, first: reader === firstReader ? first : undefined }),
    );
    return new MergedScan(scans, isNewestFirst);
  }

  /**
   * The end of what is read. Everything before the microsecond of the block that had begun is final: v0.74 nodes show the
   * records of a block at once when it ends.
   */
  async #findEnd({ blockTime, edges, hasMore }: RangePage): Promise<bigint> {
    const end = this.#end;
    if (blockTime !== undefined) {
      const begun = toTime(microsecondOf(blockTime));
      return end === undefined || end > begun ? begun : end;
    }
    if (end !== undefined) return end;
    const shown = this.#options.isNewestFirst ? edges.at(0) : hasMore ? undefined : edges.at(-1);
    const newest =
      shown && this.#readers.length === 1
        ? [shown.node]
        : await Promise.all(this.#readers.map((reader) => reader.newest()));
    const times = newest.map((record) => (record === undefined ? -1n : BigInt(record.timestamp)));
    return times.reduce((a, b) => (a > b ? a : b)) + 1n;
  }

  /** A node can drop old records while a scan is reading. */
  async #checkHistoryAgain(): Promise<void> {
    await this.#historyCheck?.reload();
    if (this.#times) this.#historyCheck?.check({ start: this.#times.end, end: this.#times.end });
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #describe(error: unknown, unread: Range | undefined): unknown {
    if (!VegaError.is(error)) return error;
    const { resume = this.#rest(unread) } = error;
    return Object.assign(error, { resume, pagesRead: this.#pagesRead, itemsRead: this.#itemsRead });
  }

  #rest(unread: Range | undefined): BalanceChangesDateRange {
    const end = this.#times?.end ?? this.#end;
    if (unread === undefined || end === undefined) return toDateRange(this.#start, end);
    const [from, to] = [toTime(unread.start), toTime(unread.end)];
    if (this.#options.isNewestFirst) return toDateRange(this.#start, to < end ? to : end);
    return toDateRange(this.#start === undefined || from > this.#start ? from : this.#start, end);
  }
}
