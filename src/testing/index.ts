/**
 * A node, and a network of nodes, in memory.
 *
 * @module vegaprotocol-client/testing
 */
export type {
  FakeBlock,
  FakeBlockData,
  FakeNodeData,
  FakeVote,
  PartialNodeData,
} from "./data.js";
export {
  createFakeNetwork,
  type FakeNetwork,
  type FakeNetworkData,
  type FakeNetworkNode,
  type PartialNetworkData,
} from "./fake-network.js";
export { type AdvanceOptions, createFakeNode, type FakeChain, type FakeNode } from "./fake-node.js";
export type { NodeFault } from "./faults.js";
export { type CreateOptions, type FakeNodeOptions, type NodeDefect, nodeDefects } from "./options.js";
export type { RateLimit } from "./rate-limiter.js";
export type { ReceivedRequest } from "./simulated-node.js";
export type { Records } from "./store.js";
export type { NodeVersion } from "./versions.js";
