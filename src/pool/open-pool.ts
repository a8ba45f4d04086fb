import type { Clock } from "../async/clock.js";
import type { CheckOptions, ConnectionOptions, NodeStatus } from "../client/node-pool.js";
import type { Requester } from "../http/requester.js";
import { withDigits } from "../values/json.js";
import { checkNodes } from "./check-nodes.js";
import { createLink, createRequester, type Pool } from "./connection.js";
import { lagOf, referenceOf } from "./freshness.js";
import { HedgeBudget } from "./hedging.js";
import { sightingsOf } from "./judge.js";
import { NodeState } from "./node-state.js";
import type { PoolSettings } from "./options.js";

/** A pool that is used. Its code is loaded on demand. */
export interface OpenPool {
  readonly status: NodeStatus[];
  connect(options: ConnectionOptions): OpenConnection;
}

/** What one client sends with. */
export interface OpenConnection extends Requester {
  check(options: CheckOptions): Promise<NodeStatus[]>;
}

export interface OpenPoolOptions {
  urls: readonly string[];
  settings: PoolSettings;
  clock: Clock;
  random: () => number;
}

export function openPool({ urls, settings, clock, random }: OpenPoolOptions): OpenPool {
  const nodes = urls.map((url) => new NodeState(url, clock, random));
  const pool: Pool = { nodes, settings, clock, budget: new HedgeBudget(), random };
  return {
    get status() {
      return statusOf(nodes, clock);
    },
    connect(options) {
      const link = createLink(pool, options);
      return {
        ...createRequester(link),
        async check(options) {
          await checkNodes(link, options);
          return statusOf(nodes, clock);
        },
      };
    },
  };
}

function statusOf(nodes: readonly NodeState[], clock: Clock): NodeStatus[] {
  const reference = referenceOf(sightingsOf(nodes), nodes.length);
  return nodes.map((node) => {
    const block = node.sighting?.block;
    const status: NodeStatus = {
      url: node.url,
      state: node.cause ?? (node.heardAt === Number.NEGATIVE_INFINITY ? "unknown" : "ready"),
      rest: node.rest,
      until: node.rest > 0 ? new Date(clock.date() + node.rest) : undefined,
      height: block?.height,
      timestamp: block?.timestamp,
      lag: block && lagOf(block, reference),
      latency: node.latency.typical,
      hedges: node.hedges,
      rateLimit: node.rateLimit,
      error: node.error,
    };
    return withDigits(status);
  });
}
