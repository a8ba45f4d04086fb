import type { BalanceChange } from "../../generated/types.js";
import { ApiError } from "../errors/index.js";
import type { Clock } from "../http/clock.js";

/** Returns the time of the oldest record of a node, in Unix nanoseconds; `undefined` if it is not known. */
export type FetchOldest = () => Promise<bigint | undefined>;

/** How long it is remembered since when a node keeps records, in milliseconds. */
export const lifetime = 60_000;

const hour = 3_600_000_000_000n;

/** Whether a node may soon drop records from a time on. */
export const isNearEnd = (oldest: bigint | undefined, time: bigint | undefined): boolean =>
  oldest !== undefined && time !== undefined && time - oldest < hour;

/** Returns the time of the oldest record in Unix nanoseconds; `undefined` if there is none, or if it is not known. */
export async function timeOfOldest(record: Promise<BalanceChange | undefined>): Promise<bigint | undefined> {
  try {
    const oldest = await record;
    return oldest && BigInt(oldest.timestamp);
  } catch (error) {
    // Nodes from v0.75 on refuse balance changes without a range: since when they keep them is not known.
    if (ApiError.is(error) && error.status === 400) return undefined;
    throw error;
  }
}

/** Since when balance changes are kept. */
export interface HistorySource {
  readonly now: number;
  /** @param since - The clock time of the oldest result that is recent enough. */
  oldest(fetchOldest: FetchOldest, since?: number): Promise<bigint | undefined>;
  /** Whether records after `start` may have been dropped since a scan began. */
  mayHaveChanged(since: number, oldest: bigint | undefined, start: bigint): boolean;
}

/**
 * Since when a node keeps balance changes. v0.74 nodes drop old ones, by default after seven days, and return what is left
 * of a longer range without a mark.
 */
export class History implements HistorySource {
  readonly #clock: Clock;
  #known: { oldest: bigint | undefined; time: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get now(): number {
    return this.#clock.now();
  }

  async oldest(fetchOldest: FetchOldest, since = this.now - lifetime): Promise<bigint | undefined> {
    const time = this.now;
    if (this.#known !== undefined && this.#known.time > since) return this.#known.oldest;
    const oldest = await fetchOldest();
    this.#known = { oldest, time };
    return oldest;
  }

  mayHaveChanged(since: number, oldest: bigint | undefined, start: bigint): boolean {
    return this.now - since > lifetime || isNearEnd(oldest, start);
  }
}
