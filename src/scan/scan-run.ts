import type { BalanceChange, BalanceChangesDateRange } from "../../generated/types.js";
import { VegaError } from "../errors/index.js";
import { fetchUntilAborted } from "../http/index.js";
import { FilterScan, pageSizeFor } from "./filter-scan.js";
import type { History } from "./history.js";
import { HistoryCheck, toDateRange } from "./history-check.js";
import { MergedScan } from "./merged-scan.js";
import { checkPage, type FetchRange, type RangePage, type RangeRequest, type SpreadRanges } from "./range-page.js";
import { findEnd } from "./scan-end.js";
import type { ScanWalkOptions } from "./scan-options.js";
import { SegmentReader } from "./segment-reader.js";
import { Semaphore } from "./semaphore.js";
import { aligned, microsecondOf, newestFirst, oldestFirst, type Range, type ReadingOrder, toTime } from "./timeline.js";

/** What a scan reads. It is opened when the scan is used: wrong arguments and options are a rejection then. */
export interface ScanSource {
  operation: string;
  open(): {
    /** Unix nanoseconds. Default: from the oldest record, to the block that has begun. */
    start: bigint | undefined;
    end: bigint | undefined;
    /** One for each request that the filter takes. */
    fetchRanges: readonly FetchRange[];
    /** Fetches without a filter. */
    fetchAny: FetchRange;
    /** Set if the client has several nodes. */
    nodes?: SpreadRanges | undefined;
  };
  history: History;
}

/** How many pages are prefetched for each request that may be in flight. */
const prefetchedPages = 12;
/** The smallest page of one request: a scan whose filter was split often must not take a request for each record. */
const smallestPage = 100;

/** One scan from its first request to its last. */
export class ScanRun {
  readonly #operation: string;
  readonly #options: ScanWalkOptions;
  readonly #controller: AbortController;
  readonly #order: ReadingOrder;
  readonly #historyCheck: HistoryCheck | undefined;
  readonly #start: bigint | undefined;
  readonly #end: bigint | undefined;
  readonly #readers: readonly SegmentReader[];
  /** The share of each reader. */
  readonly #share: { readonly concurrency: number; readonly bufferSize: number };
  /** What is read, in Unix nanoseconds, once its end is known. */
  #times: Range | undefined;
  #scan: MergedScan | undefined;
  #pagesRead = 0;
  #itemsRead = 0;

  /** @param controller - Ends every request of the scan. */
  constructor({ operation, open, history }: ScanSource, options: ScanWalkOptions, controller: AbortController) {
    // This comes first, because it checks the options.
    const { start, end, fetchRanges, fetchAny, nodes } = open();
    const { order, pageSize = 5000, missingHistory } = options;
    const concurrency = (options.concurrency ?? 4) * (nodes?.count ?? 1);
    this.#operation = operation;
    this.#options = options;
    this.#controller = controller;
    this.#order = order === "newest-first" ? newestFirst : oldestFirst;
    this.#start = start !== undefined && start > 0n ? start : undefined;
    this.#end = end;
    const semaphore = new Semaphore(concurrency);
    const send = (fetch: FetchRange, request: RangeRequest) => semaphore.run(() => this.#send(fetch, request));
    if (missingHistory !== "ignore" && this.#start !== undefined) {
      const fetchFirst = async () => (await send(fetchAny, { size: 1, newestFirst: false })).edges[0]?.node;
      this.#historyCheck = new HistoryCheck(operation, this.#start, nodes ?? history, fetchFirst);
    }
    this.#share = {
      concurrency: Math.max(1, Math.floor(concurrency / fetchRanges.length)),
      bufferSize: Math.floor((prefetchedPages * concurrency * pageSize) / fetchRanges.length),
    };
    this.#readers = fetchRanges.map((fetchRange) => {
      const fetch = (request: RangeRequest) => send(fetchRange, request);
      const size = Math.min(pageSize, Math.max(smallestPage, this.#share.bufferSize));
      return new SegmentReader({ operation, order: this.#order, pageSize: size, fetch });
    });
  }

  async #send(fetch: FetchRange, request: RangeRequest): Promise<RangePage> {
    const { signal } = this.#options;
    const page = await fetchUntilAborted(signal, this.#controller, (signal) => fetch(request, signal));
    checkPage(this.#operation, request, page);
    this.#pagesRead++;
    return page;
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
    const { maxItems = Number.POSITIVE_INFINITY } = this.#options;
    const [firstReader, ...otherReaders] = this.#readers;
    const isEmpty = this.#start !== undefined && this.#end !== undefined && this.#start >= this.#end;
    if (firstReader === undefined || isEmpty) return new MergedScan([], this.#order);
    const requested = {
      start: this.#start === undefined ? undefined : microsecondOf(this.#start),
      end: this.#end === undefined ? undefined : aligned(0n, this.#end).end,
    };
    const [firstPage] = await Promise.all([
      firstReader.fetch(requested, pageSizeFor(maxItems, firstReader.pageSize)),
      this.#historyCheck?.load(),
    ]);
    const times = { start: this.#start ?? 0n, end: await findEnd(this.#end, firstPage, this.#readers) };
    this.#times = times;
    this.#historyCheck?.check(times);
    const range = aligned(times.start, times.end);
    // Without the time before the first record, the first page shows how densely records come.
    const [oldestEdge] = this.#order.newestFirst || otherReaders.length > 0 ? [] : firstPage.edges;
    const start =
      this.#start === undefined && oldestEdge ? microsecondOf(BigInt(oldestEdge.node.timestamp)) : range.start;
    const scans = this.#readers.map((reader) => {
      const first = reader === firstReader ? firstPage : undefined;
      return new FilterScan({ ...this.#share, reader, first, range: { ...range, start }, times, maxItems });
    });
    return new MergedScan(scans, this.#order);
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
    if (this.#order.newestFirst) return toDateRange(this.#start, to < end ? to : end);
    return toDateRange(this.#start === undefined || from > this.#start ? from : this.#start, end);
  }
}
