import type { BalanceChange, BalanceChangesFilter, NodeSignature, PartyProfile, Vote } from "vegaprotocol-client";
import type { Asset } from "../other-paths.js";

/** The columns of a record, in texts: times and amounts are digits. */
export type Row = readonly (string | null)[];

export interface SyncRecords {
  readonly balances: BalanceChange;
  readonly votes: Vote;
  readonly signatures: NodeSignature;
  readonly profiles: PartyProfile;
  readonly assets: Asset;
}

export const syncLists = ["balances", "votes", "signatures", "profiles", "assets"] as const;
/** The lists that a run names. Assets come with the balances. */
export const namedLists = syncLists.filter((list) => list !== "assets");
export type SyncList = keyof SyncRecords;

/** Which balance changes are stored. Part of their checkpoint. */
export interface BalancesQuery {
  readonly filter: BalanceChangesFilter;
  /** The time to begin at, in Unix nanoseconds. Default: the oldest record that the node keeps. */
  readonly from?: bigint;
}

/** A range in Unix nanoseconds. The start belongs to it, the end does not. */
export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** The stored range of a list, in Unix nanoseconds: every record from `start` to `position`. */
export interface Checkpoint {
  readonly start: bigint;
  readonly position: bigint;
}

export interface StoredList {
  readonly list: SyncList;
  readonly query: object;
  readonly checkpoint: Checkpoint;
}

export interface Batch {
  readonly list: SyncList;
  readonly query: object;
  readonly records: readonly SyncRecords[SyncList][];
  /** The range that is stored with them; `undefined` for profiles and assets, which have no time. */
  readonly checkpoint: Checkpoint | undefined;
}

/** Balance changes of a run that are not written, because their day is not over. */
export interface Unwritten {
  readonly records: number;
  /** Up to where the records are written; `undefined` if none are. */
  readonly position: bigint | undefined;
  readonly note: string;
}

/** The purpose of opening a destination. It is locked unless it is only read. */
export type OpenMode = "write" | "read";

export interface Destination {
  /** Stores records with their checkpoint, both or none. Returns how many are new or changed. */
  store(batch: Batch): Promise<number>;
  /** Completes a run, once all of its lists have ended. Returns what it could not write. */
  finish(): Promise<Unwritten | undefined>;
  /** The newest balance change of a filter, before a time if it is given; one of them if several have its time. */
  newest(filter: BalanceChangesFilter, before?: bigint): Promise<BalanceChange | undefined>;
  /** The balance changes of a range in the order of a scan. */
  read(filter: BalanceChangesFilter, range: TimeRange, isNewestFirst?: boolean): AsyncIterable<BalanceChange>;
  checkpoints(): Promise<StoredList[]>;
  /** The rows of a list, in order of time if they have one. A query selects by members, such as `proposalId`. */
  rows(list: SyncList, query?: object): AsyncIterable<Row>;
  /** Adds the name of the destination to an error of its files or its database. */
  describe(error: unknown): unknown;
  close(): Promise<void>;
}

export const keyOf = ({ list, query }: Pick<StoredList, "list" | "query">): string => `${list} ${canonicalJson(query)}`;

/** Returns a function that finds the stored range of a list: a run can have thousands of queries. */
export function checkpointsBy(stored: readonly StoredList[]) {
  const checkpoints = new Map(stored.map((each) => [keyOf(each), each.checkpoint]));
  return (list: SyncList, query: object): Checkpoint | undefined => checkpoints.get(keyOf({ list, query }));
}

export const checkpointOf = (stored: readonly StoredList[], list: SyncList, query: object): Checkpoint | undefined =>
  checkpointsBy(stored)(list, query);

export const allTimes: TimeRange = { start: -(2n ** 63n), end: 2n ** 63n - 1000n };

/** The same text for the same query or vote: the order of members, and of texts in an array, means nothing. */
export function canonicalJson(value: object): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint") return String(member);
    if (Array.isArray(member)) return member.every((each) => typeof each === "string") ? [...member].sort() : member;
    if (typeof member !== "object" || member === null) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** An address without its password, which can have any character. The address can be misspelled. */
export const hidePassword = (name: string): string =>
  name.replace(/^([^@]{2,}?):(?!\/\/).*@/s, "$1:…@").replaceAll(/(password=)[^&]*/gi, "$1…");
