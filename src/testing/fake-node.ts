import type { Block } from "../http/call.js";
import { Chain } from "./chain.js";
import type { FakeNodeData } from "./data.js";
import { type CreateOptions, checkCreateOptions, type FakeNodeOptions } from "./options.js";
import { SimulatedNode } from "./simulated-node.js";
import type { Records } from "./store.js";

/** A node in memory. */
export interface FakeNode {
  /**
   * Responds to a request as a node does: pass it to `createClient`, or serve it. The host of an address does not matter.
   */
  readonly fetch: (input: Request | URL | string, init?: ConstructorParameters<typeof Request>[1]) => Promise<Response>;
  /**
   * The requests that were sent to the node, in their order, also those that failed since it was down: operation, method, URL, headers and
   * body. The array can be emptied at any time.
   */
  readonly requests: SimulatedNode["requests"];
  /** What it holds, as responses show it: records by list, and spam statistics by party. */
  readonly records: Records;
  /** The current block. */
  readonly block: Readonly<Block>;
  /**
   * Ends the current block, with further records in it, and begins the next one.
   *
   * Generated records have the time of the block that ends. Given ones have that time or a later one: what is older is final.
   * All of them are there when the block has ended, as on a real node, where the rows of a block appear at once. The next block
   * begins one second after the newest record, or as `data.block` says. Transactions that were checked in the block that ends
   * can be checked again.
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  nextBlock(data?: Omit<FakeNodeData, "seed" | "party">): void;
  /**
   * Adds records to the current block, without ending it: the block that the headers name is half-written. Clients
   * must not rely on its records (observed on v0.74 nodes: records at the time of the header can be missing).
   *
   * Records have the time of the current block.
   *
   * @throws `ArgumentError` if the data is invalid.
   */
  addRecords(data: Omit<FakeNodeData, "seed" | "party" | "block">): void;
  /** Ends no further blocks, if the option `blockEvery` was given. */
  pause(): void;
  /**
   * Changes how the node behaves from now on; what is left out stays. Requests are counted anew for faults that are given.
   *
   * @throws `ArgumentError` if an option is invalid.
   */
  configure(options: FakeNodeOptions): void;
}

/**
 * Creates a node in memory for tests: the operations of the description with the paging, the limits, the headers and the errors of a v0.74
 * node behind a standard `fetch`. It needs no network and no server, and runs in every runtime.
 *
 * @throws `ArgumentError` if data or options are invalid.
 * @example
 * ```ts
 * const node = createFakeNode({ votes: 250 });
 * const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
 * const votes = await client.listVotes({ proposalId: node.records.votes[0]!.proposalId }).toArray();
 * ```
 */
export function createFakeNode(data: FakeNodeData = {}, options: CreateOptions = {}): FakeNode {
  checkCreateOptions(options, "createFakeNode");
  const { blockEvery, after, ...behavior } = options;
  const chain = new Chain(data, blockEvery, after);
  return toFakeNode(chain, new SimulatedNode(chain, behavior));
}

/** The methods that move a chain. */
export const chainMethods = (chain: Chain): Pick<FakeNode, "nextBlock" | "addRecords" | "pause"> => ({
  nextBlock: (data = {}) => chain.nextBlock(data),
  addRecords: (data) => chain.addRecords(data),
  pause: () => chain.pause(),
});

export const toFakeNode = (chain: Chain, node: SimulatedNode): FakeNode => ({
  ...chainMethods(chain),
  fetch: (input, init) => node.fetch(new Request(input, init)),
  requests: node.requests,
  get records() {
    return node.records;
  },
  get block() {
    return node.block;
  },
  configure: (options) => node.configure(options),
});
