import type { SpamStatistics } from "../../generated/types.js";

const counter = (maxForEpoch: `${bigint}`, minTokensRequired: string) => ({
  countForEpoch: "0" as const,
  maxForEpoch,
  minTokensRequired,
});
/** The counter of a command that a party can submit three times an epoch. */
export const threeAnEpoch = counter("3", "100000000000000000000000");

/** The statistics of a party that has sent nothing or is unknown, with the limits of a new network (observed on v0.74 nodes). */
export const noStatistics = (height: bigint): SpamStatistics => ({
  proposals: threeAnEpoch,
  delegations: counter("390", "1000000000000000000"),
  transfers: counter("20", "0"),
  nodeAnnouncements: counter("1", "0"),
  votes: { statistics: [], maxForEpoch: "3" },
  pow: {
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
  },
  issueSignatures: counter("1", "100000000000000000000"),
  epochSeq: "1",
  createReferralSet: counter("3", "0"),
  updateReferralSet: counter("3", "0"),
  applyReferralCode: counter("5", "0"),
});
