import type { BalanceChange, BalanceChangesDateRange } from "../../generated/types.js";
import { untilAborted } from "../async/abort.js";
import { Semaphore } from "../async/semaphore.js";
import { annotate, VegaError } from "../errors/index.js";
import type { Block } from "../http/block.js";
import { NotShown } from "../http/demand.js";
import { smallestPage } from "../pagination/merge/split.js";
import { behindError, describeTime, prunedError } from "../source/reading-errors.js";
import { maximum, minimum } from "../values/integers.js";
import { microsecondOf, toTime } from "../values/microseconds.js";
import type { Coverage } from "./coverage.js";
import { FilterScan, pageSizeFor } from "./filter-scan.js";
import { MergedScan } from "./merged-scan.js";
import { checkPage, type FetchRange, type RangeDemand, type RangePage, type RangeRequest } from "./range-page.js";
import { findEnd } from "./scan-end.js";
import type { ScanSettings } from "./scan-options.js";
import { type OpenRange, SegmentReader } from "./segment-reader.js";
import { aligned, newestFirst, oldestFirst, type Range, type ReadingOrder } from "./timeline.js";

/** What a scan reads. */
export interface ScanSource {
  operation: string;
  /** Unix nanoseconds. Default: from the oldest record, to the current block. */
  start: bigint | undefined;
  end: bigint | undefined;
  /** One for each request that the filter takes. */
  fetchRanges: readonly FetchRange[];
  /** How many nodes the client has. */
  nodeCount: number;
}

/** How many pages are prefetched for each request that may be in flight. */
const prefetchedPages = 12;

/** One scan from its first request to its last. */
export class ScanRun {
  readonly #operation: string;
  readonly #options: ScanSettings;
  readonly #controller: AbortController;
  readonly #order: ReadingOrder;
  readonly #nodeCount: number;
  readonly #start: bigint | undefined;
  readonly #end: bigint | undefined;
  readonly #readers: readonly SegmentReader[];
  /** The share of each reader. */
  readonly #share: { readonly concurrency: number; readonly bufferSize: number; readonly maxBufferedBytes: number };
  /** The time from which on the nodes keep records, if that is less than what was wanted. */
  #availableFrom: bigint | "any" | undefined;
  /** The latest block of a page. */
  #block: Block | undefined;
  /** The time of the oldest record of a page, in Unix nanoseconds. */
  #oldest: bigint | undefined;
  /** What is read, in Unix nanoseconds, once its end is known. */
  #times: Range | undefined;
  #scan: MergedScan | undefined;
  #requests = 0;
  #pagesRead = 0;
  #itemsRead = 0;

  /** @param controller - Ends every request of the scan. */
  constructor(source: ScanSource, options: ScanSettings, controller: AbortController) {
    const { operation, start, end, fetchRanges, nodeCount } = source;
    const { pageSize, maxBufferedBytes } = options;
    const concurrency = options.concurrency * nodeCount;
    this.#operation = operation;
    this.#options = options;
    this.#controller = controller;
    this.#order = options.newestFirst ? newestFirst : oldestFirst;
    this.#nodeCount = nodeCount;
    this.#start = start !== undefined && start > 0n ? start : undefined;
    this.#end = end;
    const semaphore = new Semaphore(concurrency);
    this.#share = {
      concurrency: Math.max(1, Math.floor(concurrency / fetchRanges.length)),
      bufferSize: Math.floor((prefetchedPages * concurrency * pageSize) / fetchRanges.length),
      maxBufferedBytes: maxBufferedBytes / fetchRanges.length,
    };
    this.#readers = fetchRanges.map((fetchRange) => {
      const fetch = (request: RangeRequest, demand: RangeDemand) =>
        semaphore.run(() => this.#send(fetchRange, request, demand));
      const size = Math.min(pageSize, Math.max(smallestPage, this.#share.bufferSize));
      return new SegmentReader({ operation, order: this.#order, pageSize: size, fetch });
    });
  }

  /** What the scan covers, once all of it was yielded. Without a block, nothing shows that the end was reached. */
  get coverage(): Coverage {
    const start = typeof this.#availableFrom === "bigint" ? this.#availableFrom : this.#start;
    return { start, end: this.#block && this.#times?.end, block: this.#block };
  }

  /** What it covers, if only the records up to this one were yielded, of its time perhaps not all. */
  coverageUpTo(last: BalanceChange | undefined): Coverage {
    const whole = this.coverage;
    const time = last && BigInt(last.timestamp);
    if (this.#order.newestFirst) return { ...whole, start: time === undefined ? whole.end : time + 1n };
    return { ...whole, end: time ?? whole.start ?? 0n };
  }

  async #send(fetch: FetchRange, request: RangeRequest, demand: RangeDemand): Promise<RangePage> {
    const { signal } = this.#options;
    for (;;) {
      const isStrict = this.#isStrictFrom(demand.reach);
      const own = { ...demand, reach: isStrict ? this.#notBeforeStart(demand.reach) : this.#leastReach(demand.reach) };
      // A range that begins too early is refused before records are yielded, whichever end they come from.
      if (this.#requests++ === 0) delete own.holdsStart;
      try {
        const page = await untilAborted(signal, this.#controller, (signal) => fetch(request, signal, own));
        checkPage(this.#operation, request, page);
        this.#note(page);
        return page;
      } catch (error) {
        if (!NotShown.is(error) || error.lack !== "history") throw error;
        const { availableFrom } = error;
        if (isStrict && availableFrom !== undefined) throw error;
        // What is left is read from the nodes that keep the most.
        this.#availableFrom = availableFrom ?? "any";
      }
    }
  }

  #note({ block, edges }: RangePage): void {
    this.#pagesRead++;
    if (block && (this.#block === undefined || block.timestamp > this.#block.timestamp)) this.#block = block;
    for (const { node } of [edges.at(0), edges.at(-1)].flatMap((edge) => edge ?? [])) {
      const time = BigInt(node.timestamp);
      if (this.#oldest === undefined || time < this.#oldest) this.#oldest = time;
    }
  }

  /** Whether records after a time must not be missing: the caller wants them, or earlier ones were read. */
  #isStrictFrom(time: bigint | undefined): boolean {
    const isWanted = this.#start !== undefined && !this.#options.ignoresMissingHistory;
    return isWanted || (time !== undefined && this.#oldest !== undefined && this.#oldest < time);
  }

  #notBeforeStart(time: bigint | undefined): bigint | undefined {
    if (this.#availableFrom === "any") return undefined;
    return time !== undefined && this.#start !== undefined && time < this.#start ? this.#start : time;
  }

  /** The time that a node has to reach back to, if what is left is wanted: a single node is read as it is. */
  #leastReach(time: bigint | undefined): bigint | undefined {
    if (time === undefined || this.#nodeCount === 1 || this.#availableFrom === "any") return undefined;
    return this.#availableFrom !== undefined && time < this.#availableFrom ? this.#availableFrom : time;
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
      this.#itemsRead += next?.length ?? 0;
      return next;
    } catch (error) {
      throw this.#describe(error, unread);
    }
  }

  async #begin(): Promise<MergedScan> {
    const { maxItems } = this.#options;
    const [firstReader] = this.#readers;
    const isEmpty = this.#start !== undefined && this.#end !== undefined && this.#start >= this.#end;
    if (firstReader === undefined || isEmpty) return new MergedScan([], this.#order);
    const start = this.#start === undefined ? undefined : microsecondOf(this.#start);
    // An open end is fixed once, by the first response.
    const first = this.#end === undefined ? await this.#fetchFirst(firstReader, start) : undefined;
    const times = { start: this.#start ?? 0n, end: this.#end ?? (await findEnd(first, this.#readers)) };
    this.#times = times;
    const range = aligned(times.start, times.end);
    const scans = this.#readers.map(
      (reader) =>
        new FilterScan({
          ...this.#share,
          reader,
          first: reader === firstReader ? first : undefined,
          range,
          times,
          maxItems,
        }),
    );
    return new MergedScan(scans, this.#order);
  }

  #fetchFirst(reader: SegmentReader, start: bigint | undefined): Promise<RangePage> {
    const size = pageSizeFor(this.#options.maxItems, reader.pageSize);
    return reader.fetch({ start, end: undefined }, { size, isFirst: true });
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #describe(error: unknown, unread: Range | undefined): unknown {
    const described = NotShown.is(error) ? this.#errorOf(error, unread) : error;
    if (!VegaError.is(described)) return described;
    const { resume = toDateRange(this.#rest(unread)) } = described;
    return annotate(described, { resume, pagesRead: this.#pagesRead, itemsRead: this.#itemsRead });
  }

  #errorOf({ lack, shown, availableFrom = 0n }: NotShown, unread: Range | undefined): VegaError {
    const rest = this.#rest(unread);
    if (lack !== "history") {
      return behindError(
        this.#operation,
        `the time ${describeTime(rest.end ?? rest.start ?? 0n)}`,
        shown?.block,
        toDateRange(rest),
      );
    }
    const advice = 'pass `missingHistory: "ignore"` to read what is left';
    const available = rest.end !== undefined && rest.end < availableFrom ? rest.end : availableFrom;
    const resume = toDateRange({ ...rest, start: maximum(rest.start ?? 0n, available) });
    return prunedError(this.#operation, rest.start ?? 0n, availableFrom, advice, resume);
  }

  #rest(unread: Range | undefined): OpenRange {
    const start = this.#start;
    const end = this.#times?.end ?? this.#end;
    if (unread === undefined || end === undefined) return { start, end };
    const [from, to] = [toTime(unread.start), toTime(unread.end)];
    return this.#order.newestFirst ? { start, end: minimum(to, end) } : { start: maximum(from, start ?? 0n), end };
  }
}

const toDateRange = ({ start, end }: OpenRange): BalanceChangesDateRange => ({
  ...(start !== undefined && { startTimestamp: `${start}` }),
  ...(end !== undefined && { endTimestamp: `${end}` }),
});
