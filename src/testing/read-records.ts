import type { NodeSignature, PartyProfile } from "../../generated/types.js";
import { isDigits } from "../values/digits.js";
import { checkRecord, isCount, refuseArgument } from "./arguments.js";
import { type FakeNodeData, type FakeVote, otherLists } from "./data.js";
import { base64ToBytes } from "./encoding.js";
import type { StoredVote } from "./lists/votes.js";
import type { AddedRecords } from "./store.js";
import { latestTime, toMicroseconds } from "./time.js";

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
