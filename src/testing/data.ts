import type { OperationTypes } from "../../generated/client.js";
import type { operations } from "../../generated/operations.js";
import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics, Vote } from "../../generated/types.js";
import { bigint, checkNames, refuseArgument } from "./arguments.js";
import { described, type OperationId, operationIds } from "./query.js";

/** A vote that a fake node holds. */
export interface FakeVote extends Vote {
  /**
   * The time of the block in which the vote was last written, in Unix nanoseconds: v0.74 nodes sort votes by it and do not
   * show it. A closing proposal writes all its votes anew.
   *
   * @default The vote's `timestamp`; in `nextBlock` the time of the block, if that is later.
   */
  blockTime?: `${bigint}` | undefined;
}

/** A block of the chain. */
export interface FakeBlock {
  height: bigint;
  /** In Unix nanoseconds. */
  timestamp: bigint;
}

/** The names of data that has a meaning of its own. */
const ownNames = [
  "votes",
  "profiles",
  "balances",
  "signatures",
  "spamStatistics",
  "block",
  "history",
  "seed",
  "party",
] as const;

type Envelopes = {
  [Id in OperationId]: (typeof operations)[Id] extends { envelope: infer Name } ? Name : never;
};

/** The records of all other lists of the description, by the member of the response that holds the page. */
export type OtherLists = {
  readonly [Id in OperationId as Exclude<Envelopes[Id], (typeof ownNames)[number]>]: readonly NonNullable<
    OperationTypes[Id]["record"]
  >[];
};

/** The names of {@link OtherLists}. */
export const otherLists: readonly string[] = operationIds
  .flatMap((id) => described[id].envelope ?? [])
  .filter((name) => !ownNames.some((own) => own === name));

type OtherData = { [Name in keyof OtherLists]?: OtherLists[Name] | undefined };

/**
 * What a fake node holds: records, or how many of them to generate. Data without any list stands for a hundred records of each
 * list that can be generated; next to other lists, a list that is left out is empty. Times are cut to microseconds, as nodes do.
 *
 * Every other list of the description takes an array of records, by the member of the response that holds the page. They are
 * listed in the order of the array, which is from the oldest to the newest record.
 */
export interface FakeNodeData extends OtherData {
  /**
   * Votes; of a party's votes on a proposal, the last one counts. Generated ones are cast on three proposals. The first is
   * closed: all its votes were last written in one block, and their weights add up to 1. Votes on open proposals have the
   * weight "0", as on real nodes.
   */
  votes?: readonly FakeVote[] | number | undefined;
  /** Profiles, listed by the bytes of their ids; of a party's profiles, the last one counts. */
  profiles?: readonly PartyProfile[] | number | undefined;
  /** Balance changes. Generated ones come in blocks, most with a few of them and some with hundreds or thousands. */
  balances?: readonly BalanceChange[] | number | undefined;
  /** Node signatures, listed by their bytes. */
  signatures?: readonly NodeSignature[] | number | undefined;
  /** Spam statistics by party; a party that is not here has zeros. */
  spamStatistics?: Readonly<Record<string, SpamStatistics>> | number | undefined;
  /**
   * The current block, which `X-Block-Height` and `X-Block-Timestamp` name. All records below its time are there and
   * final; of those at its time, any can still be missing.
   *
   * @default Height 1234568, one second after the newest record.
   */
  block?: FakeBlock | undefined;
  /**
   * The oldest day (UTC) that the node keeps: any time of it, in Unix nanoseconds. Older balance changes are silently absent from
   * responses; votes, profiles and signatures are kept whole (observed on v0.74 nodes). Default: everything is kept.
   */
  history?: bigint | undefined;
  /**
   * What generated records depend on: the same seed gives the same ones.
   *
   * @default 1
   */
  seed?: number | undefined;
  /**
   * The id of a party that has votes, balance changes, a profile and spam statistics among the generated records, also in the blocks of
   * the option `blockEvery`. Default: all parties are generated.
   */
  party?: string | undefined;
}

/** What joins a chain: as the data of a node, without what generated records depend on. */
export type FakeBlockData = Omit<FakeNodeData, "seed" | "party">;

/** A record of which any member can be left out. */
export type Incomplete<T> = { [Name in keyof T]?: T[Name] | undefined };

/** Data whose records can lack any member: the option `fill` completes them. */
export interface PartialNodeData
  extends Omit<FakeNodeData, "votes" | "profiles" | "balances" | "signatures" | "spamStatistics"> {
  votes?: readonly Incomplete<FakeVote>[] | number | undefined;
  profiles?: readonly Incomplete<PartyProfile>[] | number | undefined;
  balances?: readonly Incomplete<BalanceChange>[] | number | undefined;
  signatures?: readonly Incomplete<NodeSignature>[] | number | undefined;
  spamStatistics?: Readonly<Record<string, Incomplete<SpamStatistics>>> | number | undefined;
}

/** {@link FakeBlockData} whose records can lack any member. */
export type PartialBlockData = Omit<PartialNodeData, "seed" | "party">;

/** What a node holds if its data has no list, and with the option `fill` for lists that are left out. */
export const someOfEach = { votes: 100, profiles: 100, balances: 100, signatures: 100, spamStatistics: 10 };

/** Whether data has a list, be it empty. */
export const hasLists = (data: PartialNodeData): boolean =>
  Object.entries(data).some(
    ([name, value]) => value !== undefined && (name in someOfEach || otherLists.includes(name)),
  );

/** Refuses data that is invalid, apart from its records. */
export function checkData(data: PartialNodeData): void {
  checkNames("data", data, [...ownNames, ...otherLists]);
  const { block, history, seed, party } = data;
  if (party !== undefined && (typeof party !== "string" || party === "")) refuseArgument("data.party", "an id", party);
  if (seed !== undefined && !Number.isSafeInteger(seed)) refuseArgument("data.seed", "an integer", seed);
  if (history !== undefined) bigint(history, { argument: "data.history" });
  if (block === undefined) return;
  checkNames("data.block", block, ["height", "timestamp"]);
  for (const name of ["height", "timestamp"] as const) {
    const value: unknown = block[name];
    if (typeof value !== "bigint" || value < 0n) refuseArgument(`data.block.${name}`, "a bigint of at least 0n", value);
  }
}
