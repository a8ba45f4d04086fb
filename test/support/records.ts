import type { BalanceChange } from "../../src/index.js";
import type { FakeVote } from "../../src/testing/index.js";

/** An id with the digits of a number. */
export const hex = (number: number): string => number.toString(16).padStart(64, "0");

/** Balance changes at these times in nanoseconds, each of another party. */
export const changesAt = (times: readonly bigint[]): BalanceChange[] =>
  times.map((time, index) => ({
    timestamp: `${time}`,
    assetId: hex(1),
    partyId: hex(index),
    marketId: "",
    accountType: "ACCOUNT_TYPE_GENERAL",
    balance: String(index),
  }));

/** Votes of many parties for one proposal that were last written in blocks at these times. */
export const votesAt = (times: readonly bigint[], proposalId: string): FakeVote[] =>
  times.map((time, index) => ({
    partyId: hex(index),
    proposalId,
    timestamp: `${1_707_400_000_000_000_000n + BigInt(index % 7) * 1000n}`,
    blockTime: `${time}`,
    value: "VALUE_YES",
    totalGovernanceTokenBalance: "1",
    totalGovernanceTokenWeight: "1",
    totalEquityLikeShareWeight: "0",
  }));
