import type { SpamStatistics } from "../../generated/types.js";
import type { FakeStatistics } from "./store.js";

const counter = (maxForEpoch: `${bigint}`, minTokensRequired: string) =>
  ({ countForEpoch: "0", maxForEpoch, minTokensRequired }) as const;

/**
 * The statistics of a party that has sent nothing or is unknown, with the limits of a new network (observed on v0.74
 * nodes).
 */
export const noStatistics: FakeStatistics = {
  proposals: counter("3", "100000000000000000000000"),
  delegations: counter("390", "1000000000000000000"),
  transfers: counter("20", "0"),
  nodeAnnouncements: counter("1", "0"),
  votes: { statistics: [], maxForEpoch: "3" },
  issueSignatures: counter("1", "100000000000000000000"),
  epochSeq: "1",
  createReferralSet: counter("3", "0"),
  updateReferralSet: counter("3", "0"),
  applyReferralCode: counter("5", "0"),
};

/** The proof of work of a party that has sent nothing: the current block has all its transactions left. */
export const unusedPow = (height: bigint): SpamStatistics["pow"] => ({
  blockStates: [
    {
      blockHeight: `${height}`,
      blockHash: height.toString(16).padStart(64, "0"),
      transactionsSeen: "0",
      expectedDifficulty: "15",
      hashFunction: "sha3_24_rounds",
      difficulty: "15",
      txPerBlock: "2",
      increasingDifficulty: false,
    },
  ],
  numberOfPastBlocks: "100",
});
