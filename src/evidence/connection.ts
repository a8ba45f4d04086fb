import type { OperationId } from "../arguments/operation.js";
import type { Clock } from "../async/clock.js";
import type { Requester } from "../http/requester.js";
import type { OperationRoute } from "../http/route.js";
import type { RangeLimits } from "./windows.js";

/** What a client has in common with those that its `withOptions` returns. */
export interface Session {
  /** The time of the latest block of a response that one of them has returned, in Unix nanoseconds. */
  returned?: bigint;
  /** Whether a response has named a block. */
  namesBlocks?: boolean;
  /** What readers of lists have learned of the node, or the nodes. */
  limits?: RangeLimits;
}

/**
 * What a client sends with: to one node, or to those of a pool. A pool does not return a response that does not show what is expected:
 * the request is sent to another node, and if none shows it, the call rejects with `NotShown`.
 */
export interface Connection extends Requester {
  readonly clock: Clock;
  /** How many nodes there are. */
  readonly nodeCount: number;
  /** Whether it judges what responses show. If not, their reader does. */
  readonly isPool: boolean;
  readonly session: Session;
}

/** How an operation is sent. */
export type RouteOf = (id: OperationId) => OperationRoute;
