import { readBaseUrl } from "../arguments/read-base-url.js";
import { refuse } from "../arguments/refuse.js";
import { type Clock, systemClock } from "../async/clock.js";
import { connect, type NodePool, type NodeStatus } from "../client/node-pool.js";
import { onDemand } from "../http/on-demand.js";
import { withDigits } from "../values/json.js";
import type { OpenConnection, OpenPool } from "./open-pool.js";
import { type NodePoolOptions, readPoolOptions } from "./options.js";

const load = onDemand(() => import("./open-pool.js"));

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
  const addresses = readUrls(urls);
  let opened: OpenPool | undefined;
  const open = async () => {
    const { openPool } = await load();
    opened ??= openPool({ urls: addresses, settings, clock, random });
    return opened;
  };
  /** Connects the client that was created last. */
  let connectLast: (() => Promise<OpenConnection>) | undefined;
  return {
    get status() {
      return opened ? opened.status : addresses.map(statusOfUnknown);
    },
    async check(options = {}) {
      const connection = await connectLast?.();
      if (connection) return connection.check(options);
      return refuse({ argument: "nodes" }, "a pool that a client was created with", "a pool without a client");
    },
    [connect]: (options) => {
      let connection: OpenConnection | undefined;
      const connectOnce = async () => {
        const pool = await open();
        connection ??= pool.connect(options);
        return connection;
      };
      connectLast = connectOnce;
      return {
        send: (route, params, call) =>
          connection
            ? connection.send(route, params, call)
            : connectOnce().then((opened) => opened.send(route, params, call)),
        clock,
        nodeCount: addresses.length,
        isPool: true,
        session: options.session,
      };
    },
  };
}

const statusOfUnknown = (url: string): NodeStatus =>
  withDigits({
    url,
    state: "unknown",
    rest: 0,
    until: undefined,
    height: undefined,
    timestamp: undefined,
    lag: undefined,
    latency: undefined,
    hedges: 0,
    rateLimit: undefined,
    error: undefined,
  });

function readUrls(urls: readonly (string | URL)[]): string[] {
  if (!Array.isArray(urls) || urls.length === 0) refuse({ argument: "urls" }, "an array of addresses", urls);
  const read = urls.map((url, index) => readBaseUrl(url, { argument: `urls[${index}]` }));
  const repeated = read.findIndex((url, index) => read.indexOf(url) < index);
  if (repeated >= 0) refuse({ argument: `urls[${repeated}]` }, "an address that is not listed before", read[repeated]);
  return read;
}
