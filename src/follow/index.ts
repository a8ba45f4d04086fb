/**
 * New records as they come, each once.
 *
 * @module vegaprotocol-client/follow
 */
export { followBalanceChanges } from "./balance-changes.js";
export type { Batch, Follower } from "./follower.js";
export { followNodeSignatures, type SignatureFollower } from "./node-signatures.js";
export { type FollowEvent, type FollowOptions, StalledError } from "./options.js";
export { followVotes } from "./votes.js";
