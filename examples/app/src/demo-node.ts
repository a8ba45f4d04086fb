import type { BalanceChange, Vote } from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";

const hour = 3_600_000_000_000n;

/** A fake node with the paging defects of v0.74 nodes, and ids that it has. */
export function createDemo() {
  const { records } = createFakeNode({ votes: 6000, profiles: 60 });
  const [vote] = records.votes;
  const voters = [...new Set(records.votes.map(({ partyId }) => partyId))];
  const parties = records.profiles
    .filter(({ partyId }) => voters.includes(partyId))
    .slice(0, 3)
    .map(({ partyId, alias }) => ({ id: partyId, name: alias || partyId.slice(0, 8) }));
  const balances = parties.flatMap(({ id }, index) => historyOf(id, BigInt(vote?.timestamp ?? 0), index));
  const node = createFakeNode(
    { votes: 6000, profiles: 60, spamStatistics: 60, balances },
    { defects: nodeDefects, faults: [{ name: "latency", milliseconds: 150 }] },
  );
  return { fetch: node.fetch, proposals: openProposals(records.votes), parties };
}

/** The proposals by the number of their votes, without the first one, which is closed. */
function openProposals(votes: readonly Vote[]) {
  const [closed, ...open] = [...new Set(votes.map(({ proposalId }) => proposalId))];
  return [...open, closed ?? ""].map((id, index) => ({ id, name: index === open.length ? "closed" : "open" }));
}

/** A week of balances of two assets, as a random walk that is the same each time. */
function historyOf(partyId: string, end: bigint, seed: number): BalanceChange[] {
  let state = seed + 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return ["a1".repeat(32), "b2".repeat(32)].flatMap((assetId) => {
    let balance = 20_000 + 60_000 * random();
    return Array.from({ length: 400 }, (_, index) => {
      balance = Math.max(500, balance + (random() - 0.49) * 4000 + (random() < 0.02 ? 15_000 * (random() - 0.5) : 0));
      return {
        timestamp: `${end - (BigInt(400 - index) * 168n * hour) / 400n}` as const,
        partyId,
        assetId,
        marketId: "",
        accountType: "ACCOUNT_TYPE_GENERAL",
        balance: `${BigInt(Math.round(balance * 1000)) * 10n ** 15n}`,
      };
    });
  });
}
