import type { OperationId } from "../../generated/client.js";
import type { Transaction } from "../../generated/types.js";
import { withDefaults } from "../arguments/check-options.js";
import { untilAborted } from "../async/abort.js";
import type { Block } from "../values/block.js";
import { Chain } from "./chain.js";
import { createTransaction, createTransactionCheck } from "./check.js";
import { dataNames, type FakeNodeData } from "./data.js";
import { planFaults, withFaults } from "./faults.js";
import { findRoute, reply, withCors } from "./gateway.js";
import { checkArguments, checkNodeOptions, type FakeNodeOptions, type NodeBehavior } from "./options.js";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.js";
import type { Records } from "./store.js";
import { toMicroseconds } from "./wire.js";

/**
 * A request that was sent to a node.
 *
 * @inline
 */
type ReceivedRequest = {
  /** The operation of the request; `undefined` for another path. */
  operation: OperationId | undefined;
  method: string;
  url: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The text of the body; empty if there is none. */
  body: string;
};

/** A node in memory. */
export interface FakeNode {
  /** Responds to a request as a node does: pass it to `createClient`, or serve it. The host does not matter. */
  readonly fetch: (input: Request | URL | string, init?: ConstructorParameters<typeof Request>[1]) => Promise<Response>;
  /** The requests that were sent to the node, also while it was down. The array can be emptied at any time. */
  readonly requests: ReceivedRequest[];
  /** Its data, as in responses: records by list, and spam statistics by party. */
  readonly records: Records;
  /** The current block. */
  readonly block: Readonly<Block>;
  /**
   * Ends the current block, with further records in it, and begins the next one, one second after the newest record or
   * as `data.block` says. Generated records have the time of the block that ends. Given ones have that time or a later
   * one: what is older is final. Transactions that were checked in the block that ends can be checked again.
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  nextBlock(data?: Omit<FakeNodeData, "seed" | "party">): void;
  /**
   * Adds records at the time of the current block, without ending it. Clients must not rely on records of that time:
   * nodes write a block at once, before or after their headers have the next one (observed on v0.74 nodes).
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  addRecords(data: Omit<FakeNodeData, "seed" | "party" | "block">): void;
  /**
   * Returns a transaction that passes the check of this node. Each one has a proof of work of its own. Its signature is
   * not real.
   *
   * @param members - Members that replace members of the transaction.
   */
  createTransaction(members?: Transaction): Transaction;
  /**
   * Changes options from now on; the others stay. New faults count requests from here on.
   *
   * @throws `ArgumentError` if an option is invalid.
   */
  configure(options: FakeNodeOptions): void;
}

/**
 * Creates a node in memory for tests: the operations of the description with the paging, the limits, the headers and
 * the errors of a v0.74 node behind a standard `fetch`. It needs no network and no server, and runs in every runtime.
 *
 * @param data - Its records. Default: a hundred generated records of each list.
 * @param options - How it behaves. Default: as a v0.74 node without defects.
 * @throws `ArgumentError` if data or options are invalid.
 * @example
 * ```ts
 * const node = createFakeNode({ votes: 250 });
 * const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
 * const votes = await client.listVotes({ proposalId: node.records.votes[0]!.proposalId }).toArray();
 * ```
 */
export function createFakeNode(data: FakeNodeData = {}, options: FakeNodeOptions = {}): FakeNode {
  checkArguments("createFakeNode", data, options, dataNames);
  return simulateNode(new Chain(data), options);
}

export const defaults: NodeBehavior = {
  version: "v0.74",
  now: () => Date.now(),
  defects: [],
  faults: [],
  rateLimit: {},
  checkCode: () => 0,
  chainId: "vega-fake-0011",
  blockHeaders: true,
  lag: 0,
  down: false,
  history: 0n,
};

/** Returns a node that follows a chain. With a name, each request has another order of the votes of a block. */
export function simulateNode(chain: Chain, created: FakeNodeOptions, name?: string): FakeNode {
  const checkTransaction = createTransactionCheck();
  const tieSeed = name && `${chain.seed}/${name}`;
  const requests: ReceivedRequest[] = [];
  let behavior = defaults;
  let nextFaults = planFaults([]);
  let limiter: RateLimiter | undefined;
  let past = { end: Number.NaN, store: chain.store };
  /** The requests in flight, and their originals: Node.js aborts a Request only as long as something refers to both. */
  const running = new Map<Request, unknown>();
  let up = new AbortController();

  function configure(options: FakeNodeOptions): void {
    checkNodeOptions(options);
    const { rateLimit, now, faults, down } = options;
    behavior = withDefaults(behavior, options);
    if (faults) nextFaults = planFaults(faults);
    if (down) {
      up.abort(new TypeError("fetch failed: the connection was reset"));
      up = new AbortController();
    }
    if (rateLimit === undefined && !now && !down) return;
    limiter = behavior.rateLimit === false ? undefined : createRateLimiter(behavior.rateLimit, behavior.now);
  }

  const block = () => chain.blockBefore(behavior.lag);
  function store() {
    if (behavior.lag <= 0) return chain.store;
    const end = toMicroseconds(block().timestamp);
    if (end !== past.end) past = { end, store: chain.storeBefore(end) };
    return past.store;
  }

  const fetch: FakeNode["fetch"] = async (input, init) => {
    const request = new Request(input, init);
    const { method, url, headers, signal } = request;
    // A browser sends preflight requests by itself: a page cannot see them.
    const isPreflight = method === "OPTIONS" && headers.has("Access-Control-Request-Method");
    const route = isPreflight ? undefined : findRoute(new URL(url).pathname);
    const body = await request.text();
    signal.throwIfAborted();
    requests.push({ operation: route?.id, method, url, headers: Object.fromEntries(headers), body });
    if (behavior.down) throw new TypeError("fetch failed: the connection was refused");
    const faults = isPreflight ? {} : nextFaults(route?.id);
    const state = { store: store(), block: block(), tieSeed, limiter, checkTransaction };
    const response = withCors(request, () => reply(request, body, route, { ...behavior, ...state }));
    running.set(request, input);
    try {
      const received = await untilAborted(signal, up, (signal) => withFaults(response, faults, signal));
      // A constructed response has no address, unlike a fetched one.
      return Object.defineProperty(received, "url", { value: url });
    } finally {
      running.delete(request);
    }
  };

  configure({ ...created, rateLimit: created.rateLimit ?? {} });
  return {
    fetch,
    requests,
    get records() {
      return store().recordsOf(behavior.version);
    },
    get block() {
      return block();
    },
    nextBlock: chain.nextBlock,
    addRecords: chain.addRecords,
    createTransaction,
    configure,
  };
}
