import { Chain } from "./chain.js";
import {
  type FakeBlockData,
  type FakeNodeData,
  type PartialBlockData,
  type PartialNodeData,
  someOfEach,
} from "./data.js";
import { chainMethods, type FakeChain } from "./fake-chain.js";
import { type CreateOptions, checkCreateOptions, type FakeNodeOptions } from "./options.js";
import { type ReceivedRequest, SimulatedNode } from "./simulated-node.js";

/** A node in memory. */
export interface FakeNode<Data = FakeBlockData> extends FakeChain<Data> {
  /**
   * Responds to a request as a node does: pass it to `createClient`, or serve it. The host of an address does not matter.
   */
  readonly fetch: (input: Request | URL | string, init?: ConstructorParameters<typeof Request>[1]) => Promise<Response>;
  /**
   * The requests that were sent to the node, in their order, also those that failed since it was down. The array can be
   * emptied at any time.
   */
  readonly requests: ReceivedRequest[];
  /**
   * Changes how the node behaves from now on; what is left out stays. Requests are counted anew for faults that are given.
   *
   * @throws `ArgumentError` if an option is invalid.
   */
  configure(options: FakeNodeOptions): void;
  /**
   * Drops the oldest chunks of balance changes that the node still has, at once, as the retention job of a real node does. A
   * chunk has the records of one day in UTC; days without a record have none. It changes the option `history` of the node.
   *
   * @param days - How many chunks to drop. Default: 1.
   * @throws `ArgumentError` if it is not a positive integer.
   */
  dropHistory(days?: number): void;
}

/** As the other signature, with records that can lack any member: the option `fill` completes them. */
export function createFakeNode(
  data: PartialNodeData,
  options: CreateOptions & { fill: true },
): FakeNode<PartialBlockData>;
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
export function createFakeNode(data?: FakeNodeData, options?: CreateOptions): FakeNode;
export function createFakeNode(
  data: PartialNodeData = someOfEach,
  options: CreateOptions = {},
): FakeNode<PartialBlockData> {
  checkCreateOptions(options, "createFakeNode");
  const { fill, blockEvery, after, ...behavior } = options;
  const chain = new Chain(data, fill);
  if (blockEvery !== undefined) chain.start(blockEvery, after);
  return toFakeNode(chain, new SimulatedNode(chain, behavior));
}

export function toFakeNode(chain: Chain, node: SimulatedNode): FakeNode<PartialBlockData> {
  return {
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
    dropHistory: (days = 1) => node.dropHistory(days),
  };
}
