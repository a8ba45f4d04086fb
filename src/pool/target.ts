import type { Target } from "../http/context.js";
import type { FailoverEvent } from "../http/events.js";
import type { NodeState } from "./node-state.js";

/** A node that failed, and why. */
export interface Failover {
  node: NodeState;
  cause: FailoverEvent["cause"];
  error?: unknown;
}

/** Which nodes can serve a call, and how their responses are judged. */
export interface PoolTarget extends Target {
  /** Whether a node is compared with another one, if no other was heard lately. */
  compares?: boolean;
  /** Whether responses that are older than one that the client has returned are not. */
  isMonotonic?: boolean;
  /** The least height of a response: that of the first page of a walk. */
  height?: bigint | undefined;
  /** A page of a scan: the node must have reached this time, in Unix nanoseconds. */
  until?: bigint | undefined;
  /** Whether a fresh response will do that has not reached it. */
  isOpen?: boolean;
  /** The time that the balance changes of the node must reach back to, in Unix nanoseconds. Lowered if no node does. */
  reach?: bigint | undefined;
  /** Whether the history of the node has to be known. */
  knowsHistory?: boolean;
  /** Whether the history of the node is asked again after a response that begins near the end of it. */
  verifiesHistory?: boolean;
  /** How many attempts are made at most. Default: the option of the call. */
  attempts?: number | undefined;
  /** The node that the call turns away from. */
  failover?: Failover;
  /** The node whose response was returned. */
  servedBy?: NodeState;
  /** Whether no node was left that could be asked. */
  hasGivenUp?: boolean;
}

/** Any node, as long as it does not lag. */
export const readTarget = (): PoolTarget => ({ compares: true, isMonotonic: true });
