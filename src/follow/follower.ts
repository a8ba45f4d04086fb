import type { OptionCheck } from "../arguments/check-options.js";
import type { ArgumentsSpec } from "../arguments/read-arguments.js";
import type { Clock } from "../async/clock.js";
import type { VegaClient } from "../client/client.js";
import { type Coverage, VegaError } from "../errors/index.js";
import type { CallOptions } from "../http/call-options.js";
import type { Block } from "../values/block.js";
import { withDigits } from "../values/show.js";
import type { FollowOptions } from "./options.js";

/** New records, and how far they are complete. */
export interface Batch<T> {
  /** The records of one or several blocks, oldest first; empty if these blocks have none. */
  records: readonly T[];
  /**
   * Unix nanoseconds: every record of a block from this time on, and before `upTo`, is in this batch. It is where the
   * batch before ends. It is later only if nodes have no record before that, so that nothing proves what they keep.
   */
  from: bigint;
  /** Unix nanoseconds: every record of a block before this time was in this batch or in an earlier one. */
  upTo: bigint;
  /** The checkpoint after this batch for the option `from`: `upTo` in digits. It is valid on any node, at any time. */
  resume: `${bigint}`;
}

/**
 * New records as they come. Nothing is sent before it is used, and it polls only while the caller waits.
 *
 * A follower is one loop, over records or over batches. `break`, `return()`, the option `signal` and `await using` end
 * it at once, also in a wait; a follower that has ended yields nothing more. A `VegaError` that ends it has `resume`
 * with the option `from` that continues after the yielded records.
 */
export interface Follower<T, B = Batch<T>, V = T> extends AsyncGenerator<T, undefined, undefined> {
  /** When a node last responded with a block; `undefined` before the first response. */
  readonly lastHeard: Date | undefined;
  /**
   * The records in batches, each with the checkpoint after it. A batch that is stored together with its checkpoint, in
   * one transaction, is processed exactly once.
   *
   * @example
   * ```ts no-run
   * const follower = followVotes(client, { proposalId }, { from: "start" });
   * for await (const { records, resume } of follower.batches()) await save(records, resume);
   * ```
   */
  batches(): AsyncGenerator<B, undefined, undefined>;
  /**
   * Resolves to the first record for which the predicate returns `true`, and ends the follower. A follower of
   * signatures passes, and resolves to, all signatures so far.
   *
   * @param options.timeout - How many milliseconds to wait. Default: no limit.
   * @throws `TimeoutError` after the timeout; the error that ends the follower; `ArgumentError` if an argument is
   * invalid; `VegaError` if the follower is ended before.
   * @example
   * ```ts
   * const votes = followVotes(client, { partyId, proposalId }, { from: "start" });
   * const { timestamp } = await votes.until((vote) => vote.proposalId === proposalId, { timeout: 60_000 });
   * ```
   */
  until(predicate: (value: V) => boolean | Promise<boolean>, options?: { timeout?: number | undefined }): Promise<V>;
}

/** A list that can be followed, and how to find its new records. */
export interface FollowerKind<Query, S, B, V> {
  operation: string;
  /** The members of the query and the options. */
  spec: ArgumentsSpec;
  checks: Readonly<Record<string, OptionCheck>>;
  pageSize: number;
  begin(from: FollowOptions["from"]): S;
  /**
   * Finds the records since a state, and returns the next one. There is no batch if nothing is new, and `hasMore` if
   * more can be read at once. It changes nothing: a poll that fails is repeated from the same state.
   */
  poll(state: S, context: PollContext<Query>): Promise<{ state: S; block: Block; batch?: B; hasMore?: boolean }>;
  /** The values that `until` passes to its predicate. */
  valuesOf(batch: B): readonly V[];
}

export type PollContext<Query> = { client: VegaClient; query: Query; call: CallOptions; pageSize: number };

/** Replaced by tests. */
export type FollowSettings = { clock: Clock; random: () => number; pageSize?: number };

export const batchOf = <T>(records: readonly T[], from: bigint, upTo: bigint): Batch<T> =>
  withDigits({ records, from, upTo, resume: `${upTo}` });

/** Without block headers, nothing shows which records are final. */
export const missingBlock = (operation: string): VegaError =>
  new VegaError(
    `${operation} got a response without X-Block-Height and X-Block-Timestamp. Use a node or a proxy that sends them.`,
    { operation },
  );

export async function coverageOf(reading: { coverage: Promise<Coverage> }, operation: string) {
  const { start, end, block } = await reading.coverage;
  if (end === undefined || block === undefined) throw missingBlock(operation);
  return { start, end, block };
}
