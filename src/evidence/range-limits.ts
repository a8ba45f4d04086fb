import type { Clock } from "../async/clock.js";
import { ApiError } from "../errors/index.js";
import type { Block } from "../http/block.js";
import { maximum, minimum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/nanoseconds.js";

/** A time in Unix nanoseconds. The end does not belong to the range. */
export interface TimeRange {
  start: bigint;
  end: bigint;
}

/** The longest range of a request, with a day to spare: v0.75 and later nodes allow 365 days (observed on v0.79 nodes). */
export const longestRange = 364n * nanosecondsPerDay;

/** The earliest time of a range: 1 January 2020 (observed on v0.79 nodes). */
const earliest = 1_577_836_800_000_000_000n;

/** Whether every node accepts a range. */
export const isAccepted = (start: bigint | undefined, end: bigint | undefined): boolean =>
  start !== undefined && end !== undefined && start >= earliest && end - start <= longestRange;

/** Whether a node refused a request for its range, in the words of v0.75 and later nodes (observed on v0.79 nodes). */
export const isRefused = (error: unknown): error is ApiError =>
  ApiError.is(error) && error.status === 400 && error.detail?.["message"] === "invalid date range";

/** Splits a range into those that every node accepts, in the order in which they are read. */
export function* windowsOf({ start, end }: TimeRange, newestFirst: boolean): Generator<TimeRange> {
  const from = maximum(start, earliest);
  if (newestFirst) {
    for (let last = end; last > from; last -= longestRange)
      yield { start: maximum(last - longestRange, from), end: last };
  } else {
    for (let first = from; first < end; first += longestRange) {
      yield { start: first, end: minimum(first + longestRange, end) };
    }
  }
}

/** What is known of the ranges that the nodes of a client accept. */
export class RangeLimits {
  /** Whether one of them refused a request for its range. */
  isNeeded = false;
  readonly #clock: Clock;
  #latest: { time: bigint; seenAt: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes the block of a response. */
  observe(block: Block | undefined): void {
    if (block === undefined || (this.#latest && block.timestamp < this.#latest.time)) return;
    this.#latest = { time: block.timestamp, seenAt: this.#clock.now() };
  }

  /** A time that no record has reached. A node whose chain has ended is years behind the clock of the client. */
  get end(): bigint {
    const { time, seenAt } = this.#latest ?? { time: milliseconds(this.#clock.date()), seenAt: this.#clock.now() };
    return time + milliseconds(this.#clock.now() - seenAt) + nanosecondsPerDay;
  }
}

const milliseconds = (count: number) => BigInt(Math.ceil(count)) * 1_000_000n;
