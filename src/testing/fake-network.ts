import { callback } from "../arguments/check-options.js";
import { isCount, refuseArgument } from "./arguments.js";
import { Chain } from "./chain.js";
import type { FakeBlockData, FakeNodeData, PartialBlockData, PartialNodeData } from "./data.js";
import { chainMethods, type FakeChain, type FakeNode, toFakeNode } from "./fake-node.js";
import { type CreateOptions, checkCreateOptions, checkNodeOptions, type FakeNodeOptions } from "./options.js";
import { withoutUndefined } from "./read-records.js";
import { SimulatedNode } from "./simulated-node.js";

/** The nodes of a fake network. */
interface NetworkNodes {
  /**
   * How many nodes there are, or the options of each of them.
   *
   * @default 3
   */
  nodes?: number | readonly FakeNodeOptions[] | undefined;
  /**
   * Returns the index of the node that responds to a request to the address of the network. Requests to that address are
   * counted from 1. Default: one node after the other.
   */
  balance?: ((request: number) => number) | undefined;
}

/** What a fake network holds, and its nodes. Without any list, it holds a hundred records of each that it can generate. */
export interface FakeNetworkData extends FakeNodeData, NetworkNodes {}

/** {@link FakeNetworkData} whose records can lack any member: the option `fill` completes them. */
export interface PartialNetworkData extends PartialNodeData, NetworkNodes {}

/** A node of a fake network. Its `nextBlock`, `addRecords` and `advanceEvery` move the chain, for all nodes. */
export interface FakeNetworkNode<Data = FakeBlockData> extends FakeNode<Data> {
  /** The address: `https://node-1.example` and so on, with the `basePath` of the node. */
  readonly url: string;
}

/** Several nodes in memory that follow one chain. `records` and `block` are those of the chain. */
export interface FakeNetwork<Data = FakeBlockData> extends FakeChain<Data> {
  readonly nodes: readonly FakeNetworkNode<Data>[];
  /**
   * One address of all nodes, as that of a load balancer: each request is sent to the node that `data.balance` chooses, also
   * if that is down. It is `https://network.example`, with the `basePath` of all nodes.
   */
  readonly url: string;
  /**
   * Sends a request to the node of its address, or from the address of the network to one of the nodes. Pass it to
   * `createClient`. It rejects for another address.
   */
  readonly fetch: FakeNode["fetch"];
}

/** As the other signature, with records that can lack any member: the option `fill` completes them. */
export function createFakeNetwork(
  data: PartialNetworkData,
  options: CreateOptions & { fill: true },
): FakeNetwork<PartialBlockData>;
/**
 * Creates several nodes in memory that follow one chain, for tests of what happens if nodes fall behind, fail, or keep less
 * history than others, each at its own address or all behind one. Each node has its own rate limit, its own faults, and its own order of the votes of one block.
 *
 * @param options - The options of all nodes. Those in `data.nodes` override them.
 * @throws `ArgumentError` if data or options are invalid.
 * @example
 * ```ts
 * const network = createFakeNetwork({ nodes: [{ lag: 600 }, {}, { down: true }], balances: 1000 });
 * const [behind, current] = network.nodes.map(({ url }) => createClient({ baseUrl: url, fetch: network.fetch }));
 * network.nextBlock({ balances: 5 });
 * network.nodes[2]?.configure({ down: false });
 * ```
 */
export function createFakeNetwork(data?: FakeNetworkData, options?: CreateOptions): FakeNetwork;
export function createFakeNetwork(
  data: PartialNetworkData = {},
  options: CreateOptions = {},
): FakeNetwork<PartialBlockData> {
  if (typeof data !== "object" || data === null) refuseArgument("data", "an object", data);
  checkCreateOptions(options, "createFakeNetwork");
  const { nodes: given = 3, balance, ...records } = data;
  if (balance !== undefined) callback(balance, { argument: "data.balance" });
  const { fill, blockEvery, after, ...behavior } = options;
  const settings = readNodes(given);
  const chain = new Chain(records, fill);
  if (blockEvery !== undefined) chain.start(blockEvery, after);
  const nodes = settings.map((own, index) =>
    toNetworkNode(chain, { ...behavior, ...withoutUndefined(own) }, `node-${index + 1}`),
  );
  const byOrigin = new Map(nodes.map((node) => [new URL(node.url).origin, () => node]));
  byOrigin.set("https://network.example", createBalancer(nodes, balance));
  return {
    ...chainMethods(chain),
    nodes,
    url: `https://network.example${options.basePath ?? ""}`,
    async fetch(input, init) {
      const request = new Request(input, init);
      const { origin } = new URL(request.url);
      const choose = byOrigin.get(origin);
      if (choose) return choose().fetch(request);
      throw new TypeError(`fetch failed: ${origin} is not one of ${[...byOrigin.keys()].join(", ")}`);
    },
    get records() {
      return chain.store.records;
    },
    get block() {
      return chain.block;
    },
  };
}

function toNetworkNode(chain: Chain, options: FakeNodeOptions, name: string): FakeNetworkNode<PartialBlockData> {
  const url = `https://${name}.example${options.basePath ?? ""}`;
  return Object.assign(toFakeNode(chain, new SimulatedNode(chain, options, name)), { url });
}

/** Chooses a node for each request to the address of the network. */
function createBalancer<Node>(
  nodes: readonly Node[],
  balance = (request: number) => (request - 1) % nodes.length,
): () => Node {
  let requests = 0;
  return () => {
    const index = balance(++requests);
    const node = nodes[index];
    if (node !== undefined) return node;
    return refuseArgument("data.balance", `a function that returns an index from 0 to ${nodes.length - 1}`, index);
  };
}

function readNodes(nodes: unknown): readonly FakeNodeOptions[] {
  if (isCount(nodes) && nodes > 0) return Array.from({ length: nodes }, () => ({}));
  if (!Array.isArray(nodes) || nodes.length === 0) {
    refuseArgument("data.nodes", "the number of nodes, or an array with the options of each", nodes);
  }
  for (const [index, options] of nodes.entries()) {
    const name = `data.nodes[${index}]`;
    checkNodeOptions(options, { name, prefix: `${name}.` });
  }
  return nodes;
}
