import { callback, checkedWhenRead, deadline, milliseconds, type OptionChecks } from "../arguments/check-options.js";
import { refuse } from "../arguments/refuse.js";
import { VegaError, type VegaErrorOptions } from "../errors/vega-error.js";
import type { Block } from "../http/call.js";
import { type CallOptions, callChecks } from "../http/call-options.js";
import type { ObservedError } from "../http/events.js";
import { maximum } from "../values/integers.js";
import { type NanosecondTime, toNanoseconds } from "../values/times.js";

/**
 * The argument of {@link FollowOptions.observe}. `"retry"`: a poll has failed and will be repeated. `"behind"`: a response was ignored because
 * its block is earlier than one that was seen before, on another node or on one that restarts.
 */
export type FollowEvent = {
  /** The follower: the name of its function. */
  operation: string;
  /** The time of the event, in milliseconds since 1970. */
  time: number;
} & (
  | {
      type: "retry";
      /** How many polls in a row have failed. */
      failures: number;
      /** Milliseconds until the next poll. */
      delay: number;
      error: ObservedError;
    }
  | {
      type: "behind";
      /** The block of the response. */
      block: Block;
      /** The newest block that was seen. */
      newest: Block;
    }
);

/** Options of every follower. The options of a call apply to each request. */
export interface FollowOptions extends CallOptions {
  /**
   * Where to begin: `"now"` is the current block, `"start"` is the oldest record that the node has. A time is the time
   * of a block, and includes that block. The `resume` of a batch is such a time. Default: `"now"`.
   */
  from?: "now" | "start" | NanosecondTime | undefined;
  /**
   * Milliseconds from the start of one poll to the start of the next. A poll that takes longer delays the next one. Default: 1000.
   * While no records come, each wait is then half as long again as the one before, up to 15 seconds.
   */
  pollInterval?: number | undefined;
  /**
   * How many milliseconds may pass without a new block before the follower ends with a {@link StalledError}. `Infinity`
   * sets no limit. Default: 60,000.
   */
  stalledAfter?: number | undefined;
  /**
   * Called with an event for every failed poll and for every response of an earlier block. Errors that it throws are ignored.
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

/** A time in Unix nanoseconds, before which every record was in a batch. 0: from the oldest record. `"now"`: from the current block. */
export type Checkpoint = bigint | "now";

export function readCheckpoint(operation: string, from: FollowOptions["from"] = "now"): Checkpoint {
  if (from === "now") return "now";
  if (from === "start") return 0n;
  try {
    return maximum(toNanoseconds(from), 0n);
  } catch {
    return refuse({ operation, argument: "from" }, '"now", "start" or a time that toNanoseconds() reads', from);
  }
}

/** The node responds, but no new block has come for `stalledAfter`: the chain or the node's copy of it stands still. */
export class StalledError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.StalledError";
  override name = "StalledError" as const;
  /** The newest block that the follower has seen. */
  readonly block: Block;
  /** Milliseconds since the follower first saw that block. */
  readonly stalledFor: number;

  constructor(
    message: string,
    { block, stalledFor, ...options }: VegaErrorOptions & { block: Block; stalledFor: number },
  ) {
    super(message, options);
    this.block = block;
    this.stalledFor = stalledFor;
  }

  override toJSON(): Record<string, unknown> {
    const { block, stalledFor } = this;
    return { ...super.toJSON(), block, stalledFor };
  }
}
