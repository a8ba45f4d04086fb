/**
 * New records as they come, each once.
 *
 * @module vegaprotocol-client/follow
 */
export { type FollowBalanceChangesArguments, followBalanceChanges } from "./balance-changes.js";
export type { Batch, Follower } from "./follower.js";
export {
  type FollowNodeSignaturesArguments,
  followNodeSignatures,
  type SignatureBatch,
  type SignatureFollower,
} from "./node-signatures.js";
export {
  type BehindEvent,
  type FollowEvent,
  type FollowFromOptions,
  type FollowOptions,
  type PollRetryEvent,
  StalledError,
} from "./options.js";
export { type FollowVotesArguments, followVotes } from "./votes.js";
