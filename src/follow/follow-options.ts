import { callback, checkedWhenRead, deadline, milliseconds, type OptionChecks } from "../arguments/check-options.js";
import { refuse } from "../arguments/refuse.js";
import { type CallOptions, callChecks } from "../http/call-options.js";
import { maximum } from "../values/integers.js";
import { type NanosecondTime, toNanoseconds } from "../values/times.js";
import type { FollowEvent } from "./follow-events.js";

/** Options of every follower. The options of a call apply to each request. */
export interface FollowOptions extends CallOptions {
  /**
   * Milliseconds from the start of one poll to the start of the next. A poll that takes longer delays the next one. Default: the
   * time of a block.
   *
   * A follower learns the time of a block from the responses. By default, while no records come, each wait is half as long again as
   * the one before, up to 15 seconds.
   */
  pollInterval?: number | undefined;
  /**
   * How long the node may name no new block before the follower ends with a {@link StalledError}, in milliseconds. `Infinity` sets
   * no limit.
   *
   * @default 60_000
   */
  stalledAfter?: number | undefined;
  /**
   * Called with an event for every failed poll and for every response of an earlier block. What it throws, or a promise that
   * rejects, is ignored. The requests of a poll are events of the client's own `observe`.
   *
   * @example
   * ```ts
   * followVotes(client, { proposalId }, { observe: (event) => console.warn(event.type, event.operation) });
   * ```
   */
  observe?: ((event: FollowEvent) => void) | undefined;
  /** Ends the follower, also in a wait: a call that waits for a record rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of a follower that begins at a position of the chain. */
export interface FollowFromOptions extends FollowOptions {
  /**
   * Where to begin: `"now"` is the current block, `"start"` is the oldest record that the node has. A time is one of a block,
   * and includes that block; the `resume` of a batch is such a time.
   *
   * @default "now"
   */
  from?: "now" | "start" | NanosecondTime | undefined;
}

export const followChecks: OptionChecks<FollowOptions> = {
  ...callChecks,
  pollInterval: milliseconds,
  stalledAfter: deadline,
  observe: callback,
};

export const followFromChecks: OptionChecks<FollowFromOptions> = { ...followChecks, from: checkedWhenRead };

/** Where a follower begins: a time in Unix nanoseconds, which is 0 for the oldest record, or the current block. */
export type Start = bigint | "now";

export function readStart(operation: string, from: FollowFromOptions["from"] = "now"): Start {
  if (from === "now") return "now";
  if (from === "start") return 0n;
  try {
    return maximum(toNanoseconds(from), 0n);
  } catch {
    return refuse({ operation, argument: "from" }, '"now", "start" or a time that toNanoseconds() reads', from);
  }
}
