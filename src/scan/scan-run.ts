import { operations } from "../../generated/operations.js";
import type { BalanceChange, BalanceChangesDateRange } from "../../generated/types.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import { untilAborted } from "../async/abort.js";
import type { Batches } from "../async/item-iterator.js";
import { Semaphore } from "../async/semaphore.js";
import { annotate, VegaError } from "../errors/index.js";
import type { Coverage } from "../errors/vega-error.js";
import type { Connection } from "../evidence/connection.js";
import { coverageUpTo, laterOf, type NodePage, type ReceivedPage } from "../evidence/page.js";
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
import { aligned, type Range, type ReadingOrder, readingOrder } from "./timeline.js";

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
  /** Unix nanoseconds. Default: from the oldest record, to the current block at the first response. */
  readonly #range: OpenRange;
  /** One for each request that the filter takes. */
  readonly #readers: readonly SegmentReader[];
  /** The share of each reader. */
  readonly #share: { readonly concurrency: number; readonly bufferSize: number };
  /** The latest block of a page. */
  #block: Block | undefined;
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
    const check = (page: ReceivedPage<BalanceChange>, response: Response) => checkPage(operation, page, response);
    this.maxItems = options.maxItems;
    this.signal = options.signal;
    this.#operation = operation;
    this.#options = options;
    this.#order = readingOrder(options.newestFirst);
    this.#isWanted = isWanted;
    this.#range = { start: start > 0n ? start : undefined, end };
    this.#share = { concurrency: Math.max(1, Math.floor(concurrency / parts.length)), bufferSize };
    this.#readers = parts.map(
      (filters) =>
        new SegmentReader({
          operation,
          order: this.#order,
          pageSize: Math.min(pageSize, Math.max(smallestPage, bufferSize)),
          start: start > 0n ? microsecondOf(start) : undefined,
          ignoresMissingHistory,
          reader: listReader<BalanceChange>({ ...list, operation: listOperation, filters, catchUp, check }),
          run: (send) => semaphore.run(() => this.#send(send)),
        }),
    );
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
    const { start = 0n } = this.#range;
    const isEndShown = this.#block !== undefined && !this.#hasPageWithoutBlock;
    // A range can begin after the newest block.
    const end = this.#range.end && maximum(this.#range.end, start);
    const shown = this.#readers.map(({ completeFrom }) => completeFrom).reduce(maximum, start);
    const whole = {
      start: end === undefined ? shown : minimum(shown, end),
      end: isEndShown ? end : undefined,
      block: this.#block,
    };
    if (taken === undefined) return whole;
    const last = this.#last?.[taken - 1];
    return coverageUpTo(last && BigInt(last.timestamp), whole, this.#order.newestFirst);
  }

  async #send(send: (signal: AbortSignal) => Promise<NodePage<BalanceChange>>): Promise<NodePage<BalanceChange>> {
    const page = await untilAborted(this.signal, this.#controller, send);
    const { block } = page.extra;
    this.#pagesRead++;
    if (block === undefined) this.#hasPageWithoutBlock = true;
    this.#block = laterOf(this.#block, block);
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
    const { start, end: wantedEnd } = this.#range;
    const { newestFirst, ignoresMissingHistory } = this.#options;
    const [firstReader] = this.#readers;
    const isEmpty = start !== undefined && wantedEnd !== undefined && start >= wantedEnd;
    if (firstReader === undefined || isEmpty) return new MergedParts([], this.#order);
    const from = start && microsecondOf(start);
    // A range that begins too early is refused before records are yielded, whichever end they come from.
    if (from !== undefined && newestFirst && !ignoresMissingHistory) await firstReader.checkHistory(from);
    // It is unknown how many records have to be read for that many wanted ones.
    const maxItems = this.#isWanted ? Number.POSITIVE_INFINITY : this.maxItems;
    // An open end is fixed once, by the first response.
    const size = pageSizeFor(maxItems, firstReader.pageSize);
    const openRange = { start: from, end: undefined };
    const page = wantedEnd === undefined ? await firstReader.fetch(openRange, { size, isFirst: true }) : undefined;
    const end = wantedEnd ?? (await this.#findEnd(page));
    this.#range.end = end;
    const times = { start: start ?? 0n, end };
    const parts = this.#readers.map((reader) => {
      const first = reader === firstReader && page && this.#isUsable(page, times) ? page : undefined;
      return new PartScan({ ...this.#share, reader, times, maxItems, first });
    });
    return new MergedParts(parts, this.#order);
  }

  /** The end of a scan without an end: all that is final, or if the node names no block, what is there. */
  async #findEnd(first: RangePage | undefined): Promise<bigint> {
    if (first?.block) return finalTime(first.block.timestamp);
    const { edges = [], hasMore = true } = first ?? {};
    const shown = this.#order.newestFirst ? edges.at(0) : hasMore ? undefined : edges.at(-1);
    const isShown = shown !== undefined && this.#readers.length === 1;
    const newest = isShown ? [shown.node] : await Promise.all(this.#readers.map((reader) => reader.newest()));
    return newest.map((record) => BigInt(record?.timestamp ?? -1)).reduce(maximum) + 1n;
  }

  /** Whether a page shows what is before the end. Newest first, all its records can be of blocks that are not final. */
  #isUsable({ edges }: RangePage, times: Range): boolean {
    const last = edges.at(-1);
    const { compare, firstOf } = this.#order;
    return last === undefined || compare(microsecondAt(last.node), firstOf(aligned(times))) >= 0;
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #describe(error: unknown, unread: Range | undefined): unknown {
    const rest = this.#rest(unread);
    const needed = `the time ${describeTime(rest.end ?? rest.start ?? 0n)}`;
    const described = NotShown.is(error) ? behindError(this.#operation, needed, error.shown?.block, undefined) : error;
    if (!VegaError.is(described)) return described;
    const { start = 0n, end } = rest;
    const { availableFrom } = described as { availableFrom?: bigint };
    const from =
      availableFrom === undefined ? rest.start : maximum(start, minimum(availableFrom, end ?? availableFrom));
    const resume = toDateRange({ start: from, end });
    return annotate(described, { resume, pagesRead: this.#pagesRead, itemsRead: this.#itemsRead });
  }

  #rest(unread: Range | undefined): OpenRange {
    const { start, end } = this.#range;
    if (unread === undefined || end === undefined) return { start, end };
    const [from, to] = [toTime(unread.start), toTime(unread.end)];
    return this.#order.newestFirst ? { start, end: minimum(to, end) } : { start: maximum(from, start ?? 0n), end };
  }
}

const toDateRange = ({ start, end }: OpenRange): BalanceChangesDateRange => ({
  ...(start !== undefined && { startTimestamp: `${start}` }),
  ...(end !== undefined && { endTimestamp: `${end}` }),
});
