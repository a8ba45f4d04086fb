import type { Clock } from "../async/clock.js";
import type { SendAttempt } from "../http/context.js";
import type { Emit } from "../http/events.js";
import type { RouteOf, Session } from "../source/connection.js";
import type { HedgeBudget } from "./hedging.js";
import type { NodeState } from "./node-state.js";
import type { PoolSettings } from "./options.js";

/** One client and the nodes of its pool. */
export interface Link {
  readonly nodes: readonly NodeState[];
  readonly settings: PoolSettings;
  readonly clock: Clock;
  /** Of all clients of the pool. */
  readonly budget: HedgeBudget;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  readonly emit: Emit | undefined;
  /** Makes an attempt on a node. */
  readonly attempts: ReadonlyMap<NodeState, SendAttempt>;
  readonly routeOf: RouteOf;
  readonly session: Session;
}
