import type { BalanceChange, NodeSignature, PartyProfile, SpamStatistics } from "../../generated/types.js";
import { isDigits } from "../values/integers.js";
import { checkRecord, isCount, refuseArgument } from "./arguments.js";
import {
  type FakeBlockData,
  type FakeNodeData,
  type FakeVote,
  type Incomplete,
  otherLists,
  type PartialBlockData,
} from "./data.js";
import { signatureOf } from "./generator.js";
import type { StoredVote } from "./lists/votes.js";
import { Seed } from "./random.js";
import { noStatistics } from "./spam-statistics.js";
import type { AddedRecords } from "./store.js";
import { base64ToBytes, latestTime, toMicroseconds } from "./wire.js";

/** How to generate so many records. */
export type Generators = { [List in Exclude<keyof AddedRecords, "others">]: (count: number) => AddedRecords[List] };

/** The earliest and latest time that votes and balance changes can have, in Unix nanoseconds. */
export interface TimeBounds {
  since?: bigint | undefined;
  until?: bigint | undefined;
}

/**
 * Reads the records of data, and generates those that are given as a number.
 *
 * @throws `ArgumentError` if a record is invalid.
 */
export function readRecords(data: FakeNodeData, generate: Generators, bounds: TimeBounds): AddedRecords {
  const { spamStatistics } = data;
  return {
    votes: readList("votes", data.votes, generate.votes, (vote, place) => toStoredVote(vote, place, bounds)),
    profiles: readList("profiles", data.profiles, generate.profiles, checkProfile),
    balances: readList("balances", data.balances, generate.balances, (change, place) => {
      checkTime(`${place}.timestamp`, change.timestamp, bounds);
      return change;
    }),
    signatures: readList("signatures", data.signatures, generate.signatures, checkSignature),
    spamStatistics: isCount(spamStatistics) ? generate.spamStatistics(spamStatistics) : checkStatistics(spamStatistics),
    others: readOthers(data),
  };
}

function readOthers(data: FakeNodeData): Map<string, readonly object[]> {
  const given = new Map<string, unknown>(Object.entries(data));
  return new Map(otherLists.map((name) => [name, readOther(name, given.get(name) ?? [])]));
}

function readOther(name: string, given: unknown): readonly object[] {
  if (!Array.isArray(given)) refuseArgument(`data.${name}`, "an array of records", given);
  for (const [index, record] of given.entries()) checkRecord(`data.${name}[${index}]`, record);
  return given;
}

function readList<Given extends object, Read>(
  name: string,
  given: readonly Given[] | number | undefined,
  generate: (count: number) => readonly Read[],
  read: (record: Given, place: string) => Read,
): readonly Read[] {
  if (given === undefined) return [];
  if (isCount(given)) return generate(given);
  if (!Array.isArray(given)) refuseArgument(`data.${name}`, "an array of records, or how many to generate", given);
  return given.map((record: Given, index) => {
    const place = `data.${name}[${index}]`;
    checkRecord(place, record);
    return read(record, place);
  });
}

function toStoredVote({ blockTime, ...vote }: FakeVote, place: string, bounds: TimeBounds): StoredVote {
  checkText(`${place}.partyId`, vote.partyId);
  checkText(`${place}.proposalId`, vote.proposalId);
  checkTime(`${place}.timestamp`, vote.timestamp, {});
  if (blockTime !== undefined) checkTime(`${place}.blockTime`, blockTime, bounds);
  const written = blockTime ?? later(vote.timestamp, bounds.since);
  checkTime(`${place}.timestamp`, written, bounds);
  return { ...vote, blockTime: written };
}

const later = (time: `${bigint}`, since: bigint | undefined): `${bigint}` =>
  since !== undefined && BigInt(time) < since ? `${since}` : time;

function checkProfile(profile: PartyProfile, place: string): PartyProfile {
  checkText(`${place}.partyId`, profile.partyId);
  if (!Array.isArray(profile.metadata)) refuseArgument(`${place}.metadata`, "an array", profile.metadata);
  return profile;
}

function checkSignature(signature: NodeSignature, place: string): NodeSignature {
  checkText(`${place}.id`, signature.id);
  const { sig } = signature;
  if (sig !== null && !(typeof sig === "string" && base64ToBytes(sig)))
    refuseArgument(`${place}.sig`, "base64 or null", sig);
  return signature;
}

function checkStatistics(given: Exclude<FakeNodeData["spamStatistics"], number>): AddedRecords["spamStatistics"] {
  if (given === undefined) return {};
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given;
  return refuseArgument("data.spamStatistics", "an object by party, or how many to generate", given);
}

function checkText(place: string, value: unknown): void {
  if (typeof value !== "string") refuseArgument(place, "a string", value);
}

function checkTime(place: string, value: unknown, { since, until }: TimeBounds): void {
  if (!isDigits(value) || Math.abs(toMicroseconds(value)) > latestTime) {
    refuseArgument(place, "digits of Unix nanoseconds, before the year 2255", value);
  }
  if (since !== undefined && toMicroseconds(value) < toMicroseconds(since)) {
    refuseArgument(place, `at or after ${since}, the time of the current block: what is before it is final`, value);
  }
  if (until !== undefined && toMicroseconds(value) > toMicroseconds(until)) {
    refuseArgument(place, `at or before ${until}, the time of the current block`, value);
  }
}

/** The time of a record, by its index and the number of records. */
export type TimeOf = (index: number, count: number) => `${bigint}`;

/** Completes records: what is left out has a value that could be that of a network. Natural keys differ. */
export class RecordCompletion {
  readonly #seed: Seed;
  /** How many records of each list were completed before. */
  readonly #completed = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = new Seed(seed);
  }

  /**
   * @param timeOf - The times of records without one.
   * @param height - The height of the current block.
   */
  complete(data: PartialBlockData, timeOf: TimeOf, height: bigint): FakeBlockData {
    const { votes, profiles, balances, signatures, spamStatistics, ...others } = data;
    return {
      ...others,
      votes: this.#list("votes", votes, timeOf, (index, time, { blockTime }) => this.#vote(index, blockTime ?? time)),
      profiles: this.#list("profiles", profiles, timeOf, (index) => this.#profile(index)),
      balances: this.#list("balances", balances, timeOf, (index, time) => this.#balance(index, time)),
      signatures: this.#list("signatures", signatures, timeOf, (index) => this.#signature(index)),
      spamStatistics: completeStatistics(spamStatistics, height),
    };
  }

  #list<T extends object>(
    name: string,
    given: readonly Incomplete<T>[] | number | undefined,
    timeOf: TimeOf,
    make: (index: number, time: `${bigint}`, record: Incomplete<T>) => T,
  ): readonly T[] | number | undefined {
    // Reading the records refuses what is neither a list nor a number.
    if (!Array.isArray(given)) return given as number | undefined;
    const before = this.#completed.get(name) ?? 0;
    this.#completed.set(name, before + given.length);
    return given.map((record: Incomplete<T>, index) => {
      checkRecord(`data.${name}[${index}]`, record);
      return complete(make(before + index, timeOf(index, given.length), record), record);
    });
  }

  #vote(index: number, timestamp: `${bigint}`): FakeVote {
    return {
      partyId: this.#seed.id("party", index),
      proposalId: this.#seed.id("proposal", 1),
      timestamp,
      value: "VALUE_YES",
      totalGovernanceTokenBalance: "1000000000000000000",
      totalGovernanceTokenWeight: "0",
      totalEquityLikeShareWeight: "0",
      perMarketEquityLikeShareWeight: {},
    };
  }

  #profile(index: number): PartyProfile {
    return { partyId: this.#seed.id("party", index), alias: `Party ${index + 1}`, metadata: [] };
  }

  #balance(index: number, timestamp: `${bigint}`): BalanceChange {
    return {
      timestamp,
      partyId: this.#seed.id("party", index),
      assetId: this.#seed.id("resource", 0),
      marketId: "",
      accountType: "ACCOUNT_TYPE_GENERAL",
      balance: "1000000000000000000",
    };
  }

  #signature(index: number): NodeSignature {
    return {
      id: this.#seed.id("resource", 0),
      sig: signatureOf(this.#seed.random("completed signature", index)),
      kind: "NODE_SIGNATURE_KIND_ASSET_NEW",
    };
  }
}

function completeStatistics(
  given: PartialBlockData["spamStatistics"],
  height: bigint,
): FakeBlockData["spamStatistics"] {
  if (typeof given !== "object" || given === null) return given;
  const entries = Object.entries(given).map(([party, statistics]) => {
    checkRecord(`data.spamStatistics.${party}`, statistics);
    return [party, complete<SpamStatistics>(noStatistics(height), statistics)] as const;
  });
  return Object.fromEntries(entries);
}

const complete = <T extends object>(record: T, given: Incomplete<T>): T => ({ ...record, ...withoutUndefined(given) });

/** A member that is `undefined` counts as left out. */
export function withoutUndefined<T extends object>(record: Incomplete<T>): Partial<T> {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
