import {
  abortSignal,
  boolean,
  checkOptions,
  deadline,
  longestTimer,
  milliseconds,
  type OptionChecks,
  oneOf,
} from "../arguments/check-options.js";
import { readBaseUrl } from "../arguments/read-value.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import { type Clock, systemClock } from "../async/clock.js";
import { listOperation } from "../client/listing.js";
import type { ClientContext } from "../client/loop.js";
import { type CheckOptions, connect, type NodePool, type NodeStatus } from "../client/node-pool.js";
import { TimeoutError } from "../errors/index.js";
import { defaultSettings } from "../http/call-options.js";
import { createEmit } from "../http/events.js";
import type { ActiveCall, Deliver } from "../http/request.js";
import { type Connection, createSend } from "../http/send.js";
import { withDigits } from "../values/show.js";
import { isLagging, lagOf } from "./freshness.js";
import { choose, type Order } from "./latency.js";
import { PoolNode } from "./node.js";
import { type Pool, type PoolClient, run } from "./run.js";

/** Options of a pool. */
export interface NodePoolOptions {
  /**
   * How far a response may be behind the other nodes, in milliseconds of block time. The clock of the client does not
   * matter. Also how recently a node must have responded to get a transaction to check: otherwise a read finds out
   * which nodes respond. Default: 10_000.
   */
  maxLag?: number | undefined;
  /**
   * Which node serves a call: of two random nodes, the one expected to respond first, by its latency, its requests in
   * flight and its rate limit (`"fastest"`), or the first one that is not cooling down (`"given"`), which only
   * `nodes.check()` compares with the others. Default: `"fastest"`.
   */
  order?: Order | undefined;
}

const checks: OptionChecks<NodePoolOptions> = { maxLag: milliseconds, order: oneOf("fastest", "given") };

/**
 * Creates a pool of several nodes of one network, to be passed to `createClient` as `baseUrl`. Nothing is sent yet.
 *
 * @param urls - The addresses of the nodes.
 * @param options - How far a node may lag, and which node serves a call.
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

export function createPool(
  urls: readonly (string | URL)[],
  options: NodePoolOptions,
  clock: Clock,
  random: () => number,
): NodePool {
  checkOptions(checks, options, { name: "nodePool" });
  const { maxLag = 10_000, order = "fastest" } = options;
  const nodes = readUrls(urls).map((url) => new PoolNode(url, clock, random));
  const pool: Pool = { nodes, maxLag, order, clock, random };
  /** The client of the checks: it sends as the first client does. */
  let checker: PoolClient | undefined;
  return {
    get status() {
      return statusOf(pool);
    },
    async check(options = {}) {
      if (!checker)
        refuseByRule({ argument: "nodes" }, "has no client yet: pass the pool to createClient before it is checked");
      await checkNodes(checker, options);
      return statusOf(pool);
    },
    [connect]: (options) => {
      const { http, validate, observe, session } = options;
      const deliver: Deliver = async (request, call) => {
        const node = namedNode(call, pool) ?? (call.once ? await nodeForOnce(client, call) : undefined);
        return await run(client, { ...call, request, node });
      };
      const send = createSend(http, deliver, { validate, clock });
      const connection: Connection = { send, deliver, clock, nodeCount: nodes.length, isPool: true, session };
      const client: PoolClient = { ...options, ...pool, ...connection, emit: createEmit(observe, clock) };
      checker ??= client;
      return connection;
    },
  };
}

function stateOf({ cause, respondedAt }: PoolNode): NodeStatus["state"] {
  if (cause) return cause === "lagging" ? cause : "cooling-down";
  return respondedAt === Number.NEGATIVE_INFINITY ? "unknown" : "ready";
}

function statusOf({ nodes, maxLag, clock }: Pool): NodeStatus[] {
  const now = clock.now();
  return nodes.map((node) => {
    const { url, block, head, latency, rateLimit, error, coolUntil, historyStart } = node;
    return withDigits<NodeStatus>({
      url,
      state: stateOf(node),
      until: coolUntil > now ? new Date(clock.date() + coolUntil - now) : undefined,
      height: block?.height,
      timestamp: block?.timestamp,
      lag: head && lagOf(head, { nodes, maxLag, now }),
      latency,
      rateLimit,
      error,
      historyStart,
    });
  });
}

function readUrls(urls: readonly (string | URL)[]): string[] {
  if (!Array.isArray(urls) || urls.length === 0) refuse({ argument: "urls" }, "an array of addresses", urls);
  const read = urls.map((url, index) => readBaseUrl(url, { argument: `urls[${index}]` }));
  const repeated = read.findIndex((url, index) => read.indexOf(url) < index);
  if (repeated >= 0) refuse({ argument: `urls[${repeated}]` }, "an address that is not listed before", read[repeated]);
  return read;
}

/** The address of the node that the caller has named, as the pool knows it. */
function namedNode({ node, operation }: ActiveCall, { nodes }: Pool): string | undefined {
  if (node === undefined) return undefined;
  const place = { operation, argument: "node" };
  const named = readBaseUrl(node, place);
  if (nodes.some(({ url }) => url === named)) return named;
  return refuse(place, `one of the pool: ${nodes.map(({ url }) => url).join(", ")}`, node);
}

/**
 * The address of a node for a call that is sent once: one that is ready and has responded within `maxLag`, otherwise
 * the one that responds to a read.
 */
async function nodeForOnce(client: PoolClient, call: ActiveCall): Promise<string | undefined> {
  const { nodes, maxLag, clock, send } = client;
  const { operation, settings, signal, headers } = call;
  const now = clock.now();
  const ready = nodes.filter(({ cause, respondedAt }) => cause === undefined && respondedAt >= now - maxLag);
  const chosen = choose(ready, { ...client, now });
  if (chosen) return chosen.url;
  return (await send({ ...probe, operation, settings, signal, headers })).node;
}

/** A read that is cheap for a node, of a resource without signatures: whether it responds, and with which block. */
const probe = {
  described: "listNodeSignatures" as const,
  params: { id: "0".repeat(64), pagination: { first: 1 } },
  read: (body: { signatures?: unknown }) => (body.signatures ? body : undefined),
};

/** Sends one read to each node, and compares all of them. */
async function checkNodes(client: PoolClient, options: CheckOptions): Promise<void> {
  checkOptions({ timeout: deadline, history: boolean, signal: abortSignal }, options, { name: "check" });
  const { timeout = 5000, history, signal } = options;
  const { nodes, clock, send, headers } = client;
  // The wait for a rate limit counts as well. The deadline of the attempt is the first of both: its error says more.
  const settings = { ...defaultSettings, attempts: 1, timeout, totalTimeout: Math.min(timeout + 1, longestTimer) };
  const call = { ...probe, operation: "nodes.check", settings, signal, headers, expectation: {} };
  const begin = clock.now();
  const results = await Promise.allSettled(
    nodes.map(async (node) => {
      if (history) node.historyStart = undefined;
      await send({ ...call, node: node.url }).catch((error: unknown) => {
        // Timers are not exact: the deadline of the call can end a request before the deadline of its attempt.
        if (TimeoutError.is(error) && !error.waitedFor) node.fail(error, begin);
        throw error;
      });
      const rest = { ...settings, totalTimeout: Math.max(1, begin + timeout - clock.now()) };
      if (history) await readHistory(node, { connection: client, defaults: { settings: rest, headers } }, signal);
    }),
  );
  signal?.throwIfAborted();
  const now = clock.now();
  // The first response was compared with nothing.
  const responding = nodes.filter((_, index) => results[index]?.status === "fulfilled");
  for (const node of responding) {
    const lags = isLagging(node.block, node.head?.respondedAt ?? now, { ...client, now });
    node.compared(lags, Number.POSITIVE_INFINITY);
  }
}

/** Reads the oldest balance change of a node. The request records a failure in the state of the node. */
async function readHistory(node: PoolNode, context: ClientContext, signal: AbortSignal | undefined): Promise<void> {
  const pagination = { first: 1, newestFirst: false };
  const list = listOperation("listBalanceChanges", context, { pagination }, { node: node.url, maxItems: 1, signal });
  const [oldest] = await list.toArray().catch(() => []);
  node.historyStart = oldest && BigInt(oldest.timestamp);
}
