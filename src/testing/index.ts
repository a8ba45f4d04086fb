export type { CheckCode } from "./check.js";
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
export type { RateLimit } from "./limits.js";
export {
  createFakeNode,
  type FakeNode,
  type FakeNodeData,
  type FakeNodeOptions,
  type NodeDefect,
  nodeDefects,
  type ReceivedRequest,
} from "./node.js";
export type { Records } from "./records.js";
