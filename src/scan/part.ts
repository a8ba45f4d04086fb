import type { BalanceChange } from "../../generated/types.js";
import { ignore } from "../async/item-iterator.js";
import { NotShown } from "../http/expectation.js";
import { microsecondOf, toTime } from "../values/times.js";
import { microsecondAt } from "./records.js";
import { decide, type SegmentState } from "./scheduler.js";
import type { Anchor, RangePage, SegmentReader } from "./segment-reader.js";
import { isEmpty, lengthOf, type Range } from "./timeline.js";

/** Where a scan could not continue. What comes before was yielded. */
export interface Failure {
  /** What was not read. */
  unread: Range;
  error: unknown;
}

const emptyRange: Range = { start: 0n, end: 0n };

interface Segment extends SegmentState {
  /** All of it, what was read included. */
  range: Range;
  unread: Range | undefined;
  batches: (readonly BalanceChange[])[];
  buffered: number;
  isBusy: boolean;
  density: number | undefined;
  /** Known records where it continues, or where it has ended. */
  anchor: Anchor | undefined;
  /** Counts how often it began. The response to a request of an earlier beginning is not used. */
  beginnings: number;
  /** Whether it is read only once the segment before has ended. */
  isWaiting: boolean;
  failure: Failure | undefined;
}

const newSegment = (range: Range, density?: number): Segment => ({
  range,
  unread: range,
  batches: [],
  buffered: 0,
  isBusy: false,
  density,
  anchor: undefined,
  beginnings: 0,
  isWaiting: false,
  failure: undefined,
});

export interface PartOptions {
  reader: SegmentReader;
  range: Range;
  /** What the caller wants, in Unix nanoseconds. */
  times: Range;
  maxItems: number;
  concurrency: number;
  /** How many records are read before the caller needs them. */
  bufferSize: number;
  /** The first page of the range, if it was fetched already. */
  first?: RangePage | undefined;
}

/** The size of a page for a caller who needs so many records. Some more show where the last block ends. */
export const pageSizeFor = (left: number, pageSize: number): number => Math.min(pageSize, left + 100);

/** Scans one filter: segments that are read concurrently and yielded one after the other. */
export class PartScan {
  readonly #options: PartOptions;
  readonly #segments: Segment[];
  #first: RangePage | undefined;
  #left: number;
  #busy = 0;
  #splits = 0;
  #fullPages = 0;
  /** Where the segments have ended that were yielded. */
  #anchor: Anchor | undefined;
  /** How many records a full page has. */
  #pageSize: number;
  #wake: () => void = ignore;

  constructor(options: PartOptions) {
    this.#options = options;
    this.#segments = isEmpty(options.range) ? [] : [newSegment(options.range)];
    this.#first = options.first;
    this.#left = options.maxItems;
    this.#pageSize = options.reader.pageSize;
  }

  /** The next records; a failure once everything before it was yielded; `undefined` at the end. */
  async next(): Promise<readonly BalanceChange[] | Failure | undefined> {
    for (;;) {
      const [head] = this.#segments;
      if (head === undefined || this.#left <= 0) return undefined;
      const batch = head.batches.shift();
      if (batch) {
        head.buffered -= batch.length;
        this.#left -= batch.length;
        this.#startRequests();
        return batch;
      }
      if (head.failure) return head.failure;
      if (head.unread === undefined) {
        this.#anchor = head.anchor ?? this.#anchor;
        this.#segments.shift();
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#startRequests();
      });
    }
  }

  #startRequests(): void {
    const { concurrency, bufferSize, range, reader } = this.#options;
    const { order } = reader;
    while (this.#busy < concurrency) {
      const decision = decide(this.#segments, {
        limit: Math.min(this.#left, bufferSize),
        pageSize: this.#pageSize,
        fullPages: this.#fullPages,
        splits: this.#splits,
      });
      if (decision === undefined) return;
      const { index } = decision;
      const segment = decision.action === "read" ? this.#segments[index] : this.#split(index, decision.length);
      if (segment === undefined) return;
      segment.isBusy = true;
      this.#busy++;
      const { beginnings } = segment;
      this.#read(segment)
        .catch((error: unknown) => {
          if (segment.beginnings !== beginnings) return;
          const failed = this.#splitAtBlock(segment, error) ?? segment;
          // Everything to the end of the range is not yielded.
          const first = order.firstOf(failed.unread ?? emptyRange);
          failed.failure = { unread: order.from(range, first), error };
        })
        .finally(() => {
          if (segment.beginnings === beginnings) segment.isBusy = false;
          this.#busy--;
          this.#startRequests();
          this.#wake();
        });
    }
  }

  /** Splits a segment, and returns its second half. */
  #split(index: number, length: bigint): Segment | undefined {
    const segment = this.#segments[index];
    if (segment?.unread === undefined) return undefined;
    const { order } = this.#options.reader;
    const [first, second] = order.split(segment.unread, length);
    segment.unread = first;
    segment.range = order.newestFirst ? { ...segment.range, start: first.start } : { ...segment.range, end: first.end };
    const added = newSegment(second, segment.density);
    this.#segments.splice(index + 1, 0, added);
    this.#splits++;
    return added;
  }

  /** Returns what no node has reached, as a segment of its own. What comes before is read to its end. */
  #splitAtBlock(segment: Segment, error: unknown): Segment | undefined {
    const { unread } = segment;
    const { block } = (NotShown.is(error) && error.lack === "block" && error.shown) || {};
    if (block === undefined || unread === undefined || this.#options.reader.order.newestFirst) return undefined;
    const reached = microsecondOf(block.timestamp);
    if (reached <= unread.start || reached >= unread.end) return undefined;
    return this.#split(this.#segments.indexOf(segment), reached - unread.start);
  }

  /** Reads one page of a segment. */
  async #read(segment: Segment): Promise<void> {
    const { reader, times } = this.#options;
    const isNeeded = segment === this.#segments[0] && segment.buffered === 0;
    const size = isNeeded ? pageSizeFor(this.#left, reader.pageSize) : reader.pageSize;
    const { anchor, beginnings } = segment;
    const isFirstPage = anchor === undefined;
    const page = this.#first ?? (await reader.fetch(segment.unread ?? emptyRange, { size, anchor }));
    this.#first = undefined;
    if (segment.beginnings !== beginnings) return;
    const { newestFirst } = reader.order;
    const isWithoutGap = (completeFrom: bigint) =>
      segment.range.start === this.#options.range.start || completeFrom <= toTime(segment.range.start);
    if (!newestFirst && isFirstPage && !isWithoutGap(page.completeFrom)) {
      return this.#restart(this.#segments.indexOf(segment));
    }
    // A split can have shortened the segment while the request was in flight. From here on it is not split.
    const range = segment.unread ?? emptyRange;
    segment.density = undefined;
    const reading = await reader.complete(range, page, times);
    if (segment.beginnings !== beginnings) return;
    const { records, pageLength, unread, completeFrom, anchor: next = anchor } = reading;
    segment.unread = unread;
    segment.anchor = next;
    segment.buffered += records.length;
    if (records.length > 0) segment.batches.push(records);
    if (unread === undefined) {
      const waiting = this.#segments.findIndex(({ isWaiting }) => isWaiting);
      if (newestFirst && !isWithoutGap(completeFrom)) this.#restart(this.#segments.indexOf(segment) + 1);
      else if (waiting >= 0) this.#restart(waiting);
      return;
    }
    const length = lengthOf(range) - lengthOf(unread) - (newestFirst ? 0 : silenceBefore(range, page));
    segment.density = records.length / Math.max(1, length);
    this.#fullPages++;
    this.#pageSize = this.#fullPages === 1 ? pageLength : Math.max(pageLength, this.#pageSize);
  }

  /**
   * Reads a segment again from where the one before has ended, once it has: its own first page does not show that no record is between
   * them. There are records before: a scan is split only after a full page.
   */
  #restart(index: number): void {
    const segment = this.#segments[index];
    if (segment === undefined) return;
    // What was requested of it is requested again, as after a split.
    if (!segment.isWaiting) this.#splits++;
    const before = this.#segments.slice(0, index);
    const isReady = before.every(({ unread }) => unread === undefined);
    const ended = before.reverse().find(({ anchor }) => anchor);
    const anchor = isReady ? (ended?.anchor ?? this.#anchor) : undefined;
    // What is missing between the two is read, too.
    const { range } = segment;
    const { newestFirst } = this.#options.reader.order;
    const { microsecond } = anchor ?? {};
    const start = newestFirst || microsecond === undefined ? range.start : microsecond + 1n;
    const end = newestFirst && microsecond !== undefined ? microsecond : range.end;
    Object.assign(segment, {
      ...newSegment({ start, end }),
      anchor,
      isWaiting: !isReady,
      isBusy: !isReady,
      beginnings: segment.beginnings + 1,
    });
  }
}

/** The time from the start of the chain's clock to the first record of a range without a start, in microseconds. */
function silenceBefore({ start }: Range, { edges: [first] }: RangePage): number {
  return start > 0n || first === undefined ? 0 : Number(microsecondAt(first.node) - start);
}
