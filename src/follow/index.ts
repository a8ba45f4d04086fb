/**
 * New records as they come, each once.
 *
 * Each response has the block that the node has begun. Records of earlier blocks are final; records of the begun block
 * come all at once when it ends. So a follower needs one number, its checkpoint: every record before that block time
 * was yielded.
 *
 * @privateRemarks
 * `poll(state)` reads from the checkpoint to the block of the response, and returns the new state with a batch. A state
 * is plain data: a poll that fails is repeated from the same one. The three kinds of list differ in how they read:
 * balance changes by a scan, votes back from the newest one, signatures all at once. `PollingFollower` is the loop
 * around it: wait, poll, keep the state, yield the batch. It waits longer while nothing comes and after failures, and
 * ends with a `StalledError` once no new block has come for too long.
 *
 * @module vegaprotocol-client/follow
 */
export { followBalanceChanges } from "./balance-changes.js";
export type { Batch, Follower } from "./follower.js";
export { followNodeSignatures, type SignatureFollower } from "./node-signatures.js";
export { type FollowEvent, type FollowOptions, StalledError } from "./options.js";
export { followVotes } from "./votes.js";
