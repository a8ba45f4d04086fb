import type { OperationId } from "../arguments/operation.js";
import type { Clock } from "../async/clock.js";
import type { OperationRoute } from "../http/operation-route.js";
import type { Requester } from "../http/requester.js";

/**
 * What a client sends with: to one node, or to those of a pool. A response that does not show what is demanded is not returned: the
 * request is sent to another node, and if none shows it, the call rejects with `NotShown`.
 */
export interface Connection extends Requester {
  readonly clock: Clock;
  /** How many nodes there are. */
  readonly nodeCount: number;
}

/** How an operation is sent. */
export type RouteOf = (id: OperationId) => OperationRoute;
