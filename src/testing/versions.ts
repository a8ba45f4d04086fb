import { operations } from "../../generated/operations.js";
import type { BalanceChange, PartyProfile, Vote } from "../../generated/types.js";
import { compare } from "../values/integers.js";
import { numberOf } from "../values/names.js";
import { nanosecondsPerDay } from "../values/times.js";

export const nodeVersions = ["v0.74", "v0.79"] as const;

export type NodeVersion = (typeof nodeVersions)[number];

/** A name that v0.79 nodes do not have: they send its number, and reject it in requests. */
export const removedName = "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION";
const removedNumber = numberOf(operations.listBalanceChanges.enums.accountType, removedName) ?? removedName;

/** Show a record as nodes of a version do (observed on v0.74.0 and v0.79.0 nodes). */
export function showVote(version: NodeVersion, record: Vote): Vote {
  if (version === "v0.74") return record;
  const { perMarketEquityLikeShareWeight = {}, ...vote } = record;
  // In the order of the ids, as the database stores them.
  const weights = Object.entries(perMarketEquityLikeShareWeight).sort(([a], [b]) => compare(a, b));
  return { ...vote, elsPerMarket: vote.elsPerMarket ?? weights.map(([marketId, els]) => ({ marketId, els })) };
}
export const showProfile = (version: NodeVersion, profile: PartyProfile): PartyProfile =>
  version === "v0.74" ? profile : { ...profile, derivedKeys: profile.derivedKeys ?? [] };
export const showBalanceChange = (version: NodeVersion, change: BalanceChange): BalanceChange =>
  version === "v0.74" || change.accountType !== removedName ? change : { ...change, accountType: removedNumber };

/** No time of a range can be before this one, which an open start stands for. */
const earliest = BigInt(Date.UTC(2020, 0, 1)) * 1_000_000n;
const longest = 365n * nanosecondsPerDay;

/** Why a v0.79 node rejects a range of Unix nanoseconds, compared to the nanosecond. An open end stands for `now`. */
export function problemOfRange(
  start: bigint | undefined,
  end: bigint | undefined,
  isRequired: boolean,
  now: () => number,
): string | undefined {
  if (start === undefined && end === undefined) return isRequired ? "date range is required" : undefined;
  const [from, until] = [start ?? earliest, end ?? BigInt(Math.floor(now())) * 1_000_000n];
  if (from < earliest || (end ?? earliest) < earliest) return "date range start must be after 2020-01-01";
  if (start !== undefined && end !== undefined && start > end) return "date range start must be before end";
  return until - from > longest ? "date range is too long" : undefined;
}
