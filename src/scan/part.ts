import type { BalanceChange } from "../../generated/types.js";
import { ignore } from "../async/item-iterator.js";
import { NotShown } from "../http/expectation.js";
import { maximum, minimum } from "../values/integers.js";
import { microsecondOf, toTime } from "../values/times.js";
import { microsecondAt } from "./records.js";
import { decide, type Failure, type Segment } from "./scheduler.js";
import type { Anchor, RangePage, SegmentReader } from "./segment-reader.js";
import { aligned, isEmpty, lengthOf, type Range } from "./timeline.js";

const emptyRange: Range = { start: 0n, end: 0n };

const newSegment = (range: Range, density?: number): Segment => ({
  range,
  unread: range,
  batches: [],
  buffered: 0,
  isBusy: false,
  density,
  anchor: undefined,
  failure: undefined,
});

export interface PartOptions {
  reader: SegmentReader;
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
  readonly #range: Range;
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
    this.#range = aligned(options.times);
    this.#segments = isEmpty(this.#range) ? [] : [newSegment(this.#range)];
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
      if (isEmpty(head.unread)) {
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
    const { concurrency, bufferSize, reader } = this.#options;
    while (this.#busy < concurrency) {
      const decision = decide(this.#segments, {
        limit: Math.min(this.#left, bufferSize),
        pageSize: this.#pageSize,
        fullPages: this.#fullPages,
        splits: this.#splits,
      });
      if (decision === undefined) return;
      const { length } = decision;
      const segment = length === undefined ? decision.segment : this.#split(decision.segment, length);
      segment.isBusy = true;
      this.#busy++;
      this.#read(segment)
        .catch((error: unknown) => {
          if (!this.#segments.includes(segment)) return;
          const failed = this.#splitAtBlock(segment, error) ?? segment;
          // Everything to the end of the range is not yielded.
          failed.failure = { unread: reader.order.from(this.#range, reader.order.firstOf(failed.unread)), error };
        })
        .finally(() => {
          segment.isBusy = false;
          this.#busy--;
          this.#startRequests();
          this.#wake();
        });
    }
  }

  /** Splits a segment, and returns its second half. */
  #split(segment: Segment, length: bigint): Segment {
    const { order } = this.#options.reader;
    const [first, second] = order.split(segment.unread, length);
    segment.unread = first;
    segment.range = order.newestFirst ? { ...segment.range, start: first.start } : { ...segment.range, end: first.end };
    const added = newSegment(second, segment.density);
    this.#segments.splice(this.#segments.indexOf(segment) + 1, 0, added);
    this.#splits++;
    return added;
  }

  /** Returns what no node has reached, as a segment of its own. What comes before is read to its end. */
  #splitAtBlock(segment: Segment, error: unknown): Segment | undefined {
    const { unread } = segment;
    const { block } = (NotShown.is(error) && error.lack === "block" && error.shown) || {};
    if (block === undefined || this.#options.reader.order.newestFirst) return undefined;
    const reached = microsecondOf(block.timestamp);
    return reached > unread.start && reached < unread.end ? this.#split(segment, reached - unread.start) : undefined;
  }

  /** Reads one page of a segment. */
  async #read(segment: Segment): Promise<void> {
    const { reader, times } = this.#options;
    const { order } = reader;
    const isNeeded = segment === this.#segments[0] && segment.buffered === 0;
    const size = isNeeded ? pageSizeFor(this.#left, reader.pageSize) : reader.pageSize;
    const { anchor, unread: requested } = segment;
    const page = this.#first ?? (await reader.fetch(requested, { size, anchor }));
    this.#first = undefined;
    if (!this.#segments.includes(segment)) return;
    if (!order.newestFirst && anchor === undefined && !this.#beginsWithoutGap(segment, page)) {
      this.#join(segment);
      return;
    }
    // Meanwhile, a split can have shortened the segment. From here on it is not split.
    const range = lengthOf(segment.unread) < lengthOf(requested) ? segment.unread : requested;
    segment.density = undefined;
    const reading = await reader.complete(range, page, times);
    if (!this.#segments.includes(segment)) return;
    const { records, unread } = reading;
    const whole = segment.unread;
    segment.unread = unread ?? emptyRange;
    segment.anchor = reading.anchor ?? anchor;
    segment.buffered += records.length;
    if (records.length > 0) segment.batches.push(records);
    // Meanwhile, the segment after it can have been joined to it.
    if (lengthOf(whole) > lengthOf(range)) segment.unread = this.#restOf(segment, whole);
    if (unread === undefined) {
      const next = this.#segments[this.#segments.indexOf(segment) + 1];
      if (order.newestFirst && next && !this.#beginsWithoutGap(segment, reading)) this.#join(next);
      return;
    }
    const length = lengthOf(range) - lengthOf(unread) - (order.newestFirst ? 0 : silenceBefore(range, page));
    const pageLength = page.edges.length;
    segment.density = records.length / Math.max(1, length);
    this.#fullPages++;
    this.#pageSize = this.#fullPages === 1 ? pageLength : Math.max(pageLength, this.#pageSize);
  }

  /** Whether a page shows that no record is missing from the start of a segment on. */
  #beginsWithoutGap({ range: { start } }: Segment, { completeFrom }: Pick<RangePage, "completeFrom">): boolean {
    return start === this.#range.start || completeFrom <= toTime(start);
  }

  /**
   * Joins a segment to the one before, which reads on from its last record: the page of one of them does not show that no record is
   * between them. There are records before: a scan is split only after a full page.
   */
  #join(segment: Segment): void {
    const index = this.#segments.indexOf(segment);
    const { range } = segment;
    const before = this.#segments[index - 1];
    // What was requested of it is requested again, as after a split.
    this.#splits++;
    if (before === undefined) {
      segment.anchor = this.#anchor;
      segment.unread = this.#restOf({ ...segment, unread: emptyRange }, range);
      return;
    }
    before.range = { start: minimum(before.range.start, range.start), end: maximum(before.range.end, range.end) };
    before.unread = this.#restOf(before, before.range);
    this.#segments.splice(index, 1);
  }

  /** What is left of a range: from where a segment continues, or from its last record on, with what is missing after that. */
  #restOf({ unread, anchor }: Segment, range: Range): Range {
    const { order } = this.#options.reader;
    const last = anchor && anchor.microsecond + BigInt(order.sign);
    return order.from(range, isEmpty(unread) ? (last ?? order.firstOf(range)) : order.firstOf(unread));
  }
}

/** The time from the start of the chain's clock to the first record of a range without a start, in microseconds. */
function silenceBefore({ start }: Range, { edges: [first] }: RangePage): number {
  return start > 0n || first === undefined ? 0 : Number(microsecondAt(first.node) - start);
}
