import {
  abortSignal,
  checkOptions,
  deadline,
  milliseconds,
  type OptionChecks,
  oneOf,
} from "../arguments/check-options.js";
import { readBaseUrl } from "../arguments/read-value.js";
import { refuse } from "../arguments/refuse.js";
import { type Clock, systemClock } from "../async/clock.js";
import { type CheckOptions, connect, type NodePool, type NodeStatus } from "../client/node-pool.js";
import type { Answer } from "../http/call.js";
import { defaultSettings } from "../http/call-options.js";
import { createEmit } from "../http/events.js";
import { type ActiveCall, type CallRequest, type Deliver, routeOf } from "../http/request.js";
import { createSend } from "../http/send.js";
import { withDigits } from "../values/show.js";
import { NodeCall } from "./call.js";
import { choose, type Order } from "./choice.js";
import { compare, isCompared, verdictOn } from "./freshness.js";
import { PoolNode } from "./node.js";
import type { Pool, PoolCall, PoolClient } from "./requests.js";

/** Options of a pool. */
export interface NodePoolOptions {
  /**
   * How far a response may be behind the other nodes, in milliseconds of block time. The clock of the client does not matter.
   * Also how recently another node must have responded: otherwise a read goes to two nodes at once.
   *
   * @default 10_000
   */
  maxLag?: number | undefined;
  /**
   * Which node serves a call: `"fastest"` picks two at random and uses the one expected to respond
   * first, by its latency, its requests in flight and its rate limit. `"given"` takes the first one that is not cooling down.
   *
   * @default "fastest"
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
  const pool: Pool = { nodes, settings: { maxLag, order }, clock, random };
  /** The first client, which also checks the nodes. */
  let checker: PoolClient | undefined;
  return {
    get status() {
      return statusOf(pool);
    },
    async check(options = {}) {
      if (!checker) refuse({ argument: "nodes" }, "a pool that a client was created with", "a pool without a client");
      await checkNodes(checker, options);
      return statusOf(pool);
    },
    [connect]: (options) => {
      const { http, validate, session } = options;
      const deliver: Deliver = (request, call) => serve(own, request, call);
      const send = createSend({ http, deliver, validate, clock });
      const own: PoolClient = { ...options, ...pool, emit: createEmit(options.observe, clock), send };
      checker ??= own;
      return { send, deliver, clock, nodeCount: nodes.length, isPool: true, session };
    },
  };
}

const states = { failing: "cooling-down", slow: "cooling-down", lag: "lagging", suspect: "suspect" } as const;

function statusOf(pool: Pool): NodeStatus[] {
  return pool.nodes.map((node) => {
    const { url, block, head, latency, rateLimit, error, cause, coolDown, heardAt } = node;
    return withDigits<NodeStatus>({
      url,
      state: cause ? states[cause] : heardAt === Number.NEGATIVE_INFINITY ? "unknown" : "ready",
      until: coolDown > 0 ? new Date(pool.clock.date() + coolDown) : undefined,
      height: block?.height,
      timestamp: block?.timestamp,
      lag: head && compare(head, pool).lag,
      latency,
      rateLimit,
      error,
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

async function serve<T>(client: PoolClient, request: Request, active: ActiveCall<T>): Promise<Answer<T>> {
  const call = { ...active, request, node: knownNode(active, client) };
  if (call.once && call.node === undefined) return await callOnce(client, call);
  return await new NodeCall(client, call).run();
}

/** The address of a node that the caller has named, as the pool knows it. */
function knownNode(
  { node, operation }: Pick<CallRequest<unknown>, "node" | "operation">,
  { nodes }: Pool,
): string | undefined {
  const place = { operation, argument: "node" };
  const urls = nodes.map(({ url }) => url);
  const known = node && readBaseUrl(node, place);
  return known === undefined || urls.includes(known)
    ? known
    : refuse(place, `one of the pool: ${urls.join(", ")}`, node);
}

/**
 * Makes a call that a node does not accept twice: to one node, once. If no fresh node has responded within `maxLag`, nodes are asked with a
 * read before, and the call goes to the one that responds.
 */
async function callOnce<T>(client: PoolClient, call: PoolCall<T>): Promise<Answer<T>> {
  const { nodes, settings, clock, random } = client;
  const since = clock.now() - settings.maxLag;
  const isFresh = ({ cause, heardAt, block, blockHeardAt }: PoolNode) =>
    cause === undefined && heardAt >= since && !verdictOn(block, blockHeardAt, client);
  const fresh = nodes.filter((node) => isFresh(node) && isCompared(client, node));
  const { signal, headers, endsAt } = call;
  const left = { ...call.settings, totalTimeout: endsAt - clock.now() };
  const read = { ...probe(client, call.operation), settings: left, signal, headers };
  const chosen = choose(fresh, settings.order, random)?.url;
  const node = chosen ?? (await client.send(read)).node;
  return await new NodeCall(client, { ...call, node }).run();
}

/** A read that is cheap for a node, of a resource that has no signatures: whether the node responds, and with which block. */
const probe = ({ headers }: PoolClient, operation: string) => ({
  ...routeOf("listNodeSignatures"),
  operation,
  headers,
  params: { id: "0".repeat(64), pagination: { first: 1 } },
  read: (body: { signatures?: unknown }) => (body.signatures ? body : undefined),
});

/** Sends one read to each node, and compares all of them. */
async function checkNodes(client: PoolClient, options: CheckOptions): Promise<void> {
  checkOptions({ timeout: deadline, signal: abortSignal }, options, { name: "check" });
  const { timeout = 5000, signal } = options;
  const settings = { ...defaultSettings, attempts: 1, timeout };
  const call = { ...probe(client, "nodes.check"), settings, signal, expectation: {} };
  const results = await Promise.allSettled(client.nodes.map(({ url: node }) => client.send({ ...call, node })));
  signal?.throwIfAborted();
  for (const [index, node] of client.nodes.entries())
    if (results[index]?.status === "fulfilled")
      node.judge(verdictOn(node.block, node.blockHeardAt, client), client.clock.now());
}
