import type { Block } from "../http/block.js";
import type { ObservedError } from "../http/events.js";

interface EventBase {
  /** The follower: the name of its function. */
  operation: string;
  /** The time of the event, in milliseconds since 1970. */
  time: number;
}

/** A poll has failed and will be repeated. */
export interface PollRetryEvent extends EventBase {
  type: "retry";
  /** How many polls in a row have failed. */
  failures: number;
  /** Milliseconds until the next poll. */
  delay: number;
  /** The error of the poll. */
  error: ObservedError;
}

/** A response was ignored, because its block is earlier than one that was seen before: another node, or one that restarts. */
export interface BehindEvent extends EventBase {
  type: "behind";
  /** The block of the response. */
  block: Block;
  /** The newest block that was seen. */
  newest: Block;
}

/** The argument of {@link FollowOptions.observe}. */
export type FollowEvent = PollRetryEvent | BehindEvent;
