import { operations } from "../../generated/operations.js";
import type { BalanceChange, PartyProfile, Vote } from "../../generated/types.js";
import { numberOf } from "../values/names.js";
import { nanosecondsPerDay } from "../values/times.js";
import { compare } from "./sorted.js";

const { enums } = operations.listBalanceChanges;

export const nodeVersions = ["v0.74", "v0.79"] as const;

export type NodeVersion = (typeof nodeVersions)[number];

/** The differences between the versions of nodes (observed on v0.74.0 and v0.79.0 nodes). */
export interface VersionRules {
  /** Whether balance changes need a range of at most a year, and the ids of a filter are split at commas. */
  isNewer: boolean;
  /** The names of the description that the version does not have: it sends their numbers, and rejects them in requests. */
  removedNames: readonly string[];
  /** Records as the version shows them. */
  toVote(vote: Vote): Vote;
  toProfile(profile: PartyProfile): PartyProfile;
  toBalanceChange(change: BalanceChange): BalanceChange;
}

const same = <T>(record: T): T => record;

export const versionRules: Readonly<Record<NodeVersion, VersionRules>> = {
  "v0.74": { isNewer: false, removedNames: [], toVote: same, toProfile: same, toBalanceChange: same },
  "v0.79": {
    isNewer: true,
    removedNames: ["ACCOUNT_TYPE_REWARD_AVERAGE_POSITION"],
    toVote: ({ perMarketEquityLikeShareWeight = {}, ...vote }) => ({
      ...vote,
      elsPerMarket: vote.elsPerMarket ?? toPairs(perMarketEquityLikeShareWeight),
    }),
    toProfile: (profile) => ({ ...profile, derivedKeys: profile.derivedKeys ?? [] }),
    toBalanceChange(change) {
      const { accountType } = change;
      if (typeof accountType !== "string" || !this.removedNames.includes(accountType)) return change;
      return { ...change, accountType: numberOf(enums.accountType, accountType) ?? accountType };
    },
  },
};

/** In the order of the ids, as the database stores them. */
const toPairs = (weights: Readonly<Record<string, string>>) =>
  Object.entries(weights)
    .map(([marketId, els]) => ({ marketId, els }))
    .sort((a, b) => compare(a.marketId, b.marketId));

/** No time of a range can be before this one, which an open start stands for. */
const earliest = BigInt(Date.UTC(2020, 0, 1)) * 1_000_000n;
const longest = 365n * nanosecondsPerDay;

/** What a v0.79 node finds wrong with a range of Unix nanoseconds, which it compares to the nanosecond. An open end stands for `now`. */
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
