export type { CheckCode } from "./check.js";
export type { FakeBlock, FakeNodeData, FakeVote } from "./data.js";
export { createFakeNode, type FakeNode, type ReceivedRequest } from "./fake-node.js";
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
export { type FakeNodeOptions, type NodeDefect, nodeDefects } from "./options.js";
export type { RateLimit } from "./rate-limiter.js";
export type { Records } from "./store.js";
