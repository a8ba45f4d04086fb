import type { SpamCounter, SpamStatistics } from "../../generated/types.js";

const zeroCounter: SpamCounter = {
  countForEpoch: "0",
  maxForEpoch: "3",
  minTokensRequired: "100000000000000000000000",
};

const counter = (maxForEpoch: `${bigint}`, minTokensRequired: string): SpamCounter => ({
  countForEpoch: "0",
  maxForEpoch,
  minTokensRequired,
});

/**
 * The statistics of a party that has sent nothing or is unknown, with the limits of a new network (observed on v0.74 nodes).
 *
 * @param height - The height of the last block.
 */
export const noStatistics = (height: bigint): SpamStatistics => ({
  proposals: zeroCounter,
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

/** The statistics of a party that has sent a few transactions, among them a vote on a proposal. */
export function someStatistics(random: () => number, proposal: string): SpamStatistics {
  const some = (): SpamCounter => {
    const count = Math.floor(random() * 4);
    const blocked = count === 3 && { bannedUntil: "2024-02-09T17:54:49.123456789Z" };
    return { ...zeroCounter, countForEpoch: `${BigInt(count)}`, ...blocked };
  };
  return {
    ...noStatistics(1_234_567n),
    proposals: some(),
    delegations: some(),
    transfers: some(),
    votes: {
      statistics: [{ proposal, countForEpoch: "1", minTokensRequired: "1000000000000000000" }],
      maxForEpoch: "3",
    },
  };
}
