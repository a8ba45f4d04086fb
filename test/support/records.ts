import type { BalanceChange } from "../../src/index.js";
import type { FakeVote } from "../../src/testing/index.js";

/** An id with the digits of a number. */
export const hex = (number: number): string => number.toString(16).padStart(64, "0");

/** A balance change of a time in nanoseconds. */
export const changeAt = (time: bigint, members: Partial<BalanceChange> = {}): BalanceChange => ({
  timestamp: `${time}`,
  assetId: hex(1),
  partyId: hex(1),
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
  balance: "1",
  ...members,
});

/** Balance changes at these times, each of another party. */
export const changesAt = (times: readonly bigint[]): BalanceChange[] =>
  times.map((time, index) => changeAt(time, { partyId: hex(index), balance: String(index) }));

/** A vote that was cast and last written in the block of a time in nanoseconds. */
export const voteAt = (time: bigint, proposalId: string, members: Partial<FakeVote> = {}): FakeVote => ({
  partyId: hex(1),
  proposalId,
  timestamp: `${time}`,
  blockTime: `${time}`,
  value: "VALUE_YES",
  totalGovernanceTokenBalance: "1",
  totalGovernanceTokenWeight: "0",
  totalEquityLikeShareWeight: "0",
  ...members,
});

/** Votes of many parties for one proposal that were last written in blocks at these times. */
export const votesAt = (times: readonly bigint[], proposalId: string): FakeVote[] =>
  times.map((time, index) => {
    const timestamp = `${1_707_400_000_000_000_000n + BigInt(index % 7) * 1000n}` as const;
    return voteAt(time, proposalId, { partyId: hex(index), timestamp, totalGovernanceTokenWeight: "1" });
  });
