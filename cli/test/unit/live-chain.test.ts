import { createClient } from "vegaprotocol-client";
import { createFakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { liveChain } from "../../src/fake-node.js";

const party = "ab".repeat(32);

/** Two nodes, of which the second one is two blocks behind, after some blocks of half a second. */
function run(blocks: number, seed = 7) {
  const options = { rateLimit: false, defects: nodeDefects } as const;
  const network = createFakeNetwork({ seed, party, votes: 30, balances: 30, nodes: [{}, { lag: 2 }] }, options);
  const endBlock = liveChain(network, { blockTime: 500_000_000n, seed, party });
  const before = network.block;
  const end = (count: number) => {
    for (let block = 0; block < count; block++) endBlock();
  };
  end(blocks);
  return { network, before, end };
}

test("a live chain has balance changes and votes in each block, on all nodes, with the party among them", () => {
  const { network, before } = run(10);
  const { block, nodes, records } = network;
  expect(block).toEqual({ height: before.height + 10n, timestamp: before.timestamp + 5_000_000_000n });
  expect(nodes.map((node) => node.block.height)).toEqual([block.height, block.height - 2n]);
  const [votes, balances] = [records.votes.slice(30), records.balances.slice(30)];
  expect([votes.length, balances.length]).toEqual([19, 50]);
  const own = balances.filter(({ partyId }) => partyId === party);
  expect(new Set(own.map(({ timestamp }) => timestamp)).size).toBe(10);
  expect(votes.map(({ partyId }) => partyId)).toContain(party);
});

test("a live chain opens and closes proposals: the votes of a closed one are rewritten in one block", async () => {
  const { network, end } = run(20);
  const proposalId = network.records.votes.at(-1)?.proposalId ?? "";
  const open = network.records.votes.filter((vote) => vote.proposalId === proposalId);
  expect(open.length).toBeGreaterThan(20);
  end(1);
  expect(network.records.votes.at(-1)?.proposalId).not.toBe(proposalId);
  const client = createClient({ baseUrl: network.nodes[0]?.url ?? "", fetch: network.fetch });
  const { nodes, edges } = await client.listVotes({ proposalId });
  const weight = nodes.reduce((sum, vote) => sum + Number(vote.totalGovernanceTokenWeight), 0);
  expect([nodes.length, open[0]?.totalGovernanceTokenWeight]).toEqual([open.length, "0"]);
  expect(weight).toBeCloseTo(1, 12);
  // With the defects, the cursor of a vote is the time of the block in which it was last written.
  expect(new Set(edges.map(({ cursor }) => JSON.parse(atob(cursor)).vega_time)).size).toBe(1);
});

test("a live chain has the same blocks for the same seed, and others for another one", () => {
  const [one, same, other] = [7, 7, 8].map((seed) => JSON.stringify(run(25, seed).network.records));
  expect([one === same, one === other]).toEqual([true, false]);
});
