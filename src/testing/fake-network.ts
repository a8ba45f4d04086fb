import { callback, isPlainObject } from "../arguments/check-options.js";
import { refuse } from "../arguments/refuse.js";
import { Chain } from "./chain.js";
import { dataNames, type FakeNodeData, withoutUndefined } from "./data.js";
import { type FakeNode, simulateNode } from "./fake-node.js";
import { checkArguments, checkNodeOptions, type FakeNodeOptions } from "./options.js";

/** The data of a fake network, and its nodes. Without any list, it has a hundred records of each. */
export interface FakeNetworkData extends FakeNodeData {
  /** How many nodes there are, or the options of each of them. Default: 3. */
  nodes?: number | readonly FakeNodeOptions[] | undefined;
  /**
   * Returns the index of the node that responds to a request to the address of the network. Requests to that address
   * are counted from 1. Default: one node after the other.
   */
  balance?: ((request: number) => number) | undefined;
}

/** Several nodes in memory that follow one chain. `records` and `block` are the chain's. */
export interface FakeNetwork extends Pick<FakeNode, "records" | "block" | "nextBlock" | "addRecords"> {
  /**
   * The nodes, each with its address: `https://node-1.example` and so on. Their `nextBlock` and `addRecords` move the
   * chain, for all nodes.
   */
  readonly nodes: readonly (FakeNode & { readonly url: string })[];
  /**
   * One address for all nodes, `https://network.example`, like a load balancer: each request is sent to the node that
   * `data.balance` chooses, even if that node is down.
   */
  readonly url: string;
  /**
   * Sends a request to the node of its address, or from the address of the network to one of the nodes. Pass it to
   * `createClient`. It rejects for another address.
   */
  readonly fetch: FakeNode["fetch"];
}

/**
 * Creates several nodes in memory that follow one chain, each at its own address and all behind one. Each node has its
 * own rate limit, its own faults, and its own order of the votes of one block.
 *
 * @param data - The records of the chain, and the nodes. Default: three nodes, and a hundred generated records of each
 * list.
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
export function createFakeNetwork(data: FakeNetworkData = {}, options: FakeNodeOptions = {}): FakeNetwork {
  if (!isPlainObject(data)) refuse({ argument: "data" }, "an object", data);
  checkArguments("createFakeNetwork", data, options, ["nodes", "balance", ...dataNames]);
  const { nodes: given = 3, balance = (request: number) => (request - 1) % nodes.length, ...records } = data;
  callback(balance, { argument: "data.balance" });
  const settings = readNodes(given);
  const chain = new Chain(records);
  const nodes = settings.map((own, index) => {
    const name = `node-${index + 1}`;
    const all = { ...options, ...withoutUndefined(own) };
    return Object.assign(simulateNode(chain, all, name), { url: `https://${name}.example` });
  });
  let requests = 0;
  const balanced = () => {
    const index = balance(++requests);
    const what = `a function that returns an index from 0 to ${nodes.length - 1}`;
    return nodes[index] ?? refuse({ argument: "data.balance" }, what, index);
  };
  const url = "https://network.example";
  return {
    nextBlock: chain.nextBlock,
    addRecords: chain.addRecords,
    nodes,
    url,
    async fetch(input, init) {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      const node = origin === url ? balanced() : nodes.find(({ url }) => url === origin);
      if (node) return node.fetch(input, init);
      const addresses = [...nodes.map(({ url }) => url), url];
      throw new TypeError(`fetch failed: ${origin} is not one of ${addresses.join(", ")}`);
    },
    get records() {
      return chain.store.recordsOf("v0.74");
    },
    get block() {
      return chain.block;
    },
  };
}

function readNodes(nodes: number | readonly FakeNodeOptions[]): readonly FakeNodeOptions[] {
  if (Number.isSafeInteger(nodes) && Number(nodes) > 0) return Array.from({ length: Number(nodes) }, () => ({}));
  if (!Array.isArray(nodes) || nodes.length === 0) {
    return refuse({ argument: "data.nodes" }, "the number of nodes, or an array with the options of each", nodes);
  }
  for (const [index, options] of nodes.entries()) {
    const name = `data.nodes[${index}]`;
    checkNodeOptions(options, name, `${name}.`);
  }
  return nodes;
}
