import type { Clock } from "../async/clock.js";
import type { ConnectionOptions } from "../client/node-pool.js";
import { createEmit, type Emit, type ObserverEvent, type WithoutTime } from "../http/events.js";
import type { Transport } from "../http/requester.js";
import type { Order } from "./choice.js";
import type { PoolNode } from "./node.js";

/** The nodes of a pool, and how they are used. */
export interface Pool {
  readonly nodes: readonly PoolNode[];
  readonly settings: { readonly maxLag: number; readonly order: Order };
  readonly clock: Clock;
  readonly random: () => number;
}

/** One client of a pool. */
export interface PoolClient extends Pool, Pick<ConnectionOptions, "routeOf" | "session"> {
  readonly emit: Emit | undefined;
  readonly transports: ReadonlyMap<PoolNode, Transport>;
}

export function poolClient(pool: Pool, options: ConnectionOptions): PoolClient {
  const { fetch, pacing = true, observe, validate, routeOf, session } = options;
  const emit = observe && createEmit<WithoutTime<ObserverEvent>>(observe, pool.clock);
  const transports = pool.nodes.map((node): [PoolNode, Transport] => {
    const { url: baseUrl } = node;
    const emitOf = emit && ((event: Parameters<typeof emit>[0]) => emit({ ...event, node: baseUrl }));
    const limiter = pacing ? node.limiter : undefined;
    return [node, { fetch, validate, clock: pool.clock, emit: emitOf, limiter, baseUrl }];
  });
  return { ...pool, emit, transports: new Map(transports), routeOf, session };
}
