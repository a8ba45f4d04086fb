import type { Clock } from "../async/clock.js";
import { ItemIterator } from "../async/item-iterator.js";
import { Polling, type PollingOptions } from "./polling.js";

/** New records, and how far they are complete. */
export interface Batch<T> {
  /** The records of one or several blocks, oldest first; empty if these blocks have none. */
  records: readonly T[];
  /**
   * Unix nanoseconds: every record of a block from this time on, and before `upTo`, is in this batch. It is where the batch before
   * ends, or in the first batch, where the history of the node begins.
   */
  from: bigint;
  /** Unix nanoseconds: every record of a block before this time was in this batch or in an earlier one. */
  upTo: bigint;
  /** The position after this batch for the option `from`, which is `upTo` in digits. It is valid on any node, at any time. */
  resume: `${bigint}`;
}

/**
 * New records as they come. Nothing is sent before it is used, and it polls only while the caller waits.
 *
 * A follower is one loop, over records or over batches. `break`, `return()`, the option `signal` and `await using` end it at
 * once, also in a wait; a follower that has ended yields nothing more. A `VegaError` that ends it has `resume` with the
 * option `from` that continues after what was yielded.
 */
export interface Follower<T, B = Batch<T>> extends AsyncGenerator<T, undefined, undefined> {
  /**
   * The records in batches, each with the position after it. A batch that is stored together with its position, in one
   * transaction, is processed exactly once.
   *
   * @example
   * ```ts no-run
   * const follower = followVotes(client, { proposalId }, { from: "start" });
   * for await (const { records, resume } of follower.batches()) await save(records, resume);
   * ```
   */
  batches(): AsyncGenerator<B, undefined, undefined>;
}

/** What tests replace. */
export interface FollowSettings {
  clock: Clock;
  /** How many records to request at once. */
  pageSize: number;
}

/** Yields the records of batches. */
class FollowerIterator<T, B extends { records: readonly T[] }> extends ItemIterator<T> implements Follower<T, B> {
  readonly #polling: Polling<B>;
  readonly #signal: AbortSignal | undefined;

  constructor(settings: PollingOptions<B>) {
    super();
    this.#polling = new Polling(settings);
    this.#signal = settings.options?.signal;
  }

  batches(): Polling<B> {
    return this.#polling;
  }

  protected override async more(): Promise<readonly T[] | undefined> {
    const { done, value } = await this.#polling.next();
    // Options are checked by now.
    this.limit(Number.POSITIVE_INFINITY, this.#signal);
    return done ? undefined : value.records;
  }

  protected override cancel(): void {
    super.cancel();
    this.#polling.return();
  }
}

/** The follower over what a poll finds. */
export const follower = <T, B extends { records: readonly T[] }>(settings: PollingOptions<B>): Follower<T, B> =>
  new FollowerIterator<T, B>(settings);
