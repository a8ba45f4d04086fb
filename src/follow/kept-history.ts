import type { BalanceChange } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import type { Clock } from "../http/clock.js";
import { describeTime, timeOf } from "../scan/history-check.js";

const minute = 60_000_000_000n;
const day = 1440n * minute;
/** How long the oldest record of a node is remembered, in milliseconds. */
const lifetime = 60_000;

/** Detects records that a node has dropped before they were read. */
export class KeptHistory {
  readonly #clock: Clock;
  readonly #fetchOldest: (signal: AbortSignal) => Promise<BalanceChange | undefined>;
  #known: { oldest: bigint | undefined; at: number } | undefined;

  /** @param fetchOldest - Fetches the oldest balance change of the node. */
  constructor(clock: Clock, fetchOldest: (signal: AbortSignal) => Promise<BalanceChange | undefined>) {
    this.#clock = clock;
    this.#fetchOldest = fetchOldest;
  }

  /**
   * Called after a response: what the node drops before it is asked was there when it responded.
   *
   * @param start - From where on records were read.
   * @param end - The block that had begun.
   * @throws `PaginationError` if the oldest record of the node is later than `start`.
   */
  async check(operation: string, start: bigint, end: bigint, signal: AbortSignal): Promise<void> {
    // Records of the last minute are taken to be there: a follower that keeps up sends no further request.
    if (end - start <= minute) return;
    const oldest = await this.#oldest(start, signal);
    if (oldest === undefined || oldest <= start) return;
    throw new PaginationError(
      `${operation} continues at ${describeTime(start)}, but the balance changes of the node begin at ${describeTime(oldest)}: ` +
        "earlier records were pruned or never existed. Use a node that keeps a longer history, or follow from " +
        "`availableFrom` without the records before it.",
      { operation, reason: "pruned", availableFrom: oldest },
    );
  }

  /** How much a node drops at once is not known: what is remembered serves only times that are more than a day later. */
  async #oldest(start: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const known = this.#known;
    const isRecent = known !== undefined && this.#clock.now() - known.at < lifetime;
    if (known !== undefined && isRecent && (known.oldest === undefined || start - known.oldest > day))
      return known.oldest;
    const at = this.#clock.now();
    const oldest = await timeOf(this.#fetchOldest(signal));
    this.#known = { oldest, at };
    return oldest;
  }
}
