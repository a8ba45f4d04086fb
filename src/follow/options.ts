import { callback, checkedWhenRead, deadline, milliseconds, type OptionChecks } from "../arguments/check-options.js";
import { readTime } from "../arguments/read-value.js";
import { VegaError, type VegaErrorOptions } from "../errors/vega-error.js";
import { type CallOptions, callChecks } from "../http/call-options.js";
import type { ObservedError } from "../http/events.js";
import type { Block } from "../values/block.js";
import { maximum } from "../values/integers.js";
import type { NanosecondTime } from "../values/times.js";

/**
 * The argument of {@link FollowOptions.observe}: `operation` is the name of the follower's function, `time` is in
 * milliseconds since 1970.
 *
 * `"retry"`: a poll has failed, the `failures`-th in a row, and is repeated after `delay` milliseconds. `"behind"`: a
 * response was ignored because its `block` is earlier than the `newest` one that was seen, on another node or on one
 * that restarts.
 */
export type FollowEvent = { operation: string; time: number } & (
  | { type: "retry"; failures: number; delay: number; error: ObservedError }
  | { type: "behind"; block: Block; newest: Block }
);

/** Options of every follower. The options of a call apply to each request. */
export interface FollowOptions extends CallOptions {
  /**
   * Where to begin: `"now"` is the current block, `"start"` is the oldest record that the node has. A time is the time
   * of a block, and includes that block. The `resume` of a batch is such a time. With a pool, call `nodes.check()`
   * first: otherwise, `"now"` is the block of the first node that responds, which can be behind. Default: `"now"`.
   */
  from?: "now" | "start" | NanosecondTime | undefined;
  /**
   * Milliseconds from the start of one poll to the start of the next. A poll that takes longer delays the next one.
   * Default: 1000 while records come, and up to 15,000 while none do.
   */
  pollInterval?: number | undefined;
  /**
   * How many milliseconds may pass without a new block, or with failed polls only, before the follower ends with a
   * {@link StalledError}. A wait that a server asks for does not count, nor does a sleep of the machine between
   * two polls. It is checked after each poll: if a node hangs, a poll ends after the `timeout` of its last attempt.
   * `Infinity` sets no limit. Default: 60_000.
   */
  stalledAfter?: number | undefined;
  /**
   * Called with an event for every failed poll and for every response of an earlier block. Errors that it throws are
   * ignored.
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

export const followChecks: OptionChecks<FollowOptions> = {
  ...callChecks,
  from: checkedWhenRead,
  pollInterval: milliseconds,
  stalledAfter: deadline,
  observe: callback,
};

/** Unix nanoseconds: every record before was in a batch. 0: from the oldest record. `"now"`: from the current block. */
export type Checkpoint = bigint | "now";

export function readCheckpoint(operation: string, from: FollowOptions["from"] = "now"): Checkpoint {
  if (from === "now") return "now";
  if (from === "start") return 0n;
  return maximum(readTime({ operation, argument: "from" }, from, '"now", "start" or '), 0n);
}

/** No new block has come for `stalledAfter`: the chain or the node stands still, or polls fail with `cause`. */
export class StalledError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.StalledError";
  override name = "StalledError" as const;
  /** The newest block that the follower has seen; `undefined` if it has seen none. */
  declare readonly block: Block | undefined;
  /** Whole milliseconds since the follower first saw that block, or since polls fail. */
  declare readonly stalledFor: number;

  constructor(message: string, options: VegaErrorOptions & Pick<StalledError, "block" | "stalledFor">) {
    super(message, options);
  }
}
