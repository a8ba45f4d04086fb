import { operations } from "../../generated/operations.js";
import type { BalanceChange, BalanceChangesDateRange } from "../../generated/types.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import { untilAborted } from "../async/abort.js";
import type { Batches } from "../async/item-iterator.js";
import { Semaphore } from "../async/semaphore.js";
import { annotate, VegaError } from "../errors/index.js";
import type { Coverage } from "../errors/vega-error.js";
import type { Connection } from "../evidence/connection.js";
import type { NodePage, ReceivedPage } from "../evidence/page.js";
import { listReader } from "../evidence/reader.js";
import { behindError, describeTime } from "../evidence/reading-errors.js";
import { select } from "../evidence/sender.js";
import type { Block } from "../http/call.js";
import type { CallSettings } from "../http/call-options.js";
import { NotShown } from "../http/expectation.js";
import type { OperationRoute } from "../http/route.js";
import { splitFilters } from "../list/filters.js";
import { maximum, minimum } from "../values/integers.js";
import { finalTime, microsecondOf, toTime } from "../values/times.js";
import { MergedParts } from "./merge.js";
import { PartScan, pageSizeFor } from "./part.js";
import { checkPage, microsecondAt } from "./records.js";
import type { ScanSettings } from "./scan-options.js";
import { type OpenRange, type RangePage, SegmentReader } from "./segment-reader.js";
import { aligned, newestFirst, oldestFirst, type Range, type ReadingOrder } from "./timeline.js";

/** How the pages of a scan are requested. */
export interface ScannedList {
  connection: Connection;
  route: OperationRoute;
  call: CallSettings;
}

const listOperation = operations.listBalanceChanges;

/** How many pages are read before the caller needs them, for each request that may be in flight. */
const prefetchedPages = 5;

/** The smallest page of one of several requests: a filter that was split often must not take a request for each record. */
const smallestPage = 100;

/** One scan of balance changes from its first request to its last: of the list operation, by ranges of time. */
export class ScanRun implements Batches<BalanceChange> {
  readonly maxItems: number;
  readonly signal: AbortSignal | undefined;
  readonly #operation: string;
  readonly #options: ScanSettings;
  readonly #controller = new AbortController();
  readonly #order: ReadingOrder;
  /** Which records are yielded. Default: all are. */
  readonly #isWanted: ((record: BalanceChange) => boolean) | undefined;
  /** Unix nanoseconds. Default: from the oldest record, to the current block. */
  readonly #start: bigint | undefined;
  readonly #end: bigint | undefined;
  /** One for each request that the filter takes. */
  readonly #readers: readonly SegmentReader[];
  /** The share of each reader. */
  readonly #share: { readonly concurrency: number; readonly bufferSize: number };
  /** The latest block of a page. */
  #block: Block | undefined;
  /** What is read, in Unix nanoseconds, once its end is known. */
  #times: Range | undefined;
  #hasPageWithoutBlock = false;
  #parts: MergedParts | undefined;
  /** The last records that were returned. */
  #last: readonly BalanceChange[] | undefined;
  #pagesRead = 0;
  #itemsRead = 0;

  constructor(list: ScannedList, { dateRange, ...given }: CheckedArguments, options: ScanSettings) {
    const { connection, call } = list;
    const { operation } = list.route;
    const { pageSize, catchUp, ignoresMissingHistory } = options;
    const { filters, isWanted } = select<BalanceChange>(listOperation, given);
    const { start = 0n, end } = timesOf({ dateRange }, listOperation.range);
    const parts = splitFilters(filters);
    const concurrency = options.concurrency * (call.node === undefined ? connection.nodeCount : 1);
    const bufferSize = Math.floor((prefetchedPages * concurrency * pageSize) / parts.length);
    const semaphore = new Semaphore(concurrency);
    this.maxItems = options.maxItems;
    this.signal = options.signal;
    this.#operation = operation;
    this.#options = options;
    this.#order = options.newestFirst ? newestFirst : oldestFirst;
    this.#isWanted = isWanted;
    this.#start = start > 0n ? start : undefined;
    this.#end = end;
    this.#share = { concurrency: Math.max(1, Math.floor(concurrency / parts.length)), bufferSize };
    this.#readers = parts.map((filters) => {
      const check = (page: ReceivedPage<BalanceChange>, response: Response) =>
        checkPage(operation, page.request, page, response);
      return new SegmentReader({
        operation,
        order: this.#order,
        pageSize: Math.min(pageSize, Math.max(smallestPage, bufferSize)),
        start: this.#start && microsecondOf(this.#start),
        ignoresMissingHistory,
        reader: listReader<BalanceChange>({ ...list, operation: listOperation, filters, catchUp, check }),
        run: (send) => semaphore.run(() => this.#send(send)),
      });
    });
  }

  /** Ends every request of the scan. */
  end(): void {
    this.#controller.abort();
  }

  /**
   * What the scan covers. Without a block, nothing shows that the end was reached.
   *
   * @param taken - How many of the last records were yielded, of the time of the last one perhaps not all.
   */
  coverage(taken?: number): Coverage {
    const isEndShown = this.#block !== undefined && !this.#hasPageWithoutBlock;
    // A range can begin after the newest block.
    const end = this.#times && maximum(this.#times.end, this.#start ?? 0n);
    const shown = this.#readers.map(({ completeFrom }) => completeFrom).reduce(maximum, this.#start ?? 0n);
    const start = end === undefined ? shown : minimum(shown, end);
    const whole = { start, end: isEndShown ? end : undefined, block: this.#block };
    if (taken === undefined) return whole;
    const last = this.#last?.[taken - 1];
    const time = last && BigInt(last.timestamp);
    if (!this.#order.newestFirst) return { ...whole, end: time ?? start };
    return { ...whole, start: time === undefined ? (whole.end ?? start) : time + 1n };
  }

  async #send(send: (signal: AbortSignal) => Promise<NodePage<BalanceChange>>): Promise<NodePage<BalanceChange>> {
    const page = await untilAborted(this.#options.signal, this.#controller, send);
    const { block } = page.extra;
    this.#pagesRead++;
    if (block === undefined) this.#hasPageWithoutBlock = true;
    if (block && (this.#block === undefined || block.timestamp > this.#block.timestamp)) this.#block = block;
    return page;
  }

  /** The next records; `undefined` at the end. */
  async next(): Promise<readonly BalanceChange[] | undefined> {
    let unread: Range | undefined;
    try {
      this.#parts ??= await this.#begin();
      const next = await this.#parts.next();
      if (next !== undefined && "error" in next) {
        unread = next.unread;
        throw next.error;
      }
      this.#last = this.#isWanted ? next?.filter(this.#isWanted) : next;
      this.#itemsRead += this.#last?.length ?? 0;
      return this.#last;
    } catch (error) {
      throw this.#describe(error, unread);
    }
  }

  async #begin(): Promise<MergedParts> {
    // How many are read for so many that are wanted is not known.
    const maxItems = this.#isWanted ? Number.POSITIVE_INFINITY : this.maxItems;
    const [firstReader] = this.#readers;
    const isEmpty = this.#start !== undefined && this.#end !== undefined && this.#start >= this.#end;
    if (firstReader === undefined || isEmpty) return new MergedParts([], this.#order);
    const start = this.#start === undefined ? undefined : microsecondOf(this.#start);
    // A range that begins too early is refused before records are yielded, whichever end they come from.
    const { newestFirst, ignoresMissingHistory } = this.#options;
    if (start !== undefined && newestFirst && !ignoresMissingHistory) await firstReader.checkHistory(start);
    // An open end is fixed once, by the first response.
    const { pageSize } = firstReader;
    const size = pageSizeFor(this.#isWanted ? pageSize : this.maxItems, pageSize);
    const openRange = { start, end: undefined };
    const first = this.#end === undefined ? await firstReader.fetch(openRange, { size, isFirst: true }) : undefined;
    const times = { start: this.#start ?? 0n, end: this.#end ?? (await this.#findEnd(first)) };
    this.#times = times;
    const range = aligned(times.start, times.end);
    const last = first?.edges.at(-1);
    // Newest first, the first page can have nothing but records of blocks that are not final.
    const isUsable =
      last === undefined || this.#order.compare(microsecondAt(last.node), this.#order.firstOf(range)) >= 0;
    const parts = this.#readers.map(
      (reader) =>
        new PartScan({
          ...this.#share,
          reader,
          first: reader === firstReader && isUsable ? first : undefined,
          range,
          times,
          maxItems,
        }),
    );
    return new MergedParts(parts, this.#order);
  }

  /** The end of a scan without an end: all that is final, or if the node names no block, what is there. */
  async #findEnd(first: RangePage | undefined): Promise<bigint> {
    if (first?.block) return finalTime(first.block.timestamp);
    const { edges = [], hasMore = true } = first ?? {};
    const shown = this.#order.newestFirst ? edges.at(0) : hasMore ? undefined : edges.at(-1);
    const isShown = shown !== undefined && this.#readers.length === 1;
    const newest = isShown ? [shown.node] : await Promise.all(this.#readers.map((reader) => reader.newest()));
    const times = newest.map((record) => (record === undefined ? -1n : BigInt(record.timestamp)));
    return times.reduce(maximum) + 1n;
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #describe(error: unknown, unread: Range | undefined): unknown {
    const rest = this.#rest(unread);
    const needed = `the time ${describeTime(rest.end ?? rest.start ?? 0n)}`;
    const described = NotShown.is(error) ? behindError(this.#operation, needed, error.shown?.block, undefined) : error;
    if (!VegaError.is(described)) return described;
    const { availableFrom } = described as { availableFrom?: bigint };
    const start =
      availableFrom === undefined
        ? rest.start
        : maximum(rest.start ?? 0n, minimum(availableFrom, rest.end ?? availableFrom));
    const { resume = toDateRange({ ...rest, start }) } = described;
    return annotate(described, { resume, pagesRead: this.#pagesRead, itemsRead: this.#itemsRead });
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
