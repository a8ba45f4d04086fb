/** The chain of `fake-node --block-every`: balances change, parties vote, and proposals open and close. */
import { createHash } from "node:crypto";
import { formatUnits, type Vote } from "vegaprotocol-client";
import type { FakeNode } from "vegaprotocol-client/testing";

export interface LiveChainOptions {
  readonly blockTime: bigint;
  readonly seed: number;
  /** A party that has a balance change in each block, and a vote on each proposal. */
  readonly party: string | undefined;
}

const blocksOfProposal = 20;

/** Returns a function that ends the current block, with records in it. */
export function liveChain(
  chain: Pick<FakeNode, "block" | "addRecords" | "nextBlock">,
  { blockTime, seed, party }: LiveChainOptions,
): () => void {
  const hashOf = (name: string) => createHash("sha256").update(`${seed}/${name}`).digest("hex");
  const amountOf = (name: string) => `${BigInt(`0x${hashOf(name).slice(0, 10)}`) * 10n ** 12n}` as const;
  // A node that lags does not show the block of its chain.
  let { height, timestamp } = chain.block;
  let blocks = 0;
  let cast: Vote[] = [];

  const castVotes = (proposal: number, age: number): Vote[] =>
    Array.from({ length: 1 + (blocks % 3) }, (_, index) => {
      const voter = 3 * age + index;
      const name = `vote ${proposal} ${voter}`;
      return {
        partyId: voter === 0 && party !== undefined ? party : hashOf(`party ${voter}`),
        proposalId: hashOf(`proposal ${proposal}`),
        timestamp: `${timestamp}`,
        value: Number(`0x${hashOf(name).slice(-1)}`) < 11 ? "VALUE_YES" : "VALUE_NO",
        totalGovernanceTokenBalance: amountOf(name),
        totalGovernanceTokenWeight: "0",
        totalEquityLikeShareWeight: "0",
        perMarketEquityLikeShareWeight: {},
      };
    });

  /** When a proposal closes, all its votes are rewritten in one block, each with its share of the tokens that voted. */
  const closed = () => {
    const total = cast.reduce((sum, { totalGovernanceTokenBalance }) => sum + BigInt(totalGovernanceTokenBalance), 0n);
    return cast.map((vote) => {
      const share = (BigInt(vote.totalGovernanceTokenBalance) * 10n ** 18n) / (total || 1n);
      return { ...vote, totalGovernanceTokenWeight: formatUnits(share, 18), blockTime: `${timestamp}` as const };
    });
  };

  return () => {
    const [proposal, age] = [Math.floor(blocks / blocksOfProposal), blocks % blocksOfProposal];
    const rewritten = age === 0 ? closed() : [];
    if (age === 0) cast = [];
    const votes = castVotes(proposal, age);
    cast.push(...votes);
    chain.addRecords({ balances: 2 + (blocks % 5), votes: rewritten });
    const own = party === undefined ? [] : [{ partyId: party, balance: amountOf(`balance ${blocks}`) }];
    const next = { height: height + 1n, timestamp: timestamp + blockTime };
    chain.nextBlock({ balances: own, votes, block: next });
    ({ height, timestamp } = next);
    blocks++;
  };
}
