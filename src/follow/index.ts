export { type FollowBalanceChangesArguments, followBalanceChanges } from "./balance-changes.js";
export type { BehindEvent, FollowEvent, PollRetryEvent } from "./follow-events.js";
export type { FollowFromOptions, FollowOptions } from "./follow-options.js";
export type { Batch, Follower } from "./follower.js";
export {
  type FollowNodeSignaturesArguments,
  followNodeSignatures,
  type SignatureBatch,
  type SignatureFollower,
} from "./node-signatures.js";
export { StalledError } from "./stalled-error.js";
export { type FollowVotesArguments, followVotes } from "./votes.js";
