import { describe, expect, test } from "vitest";
import { followVotes } from "../../../src/follow/index.js";
import { createClient } from "../../../src/index.js";
import { createFakeNetwork, createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { ManualClock } from "../../support/manual-clock.js";

const party = "ab".repeat(32);

function createLiveNode(data: Parameters<typeof createFakeNode>[0] = { seed: 7, party, votes: 30, balances: 30 }) {
  const clock = new ManualClock();
  const node = createFakeNode(data, {
    blockEvery: 1000,
    after: (milliseconds, callback) => clock.after(milliseconds, callback),
    rateLimit: false,
  });
  return { node, sleep: (milliseconds: number) => clock.run(clock.sleep(milliseconds)) };
}

describe("a fake node with blockEvery", () => {
  test("ends a block every so often, with balance changes and votes in it, until it is paused", async () => {
    const { node, sleep } = createLiveNode();
    const { height, timestamp } = node.block;
    const before = { votes: node.records.votes.length, balances: node.records.balances.length };
    await sleep(10_500);
    expect(node.block.height).toBe(height + 10n);
    expect(node.block.timestamp).toBe(timestamp + 10_000_000_000n);
    expect(node.records.votes.length).toBeGreaterThanOrEqual(before.votes + 10);
    expect(node.records.balances.length).toBeGreaterThanOrEqual(before.balances + 20);
    node.pause();
    await sleep(10_000);
    expect(node.block.height).toBe(height + 10n);
  });

  test("opens and closes proposals: the votes of a closed one are rewritten in one block", async () => {
    const { node, sleep } = createLiveNode();
    await sleep(20_500);
    const [first] = node.records.votes.slice(-1);
    const open = node.records.votes.filter(({ proposalId }) => proposalId === first?.proposalId);
    expect(open.length).toBeGreaterThan(20);
    await sleep(1000);
    const votes = node.records.votes;
    expect(votes.at(-1)?.proposalId).not.toBe(first?.proposalId);
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const page = await client.listVotes({ proposalId: first?.proposalId ?? "" });
    expect(page.nodes).toHaveLength(open.length);
    // With the defect, the cursor of a vote is the time of the block in which it was last written.
    node.configure({ defects: nodeDefects });
    const weight = page.nodes.reduce((sum, vote) => sum + Number(vote.totalGovernanceTokenWeight), 0);
    expect([open[0]?.totalGovernanceTokenWeight, weight]).toEqual(["0", expect.closeTo(1, 12)]);
    const { edges } = await client.listVotes({ proposalId: first?.proposalId ?? "" });
    const times = edges.map(({ cursor }) => JSON.parse(atob(cursor)).vega_time);
    expect(new Set(times).size).toBe(1);
  });

  test("has the party among the votes, the balance changes, the profiles and the statistics", async () => {
    const { node, sleep } = createLiveNode({
      seed: 7,
      party,
      votes: 30,
      balances: 300,
      profiles: 3,
      spamStatistics: 2,
    });
    const { records } = node;
    for (const list of [records.votes, records.balances, records.profiles])
      expect(list.map(({ partyId }) => partyId)).toContain(party);
    expect(Object.keys(records.spamStatistics)).toContain(party);
    await sleep(5500);
    const added = node.records.balances.slice(300);
    expect(added.filter(({ partyId }) => partyId === party).length).toBeGreaterThanOrEqual(5);
    expect(node.records.votes.slice(30).map(({ partyId }) => partyId)).toContain(party);
  });

  test("has the same blocks for the same seed, and others for another one", async () => {
    const textOf = async (seed: number) => {
      const { node, sleep } = createLiveNode({ seed, votes: 3, balances: 3 });
      await sleep(25_500);
      return JSON.stringify(node.records);
    };
    expect(await textOf(7)).toBe(await textOf(7));
    expect(await textOf(7)).not.toBe(await textOf(8));
  });

  test("can be followed", async () => {
    const node = createFakeNode({ party, votes: 30 }, { blockEvery: 20, rateLimit: false, defects: nodeDefects });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch, pacing: false });
    const followed: string[] = [];
    for await (const { proposalId } of followVotes(client, { partyId: party }, { from: "start", pollInterval: 10 })) {
      followed.push(proposalId);
      if (new Set(followed).size > 4) break;
    }
    node.pause();
    expect(new Set(followed).size).toBeGreaterThan(4);
  });

  test("is refused with an interval that no timer has", () => {
    expect(() => createFakeNode({}, { blockEvery: 0 })).toThrow("Expected `milliseconds` to be a number above 0");
    expect(() => createFakeNode({}, { blockEvery: "1s" as never })).toThrow("Expected `options.blockEvery`");
    expect(() => createFakeNode({ party: "" })).toThrow("Expected `data.party` to be an id");
  });
});

test("a fake network with blockEvery moves all nodes", async () => {
  const clock = new ManualClock();
  const network = createFakeNetwork(
    { nodes: [{}, { lag: 2 }] },
    { blockEvery: 500, after: (milliseconds, callback) => clock.after(milliseconds, callback) },
  );
  const { height } = network.block;
  await clock.run(clock.sleep(2250));
  expect(network.nodes.map(({ block }) => block.height)).toEqual([height + 4n, height + 2n]);
  network.nodes[1]?.pause();
  await clock.run(clock.sleep(2000));
  expect(network.block.height).toBe(height + 4n);
});
