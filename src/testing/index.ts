export type { After } from "./advance.js";
export type { CheckCode } from "./check.js";
export type {
  FakeBlock,
  FakeBlockData,
  FakeNodeData,
  FakeVote,
  Incomplete,
  PartialBlockData,
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
export {
  type EmptyPageFault,
  type HtmlFault,
  type LatencyFault,
  type NodeFault,
  nodeFaults,
  type RepeatedCursorFault,
  type ResetFault,
  type StatusFault,
  type TruncatedBodyFault,
} from "./faults.js";
export {
  type AccountIdRule,
  accountIdRules,
  type CreateOptions,
  type FakeNodeOptions,
  type NodeDefect,
  nodeDefects,
} from "./options.js";
export type { RateLimit } from "./rate-limiter.js";
export { type Recording, recordFetch, replayFetch } from "./recording.js";
export type { ReceivedRequest } from "./simulated-node.js";
export type { Records } from "./store.js";
export { type NodeVersion, nodeVersions } from "./versions.js";
