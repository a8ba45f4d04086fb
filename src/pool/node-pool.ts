import { readBaseUrl } from "../arguments/read-base-url.js";
import { refuse } from "../arguments/refuse.js";
import { type Clock, systemClock } from "../async/clock.js";
import { connect, type NodePool, type NodeStatus } from "../client/node-pool.js";
import { withDigits } from "../values/json.js";
import { checkNodes } from "./check-nodes.js";
import { createConnection, createLink, type Pool } from "./connection.js";
import { lagOf, referenceOf } from "./freshness.js";
import { HedgeBudget } from "./hedging.js";
import { sightingsOf } from "./judge.js";
import type { Link } from "./link.js";
import { NodeState } from "./node-state.js";
import { type NodePoolOptions, readPoolOptions } from "./options.js";

/**
 * Creates a pool of several nodes of one network, to be passed to `createClient` as `baseUrl`. Nothing is sent yet.
 *
 * @param urls - The addresses of the nodes.
 * @throws `ArgumentError` if an address or an option is invalid.
 * @example
 * ```ts
 * const nodes = nodePool(["https://a.example", "https://b.example", "https://c.example"]);
 * const client = createClient({ baseUrl: nodes });
 * ```
 */
export function nodePool(urls: readonly (string | URL)[], options: NodePoolOptions = {}): NodePool {
  return createPool(urls, options, systemClock, Math.random);
}

/** A pool with a clock and a source of random numbers. */
export function createPool(
  urls: readonly (string | URL)[],
  options: NodePoolOptions,
  clock: Clock,
  random: () => number,
): NodePool {
  const settings = readPoolOptions(options);
  const nodes = readUrls(urls).map((url) => new NodeState(url, clock, random));
  const pool: Pool = { nodes, settings, clock, budget: new HedgeBudget(), random };
  let link: Link | undefined;
  return {
    get status() {
      return statusOf(nodes, clock);
    },
    async check(options = {}) {
      await checkNodes(link, options);
      return statusOf(nodes, clock);
    },
    [connect]: (connection) => {
      link = createLink(pool, connection);
      return createConnection(link);
    },
  };
}

function readUrls(urls: readonly (string | URL)[]): string[] {
  if (!Array.isArray(urls) || urls.length === 0) refuse({ argument: "urls" }, "an array of addresses", urls);
  const read = urls.map((url, index) => readBaseUrl(url, { argument: `urls[${index}]` }));
  const repeated = read.findIndex((url, index) => read.indexOf(url) < index);
  if (repeated >= 0) refuse({ argument: `urls[${repeated}]` }, "an address that is not listed before", read[repeated]);
  return read;
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
      historyStart: node.history.oldest,
      rateLimit: node.rateLimit,
      error: node.error,
    };
    return withDigits(status);
  });
}
