import type { BalanceChange, BalanceChangesDateRange } from "../../generated/types.js";
import { toDate } from "../arguments/values.js";
import { PaginationError } from "../errors/index.js";
import { type HistorySource, timeOfOldest } from "./history.js";
import type { Range } from "./timeline.js";

/** Refuses a scan or a follower that begins before the history of the node. */
export class HistoryCheck {
  readonly #operation: string;
  readonly #start: bigint;
  readonly #history: HistorySource;
  readonly #fetchOldest: () => Promise<bigint | undefined>;
  readonly #startedAt: number;
  readonly #advice: string;
  #oldest: bigint | undefined;

  /**
   * @param start - The start of the range, in Unix nanoseconds.
   * @param fetchFirst - Fetches the oldest record of the node.
   * @param advice - The last thing that the caller can do, for the message.
   */
  constructor(
    operation: string,
    start: bigint,
    history: HistorySource,
    fetchFirst: () => Promise<BalanceChange | undefined>,
    advice = 'pass `missingHistory: "ignore"` to read what is left',
  ) {
    this.#operation = operation;
    this.#advice = advice;
    this.#start = start;
    this.#history = history;
    this.#fetchOldest = () => timeOfOldest(fetchFirst());
    this.#startedAt = history.now;
  }

  /** Asks the node since when it keeps records. */
  async load(): Promise<void> {
    this.#oldest = await this.#history.oldest(this.#fetchOldest);
  }

  /** Asks again, if the node may have dropped records since the check was created. */
  async reload(): Promise<void> {
    if (!this.#history.mayHaveChanged(this.#startedAt, this.#oldest, this.#start)) return;
    this.#oldest = await this.#history.oldest(this.#fetchOldest, this.#history.now);
  }

  /** @throws {@link PaginationError} if the node's oldest record is later than the start of the range. */
  check(unread: Range): void {
    const oldest = this.#oldest;
    if (oldest === undefined || oldest <= this.#start) return;
    const error = new PaginationError(
      `The range of ${this.#operation} begins at ${describeTime(this.#start)}, but the balance changes of the node begin at ` +
        `${describeTime(oldest)}: earlier records were pruned or never existed. Begin the range there, use a node that keeps ` +
        `a longer history, or ${this.#advice}.`,
      { operation: this.#operation, reason: "pruned", availableFrom: oldest },
    );
    const start = oldest < unread.start ? unread.start : oldest > unread.end ? unread.end : oldest;
    throw Object.assign(error, { resume: toDateRange(start, unread.end) });
  }
}

export const toDateRange = (start: bigint | undefined, end: bigint | undefined): BalanceChangesDateRange => ({
  ...(start !== undefined && { startTimestamp: String(start) }),
  ...(end !== undefined && { endTimestamp: String(end) }),
});

const describeTime = (time: bigint) => `${time} (${toDate(time).toISOString()})`;
