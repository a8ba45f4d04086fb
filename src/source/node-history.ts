import type { Clock } from "../async/clock.js";
import { type Demand, NotShown, type Shown } from "../http/demand.js";
import { nanosecondsPerDay } from "../values/nanoseconds.js";
import { type AskOldest, findOldest } from "./oldest-record.js";
import { RangeLimits } from "./range-limits.js";

/** How long it is remembered since when a node keeps records, in milliseconds. */
const lifetime = 60_000;

/**
 * Since when a node keeps balance changes. A node drops old ones if it was set up so, and silently returns what is left of a
 * longer range. It drops those of a whole day at once, also while it is read (observed on v0.74 and v0.79 nodes).
 */
export class NodeHistory {
  readonly #clock: Clock;
  #oldest: bigint | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #limits: RangeLimits;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#limits = new RangeLimits(clock);
  }

  /** The time of the oldest record, in Unix nanoseconds; `undefined` if there is none, or if it was not asked. */
  get oldest(): bigint | undefined {
    return this.#oldest;
  }

  /** Whether it was asked lately. */
  get isKnown(): boolean {
    return this.#clock.now() - this.#askedAt < lifetime;
  }

  /** Whether records from a time on are missing, as far as is known. A node without any record lacks them all. */
  lacks(time: bigint): boolean {
    return this.#oldest === undefined || this.#oldest > time;
  }

  /** Asks the node. */
  async load(ask: AskOldest): Promise<void> {
    const time = this.#clock.now();
    this.#oldest = await findOldest(ask, this.#limits);
    this.#askedAt = time;
  }

  /**
   * Checks that the node still has what a response shows. What can have been dropped meanwhile is asked again.
   *
   * @throws {@link NotShown} if it keeps balance changes for less than is demanded.
   */
  async check<T>({ reach, holdsStart, doubtsHistory }: Demand<T>, shown: Shown<T>, ask: AskOldest): Promise<void> {
    if (reach === undefined || holdsStart?.(shown) === false) return;
    const isCertain =
      !doubtsHistory && this.isKnown && (this.lacks(reach) || reach - (this.#oldest ?? 0n) >= nanosecondsPerDay);
    if (!isCertain) await this.load(ask);
    if (this.lacks(reach)) throw new NotShown("history", { shown, availableFrom: this.#oldest });
  }
}
