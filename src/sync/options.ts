import type { BalanceChangesFilter } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import { readArguments } from "../arguments/read-arguments.js";
import type { PaginationError } from "../errors/index.js";
import type { FollowOptions, FollowVotesArguments } from "../follow/index.js";
import type { Block } from "../http/block.js";
import { type NanosecondTime, toNanoseconds } from "../values/times.js";
import type { SyncList } from "./positions.js";

/** Which balance changes are stored. */
export interface SyncBalances {
  /** Default: all accounts. */
  filter?: BalanceChangesFilter | undefined;
  /** The time to begin at. Default: the oldest record that the node keeps. */
  from?: NanosecondTime | undefined;
}

/** What was stored in one transaction. */
export interface SyncProgress {
  list: SyncList;
  /** How many records of the list were stored since the call began. */
  records: number;
  /** Unix nanoseconds: everything before is stored. `undefined` for profiles, which have no time. */
  upTo: bigint | undefined;
  /** Why records are missing that no request leads to, if some are. The call rejects with it once the other lists have ended. */
  incomplete?: PaginationError | undefined;
}

/** A node that has not reached what is stored. */
export interface SyncWait {
  /** The block that the node has reached. */
  block: Block;
  /** What is stored, in Unix nanoseconds. */
  position: bigint;
  /** How long the node is waited for, in milliseconds. */
  catchUp: number;
}

/** Options of {@link syncTo}. */
export interface SyncOptions extends Pick<FollowOptions, "pollInterval" | "stalledAfter" | "observe" | "signal"> {
  /** Store balance changes: all, or those of a filter. */
  balances?: boolean | SyncBalances | undefined;
  /** Store the votes on proposals, or those of parties. */
  votes?: readonly FollowVotesArguments[] | undefined;
  /** Store the signatures of the nodes for resources, which are named by their ids. */
  signatures?: readonly string[] | undefined;
  /** Store the profiles of all parties. They are read once in a call. */
  profiles?: boolean | undefined;
  /**
   * Whether to continue and store each block as it comes, until the signal is aborted. Otherwise the call ends with the newest block.
   *
   * @default false
   */
  follow?: boolean | undefined;
  /** How many balance changes to request at once. Default: 1000. */
  pageSize?: number | undefined;
  /** How many requests of the scan may be in flight at once. Default: 4 for each node. */
  concurrency?: number | undefined;
  /** How long to wait for a node that has not reached what is stored, in milliseconds. Default: 15 000. */
  catchUp?: number | undefined;
  /** Called after each transaction, and if nothing is new. */
  onStored?: ((progress: SyncProgress) => void) | undefined;
  /** Called once, before a node is waited for that has not reached what is stored. */
  onBehind?: ((wait: SyncWait) => void) | undefined;
}

/** Which balance changes are stored, in the one form that a position is stored with. */
export interface StoredBalances {
  readonly filter: BalanceChangesFilter;
  /** Unix nanoseconds. */
  readonly from?: bigint;
}

const { filter } = operations.listBalanceChanges.arguments;
const { pagination: _, ...votes } = operations.listVotes.arguments;
const { id: resourceId } = operations.listNodeSignatures.arguments;

/** Checks the arguments of a list. Hexadecimal ids are in lower case then, as in the records. */
export const readBalances = (operation: string, { from, ...query }: SyncBalances): StoredBalances => ({
  filter: {},
  ...readArguments(operation, { arguments: { filter } }, query),
  ...(from !== undefined && { from: toNanoseconds(from) }),
});
export const readVotes = (operation: string, query: FollowVotesArguments): FollowVotesArguments =>
  readArguments(
    operation,
    { arguments: votes, atLeastOneOf: operations.listVotes.atLeastOneOf },
    query,
  ) as FollowVotesArguments;
export const readResource = (operation: string, id: string): { id: string } =>
  readArguments(operation, { arguments: { id: resourceId } }, { id }) as unknown as { id: string };
