import type { BalanceChange } from "../../generated/types.js";
import { ignore } from "../async/item-iterator.js";
import { PaginationError } from "../errors/index.js";
import { forward, room, withRoom } from "../list/page.js";
import type { WalkPlan } from "../list/plan.js";
import type { ListPage } from "../list/read-page.js";
import { startOf, type WalkState } from "../list/state.js";
import { maximum, minimum } from "../values/integers.js";
import { microsecondOf, toTime } from "../values/times.js";
import { type NextRecords, nextRequest, type Segment } from "./scheduler.js";
import { holds, isEmpty, lengthOf, microsecondAt, type Range, type ReadingOrder } from "./timeline.js";

export interface PartOptions {
  /** The list, of which each segment is a walk through a range. */
  plan: WalkPlan<BalanceChange>;
  order: ReadingOrder;
  range: Range;
  maxItems: number;
  concurrency: number;
  /** How many records are read before the caller needs them. */
  bufferSize: number;
  /** How many segments, of all parts, needed more requests to prove where they begin; infinite if none may be split. */
  countProofs(): number;
  /** The first page of the range, if it was read already. */
  first?: ListPage<BalanceChange> | undefined;
  read(plan: WalkPlan<BalanceChange>, state: WalkState<BalanceChange>, left: number): Promise<ListPage<BalanceChange>>;
}

/** How many records are read in addition, to find out where the last block ends. A large block takes more. */
const margin = 100;

/** How many records to read for a number of records. */
export const neededFor = (left: number): number => left + margin;

/** How many records before its start a segment is requested with, so that one shows that nothing is missing there. */
const leadIn = (pageSize: number): number => Math.min(room, Math.ceil(5 + pageSize / 50));

/** Scans one filter: segments that are read concurrently and yielded one after the other. */
export class PartScan {
  readonly #options: PartOptions;
  readonly #segments: Segment[];
  #first: ListPage<BalanceChange> | undefined;
  #left: number;
  #splits = 0;
  #fullPages = 0;
  /** How many new records the last full page had. */
  #pageSize = 1;
  /** The time from which on no record of the filter is missing, in Unix nanoseconds; 0 if no page has shown it yet. */
  completeFrom = 0n;
  #wake: () => void = ignore;

  constructor(options: PartOptions) {
    this.#options = options;
    const { range } = options;
    this.#segments = [this.#newSegment(range, range.start, range.end)];
    this.#first = options.first;
    this.#left = options.maxItems;
  }

  #newSegment(range: Range, lead: bigint, trail: bigint, density?: number): Segment {
    return {
      range,
      lead,
      trail,
      unread: range,
      state: startOf(this.#options.plan),
      held: [],
      batches: [],
      isBusy: false,
      density,
      failure: undefined,
    };
  }

  async next(): Promise<NextRecords> {
    for (;;) {
      const [head] = this.#segments;
      if (head === undefined || this.#left <= 0) return undefined;
      const batch = head.batches.shift();
      if (batch) {
        this.#left -= batch.length;
        this.#startRequests();
        return batch;
      }
      if (head.failure) return head.failure;
      if (isEmpty(head.unread)) {
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
    const { concurrency, bufferSize, order, range } = this.#options;
    for (;;) {
      const decision = nextRequest(this.#segments, {
        concurrency,
        limit: Math.min(this.#left, bufferSize),
        pageSize: this.#pageSize,
        fullPages: this.#fullPages,
        splits: this.#splits + 2 * this.#options.countProofs(),
      });
      if (decision === undefined) return;
      const { segment, length } = decision;
      if (length !== undefined) {
        this.#split(segment, length);
        continue;
      }
      segment.isBusy = true;
      this.#read(segment)
        .catch((error: unknown) => {
          const failed = this.#splitAtBlock(segment, error) ?? segment;
          // Everything to the end of the range is not yielded.
          failed.failure = { unread: order.from(range, order.firstOf(failed.unread)), error };
        })
        .finally(() => {
          segment.isBusy = false;
          this.#startRequests();
          this.#wake();
        });
    }
  }

  /** Splits a segment, and returns its second half. */
  #split(segment: Segment, length: bigint): Segment {
    const { order } = this.#options;
    const { range, density = 0 } = segment;
    const [first, second] = order.split(segment.unread, length);
    const newer = order.newestFirst ? first : second;
    // Far enough from the border that a record is likely in between.
    const before = density > 0 ? BigInt(Math.ceil(leadIn(this.#pageSize) / density)) : 0n;
    const leadOfNewer = maximum(newer.start - before, range.start);
    const { lead: leadOfOlder, trail } = segment;
    segment.unread = first;
    segment.range = order.newestFirst ? { ...range, start: first.start } : { ...range, end: first.end };
    segment.lead = order.newestFirst ? leadOfNewer : leadOfOlder;
    segment.trail = minimum(newer.start + before, range.end);
    const added = this.#newSegment(second, order.newestFirst ? leadOfOlder : leadOfNewer, trail, segment.density);
    this.#segments.splice(this.#segments.indexOf(segment) + 1, 0, added);
    this.#splits++;
    return added;
  }

  /** Returns the range that no node has reached, as a segment of its own. The range before it is read to its end. */
  #splitAtBlock(segment: Segment, error: unknown): Segment | undefined {
    const { unread } = segment;
    const { block } = PaginationError.is(error) ? error : {};
    if (block === undefined || this.#options.order.newestFirst) return undefined;
    const reached = microsecondOf(block.timestamp);
    return reached > unread.start && reached < unread.end ? this.#split(segment, reached - unread.start) : undefined;
  }

  async #read(segment: Segment): Promise<void> {
    const { order, plan, read } = this.#options;
    const { range, lead, state } = segment;
    const times = {
      start: toTime(range.start) || undefined,
      end: toTime(range.end),
      lead: toTime(lead) || undefined,
      trail: order.newestFirst ? undefined : toTime(segment.trail),
    };
    const isLead = state.pages === 0 && lead < range.start;
    const size = isLead ? withRoom(plan.size, 2 * leadIn(plan.size)) : plan.size;
    // A block that goes on has to be read to its end.
    const left = segment.held.length < margin ? neededFor(this.#left) : Number.POSITIVE_INFINITY;
    const page = this.#first ?? (await read({ ...plan, size, range: times }, state, left));
    this.#first = undefined;
    const { unread } = segment;
    if (page.completeFrom > toTime(range.start)) {
      // The `completeFrom` of a page without records is `never`.
      this.completeFrom = maximum(this.completeFrom, minimum(page.completeFrom, times.end));
    }
    const added = page.nodes.filter((record) => holds(unread, microsecondAt(record)));
    const records = [...segment.held, ...added];
    const last = records.at(-1);
    // More records of the last microsecond can be on the next page.
    const at = last ? microsecondAt(last) : order.firstOf(unread);
    const ready = records.findIndex((record) => microsecondAt(record) === at);
    segment.held = records.splice(Math.max(0, ready));
    this.#add(segment, records);
    segment.unread = order.from(unread, at);
    const next = page.onward(forward);
    if (next === undefined) {
      this.#add(segment, segment.held);
      segment.unread = { start: 0n, end: 0n };
      return;
    }
    segment.state = next;
    if (next.endsAt !== undefined) {
      // No more records are expected, so the rest of the segment is not worth a split.
      segment.density = 0;
      return;
    }
    const length = lengthOf(unread) - lengthOf(segment.unread);
    // A page within one microsecond does not show how many records are in the others.
    if (length === 0) return;
    segment.density = added.length / length;
    this.#fullPages++;
    this.#pageSize = added.length;
  }

  #add(segment: Segment, records: BalanceChange[]): void {
    if (records.length === 0) return;
    // Records of one time come in any order, which depends on the node and on page borders.
    segment.batches.push(records.sort(this.#options.order.compareRecords));
  }
}
