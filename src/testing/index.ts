export type {
  FakeBlock,
  FakeBlockData,
  FakeNodeData,
  FakeVote,
  PartialNodeData,
} from "./data.js";
export type { AdvanceOptions, FakeChain } from "./fake-chain.js";
export {
  createFakeNetwork,
  type FakeNetwork,
  type FakeNetworkData,
  type FakeNetworkNode,
  type PartialNetworkData,
} from "./fake-network.js";
export { createFakeNode, type FakeNode } from "./fake-node.js";
export type { NodeFault } from "./faults.js";
export { type CreateOptions, type FakeNodeOptions, type NodeDefect, nodeDefects } from "./options.js";
export type { RateLimit } from "./rate-limiter.js";
export { type Recording, recordFetch, replayFetch } from "./recording.js";
export type { ReceivedRequest } from "./simulated-node.js";
export type { Records } from "./store.js";
export type { NodeVersion } from "./versions.js";
