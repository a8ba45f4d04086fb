import type { BalanceChange, BalanceChangesDateRange } from "../../generated/types.js";
import { untilAborted } from "../async/abort.js";
import type { Batches, ItemBatch } from "../async/item-iterator.js";
import { Semaphore } from "../async/semaphore.js";
import { annotate, type Coverage, VegaError } from "../errors/index.js";
import { coverageUpTo } from "../list/coverage.js";
import type { History } from "../list/history.js";
import { type ListRequest, type ListSource, listsOf } from "../list/open-list.js";
import { forward, largestPage, type NodePage, timeOf } from "../list/page.js";
import { isEmptyRange, type OpenRange, planWalk, type WalkPlan } from "../list/plan.js";
import { type ListPage, readPage } from "../list/read-page.js";
import { startOf } from "../list/state.js";
import { readWalkOptions } from "../list/walk-options.js";
import { type Block, finalTime, laterOf } from "../values/block.js";
import { maximum, minimum } from "../values/integers.js";
import { microsecondFrom, toTime } from "../values/times.js";
import { MergedParts } from "./merge.js";
import { neededFor, type PartOptions, PartScan } from "./part.js";
import type { ScanSettings } from "./scan-options.js";
import { type Range, type ReadingOrder, readingOrder } from "./timeline.js";

/*
 * A scan reads balance changes of a range with several requests at once:
 *
 *   range ─▶ segments, each a walk ─▶ batches in order ─▶ caller
 *
 * It begins with one segment, the whole range. When a page has arrived and a request is free, `nextRequest` (in
 * `scheduler.ts`) divides what is left of the longest waiting segment among the free requests. A segment is requested
 * from a few records before its start, and oldest first up to a few after its end, which show that nothing is missing
 * there. A filter that does not fit a URL makes several parts, whose records `MergedParts` puts in order. The number of
 * records that are read before the caller needs them is bounded. The coverage begins where every part is complete.
 */

/** How many pages are read before the caller needs them, for each request that may be in flight. */
const prefetchedPages = 5;

export class ScanRun implements Batches<BalanceChange> {
  readonly signal: AbortSignal | undefined;
  readonly #operation: string;
  readonly #options: ScanSettings;
  readonly #controller = new AbortController();
  readonly #order: ReadingOrder;
  /** Which records are yielded. Default: all are. */
  readonly #isWanted: ((record: BalanceChange) => boolean) | undefined;
  /** Default: from the oldest record, to the current block at the first response. */
  readonly #range: OpenRange;
  readonly #isEmpty: boolean;
  /** The first microsecond of it. */
  readonly #start: bigint;
  /** One for each request that the filter takes. */
  readonly #plans: readonly WalkPlan<BalanceChange>[];
  /** The concurrency and the buffer of each plan. */
  readonly #share: { readonly concurrency: number; readonly bufferSize: number };
  #block: Block | undefined;
  #hasPageWithoutBlock = false;
  #parts: readonly PartScan[] = [];
  #merged: MergedParts | undefined;
  /** The first and the last record that were read, wanted or not. */
  #first: BalanceChange | undefined;
  #last: BalanceChange | undefined;
  /** Where the rest begins, if an error ends a scan that is oldest first. A part can be complete only from there on. */
  #readTo: bigint | undefined;
  #isAtEnd = false;
  /** How many segments needed further requests to prove their start. */
  #proofs = 0;
  #pagesRead = 0;
  #itemsRead = 0;

  constructor(list: ListRequest<BalanceChange>, options: ScanSettings) {
    const { id, connection, call } = list;
    const { pageSize = largestPage, catchUp, newestFirst, ignoresMissingHistory } = options;
    const { range = {}, isWanted, lists } = listsOf(list, catchUp);
    const concurrency = options.concurrency * (call.node === undefined ? connection.nodeCount : 1);
    const bufferSize = Math.ceil((prefetchedPages * concurrency * pageSize) / lists.length);
    const semaphore = new Semaphore(concurrency);
    this.signal = options.signal;
    this.#operation = id;
    this.#options = options;
    this.#order = readingOrder(newestFirst);
    this.#isWanted = isWanted;
    this.#range = range;
    this.#isEmpty = isEmptyRange(range);
    this.#start = microsecondFrom(range.start ?? 0n);
    this.#share = { concurrency: Math.max(1, Math.floor(concurrency / lists.length)), bufferSize };
    this.#plans = lists.map((source) =>
      planWalk({
        ...source,
        ...readWalkOptions(),
        pagination: { newestFirst },
        pageSize,
        isFixed: true,
        endsAtHistory: newestFirst && (range.start === undefined || ignoresMissingHistory),
        history: this.#countedHistory(source, connection.isPool),
        fetchPage: async (request, expectation, signal) => {
          const page = await semaphore.run(() => source.fetchPage(request, expectation, signal));
          this.#pagesRead++;
          this.#noteBlock(page);
          return page;
        },
      }),
    );
  }

  end(): void {
    this.#controller.abort();
  }

  coverage(): Coverage {
    return this.#isAtEnd ? this.#wholeCoverage() : this.#coverageTo(this.#last);
  }

  #wholeCoverage(): Coverage {
    const { start = 0n, end: wantedEnd } = this.#range;
    // Without a block, nothing shows that the end of the range was reached. An empty one is not read.
    const isEndShown = this.#isEmpty || (this.#block !== undefined && !this.#hasPageWithoutBlock);
    // A range can begin after the newest block.
    const end = wantedEnd === undefined ? undefined : maximum(wantedEnd, start);
    const shown = maximum(start, this.#completeFrom);
    return {
      start: end === undefined ? shown : minimum(shown, end),
      end: isEndShown ? end : undefined,
      block: this.#block,
    };
  }

  #coverageTo(record: BalanceChange | undefined): Coverage {
    const { newestFirst } = this.#order;
    const { start = 0n, end } = this.#range;
    const none = newestFirst && end !== undefined ? maximum(end, start) : start;
    const time = this.#readTo ?? (record && BigInt(record.timestamp));
    return coverageUpTo(time, this.#wholeCoverage(), newestFirst, none);
  }

  /** The time from which on no part lacks a record, as far as pages have shown it. */
  get #completeFrom(): bigint {
    return this.#parts.reduce((from, { completeFrom }) => maximum(from, completeFrom), 0n);
  }

  /** Proves the starts of segments, and of the range unless the caller ignores it. Counts the requests for that. */
  #countedHistory(source: ListSource<BalanceChange>, isPool: boolean): History<BalanceChange> | undefined {
    const { history, fetchPage } = source;
    const { ignoresMissingHistory } = this.#options;
    if (history === undefined) return undefined;
    return {
      ...history,
      prove: async (proof, signal) => {
        const { page, request, expectation, start } = proof;
        if (page.completeFrom <= start) return page;
        const isStart = start === toTime(this.#start);
        // A pool reads the node that keeps the most.
        if (isStart && ignoresMissingHistory)
          return isPool ? fetchPage(request, { ...expectation, historyFrom: start }, signal) : page;
        if (!isStart) this.#proofs++;
        const proved = await history.prove(proof, signal);
        this.#noteBlock(proved);
        return proved;
      },
    };
  }

  #noteBlock({ extra: { block } }: NodePage<BalanceChange>): void {
    if (block === undefined) {
      this.#hasPageWithoutBlock = true;
      if (this.#plans.length > 1) throw partsWithoutBlock(this.#operation);
    }
    this.#block = laterOf(this.#block, block);
  }

  async next(): Promise<ItemBatch<BalanceChange> | undefined> {
    let unread: Range | undefined;
    const left = this.#options.maxItems - this.#itemsRead;
    try {
      this.#merged ??= await this.#begin();
      const next = left > 0 ? await this.#merged.next() : undefined;
      if (next !== undefined && "error" in next) {
        unread = next.unread;
        throw next.error;
      }
      if (next === undefined) {
        await this.#proveParts();
        this.#isAtEnd = left > 0;
        return undefined;
      }
      const wanted = this.#isWanted ? next.filter(this.#isWanted) : next;
      const items = wanted.slice(0, left);
      const before = this.#last;
      const last = wanted.length >= left ? items.at(-1) : next.at(-1);
      this.#last = last;
      this.#first ??= next[0];
      this.#itemsRead += items.length;
      return {
        items,
        coverage: (used) => this.#coverageTo(used === items.length ? last : (items[used - 1] ?? before)),
      };
    } catch (error) {
      throw this.#withResume(error, unread);
    }
  }

  async #begin(): Promise<MergedParts> {
    const { start, end: wantedEnd } = this.#range;
    const { maxItems } = this.#options;
    const [first] = this.#plans;
    if (first === undefined || this.#isEmpty) return new MergedParts([], this.#order);
    // It is unknown how many records have to be read for that many wanted ones.
    const needed = this.#isWanted ? Number.POSITIVE_INFINITY : maxItems;
    const read: PartOptions["read"] = (plan, state, left) =>
      this.#run((signal) => readPage(plan, state, { signal, left }));
    // An open end is fixed once, by the first response.
    const open = { ...first, range: { start: start && toTime(this.#start) } };
    const page = wantedEnd === undefined ? await read(open, startOf(open), neededFor(needed)) : undefined;
    const end = wantedEnd ?? (await this.#findEnd(first, page));
    this.#range.end = end;
    // A node leaves out the first record behind a cursor that is after the end, such as a cursor of the current block.
    // Without block headers, the end comes from another response, whose node can be ahead.
    const isUsable = page?.block !== undefined && page.nodes.every(({ timestamp }) => BigInt(timestamp) < end);
    const options = {
      ...this.#share,
      order: this.#order,
      range: { start: this.#start, end: microsecondFrom(end) },
      maxItems: needed,
      read,
      // Without a block, nothing shows that a segment was read to its end.
      countProofs: () => (this.#block ? this.#proofs : Number.POSITIVE_INFINITY),
    };
    this.#parts = this.#plans.map(
      (plan) => new PartScan({ ...options, plan, first: isUsable && plan === first ? page : undefined }),
    );
    return new MergedParts(this.#parts, this.#order);
  }

  /**
   * Without a start, the first record of a part shows nothing about the time between the first record of all parts and
   * itself.
   */
  async #proveParts(): Promise<void> {
    const { start: given, end } = this.#range;
    const oldest = this.#order.newestFirst ? this.#last : this.#first;
    if (given !== undefined || oldest === undefined || this.#parts.length < 2) return;
    const start = BigInt(oldest.timestamp);
    await Promise.all(
      this.#parts.map(async (part, index) => {
        if (part.completeFrom <= start) return;
        const plan = this.#plans[index] as WalkPlan<BalanceChange>;
        const oldestFirst = { ...plan, pagination: { newestFirst: false }, endsAtHistory: true, range: { start, end } };
        try {
          const page = await this.#run((signal) => readPage(oldestFirst, startOf(oldestFirst), { signal, left: 1 }));
          const isShown =
            page.completeFrom <= start && page.nodes.every((first) => BigInt(first.timestamp) >= part.completeFrom);
          // A page without records that is not proved would be requested once more.
          if (isShown && (page.nodes[0] ?? !page.onward(forward))) part.completeFrom = start;
        } catch (error) {
          // The records are there: only the coverage begins later.
          if (!VegaError.is(error)) throw error;
        }
      }),
    );
  }

  #run<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return untilAborted(this.signal, this.#controller, send);
  }

  /** The end of a scan without an end: the block of a response, or without block headers the newest record. */
  async #findEnd(plan: WalkPlan<BalanceChange>, page: ListPage<BalanceChange> | undefined): Promise<bigint> {
    if (page?.block) return finalTime(page.block.timestamp);
    const newest = { ...plan, pagination: { newestFirst: true }, range: {} };
    const { block, last } = await this.#run((signal) =>
      readPage(newest, startOf(newest), { signal, left: 1, isAlone: true }),
    );
    return block ? finalTime(block.timestamp) : (timeOf(last) ?? -1n) + 1n;
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #withResume(error: unknown, unread: Range | undefined): unknown {
    if (!VegaError.is(error)) return error;
    let { start, end } = this.#range;
    const { availableFrom } = error as { availableFrom?: bigint };
    // Between the last record and an older segment, others can be missing. If the node has dropped records meanwhile,
    // they can also be missing between two segments that were read.
    const bound = availableFrom ?? BigInt(this.#last?.timestamp ?? 0);
    if (unread && this.#order.newestFirst) end = maximum(toTime(unread.end), minimum(this.#completeFrom, bound));
    // If nothing was returned yet, the coverage does not tell whether records before the first one are missing.
    else if (unread && this.#last) start = this.#readTo = toTime(unread.start);
    if (availableFrom !== undefined) start = maximum(start ?? 0n, minimum(availableFrom, end ?? availableFrom));
    const resume = { dateRange: toDateRange({ start, end }) };
    return annotate(error, { resume, pagesRead: this.#pagesRead, itemsRead: this.#itemsRead });
  }
}

/** A part whose node is behind would end before the others. */
const partsWithoutBlock = (operation: string): VegaError =>
  new VegaError(
    `${operation} got a response without X-Block-Height and X-Block-Timestamp, which show that all requests of this ` +
      "filter reach the same time. Use a node or a proxy that sends them, or fewer parties.",
    { operation },
  );

const toDateRange = ({ start, end }: OpenRange): BalanceChangesDateRange => ({
  ...(start !== undefined && { startTimestamp: `${start}` }),
  ...(end !== undefined && { endTimestamp: `${end}` }),
});
