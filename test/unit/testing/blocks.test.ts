import { describe, expect, test } from "vitest";
import { followVotes } from "../../../src/follow/index.js";
import { createClient } from "../../../src/index.js";
import { createFakeNetwork, createFakeNode, type FakeNodeData, nodeDefects } from "../../../src/testing/index.js";
import { ManualClock } from "../../support/manual-clock.js";
import { baseUrl, fetchFrom, fetchPage } from "../../support/raw-requests.js";

const list = "/api/v2/balance/changes?pagination.first=5000";
const party = "ab".repeat(32);

describe("a half-written block of a fake node", () => {
  test("is the one that the headers name, and has some of its records already", async () => {
    const node = createFakeNode({ balances: 10, votes: 5 });
    const { height, timestamp } = node.block;
    node.addRecords({ balances: 4, votes: 2, profiles: 1 });
    const { headers } = await fetchFrom(node, list);
    expect([headers.get("x-block-height"), headers.get("x-block-timestamp")]).toEqual([`${height}`, `${timestamp}`]);
    expect((await fetchPage(node, list)).edges).toHaveLength(14);
    node.nextBlock({ balances: 3 });
    expect(node.records.balances.slice(10).map((each) => each.timestamp)).toEqual(Array(7).fill(`${timestamp}`));
    expect(node.records.votes.slice(5).map((each) => each.timestamp)).toEqual(Array(2).fill(`${timestamp}`));
    expect(node.block).toEqual({ height: height + 1n, timestamp: timestamp + 1_000_000_000n });
  });

  test.each([
    [3, 5, 7],
    [299, 1, 20],
    [400, 10, 400],
  ])("has changes of different accounts if %i, %i and %i are generated in turn", (first, second, third) => {
    const node = createFakeNode({ balances: 0 });
    node.addRecords({ balances: first });
    node.addRecords({ balances: second });
    node.nextBlock({ balances: third });
    expect(node.records.balances).toHaveLength(first + second + third);
  });

  test("is not seen on a node that is a block behind", async () => {
    const network = createFakeNetwork({ nodes: [{ lag: 1 }, {}], balances: [] });
    const counts = () => Promise.all(network.nodes.map(async (node) => (await fetchPage(node, list)).edges.length));
    network.addRecords({ balances: 4 });
    expect(await counts()).toEqual([0, 4]);
    network.nextBlock({ balances: 1 });
    expect(await counts()).toEqual([0, 5]);
    network.nextBlock();
    network.addRecords({ balances: 2 });
    expect(await counts()).toEqual([5, 7]);
  });

  test("has neither records of another time nor an end", () => {
    const node = createFakeNode({ balances: [], block: { height: 1n, timestamp: 5000n } });
    const at = (timestamp: `${bigint}`) => ({ balances: [{ timestamp }] });
    expect(() => node.addRecords(at("4000"))).toThrow("at or after 5000");
    expect(() => node.addRecords(at("6000"))).toThrow("at or before 5000");
    expect(() => node.addRecords({ block: { height: 2n, timestamp: 5n } } as never)).toThrow(
      "`data.block` cannot be given, because the block does not end.",
    );
    node.addRecords(at("5000"));
    expect(node.records.balances).toHaveLength(1);
  });
});

function createLiveNode(data: FakeNodeData = { seed: 7, party, votes: 30, balances: 30 }) {
  const clock = new ManualClock();
  const after = (milliseconds: number, callback: () => void) => clock.after(milliseconds, callback);
  const node = createFakeNode(data, { blockEvery: 1000, after, rateLimit: false });
  return { node, sleep: (milliseconds: number) => clock.run(clock.sleep(milliseconds)) };
}

describe("a fake node with blockEvery", () => {
  test("ends a block every so often, with balance changes and votes in it, until it is paused", async () => {
    const { node, sleep } = createLiveNode();
    const { height, timestamp } = node.block;
    await sleep(10_500);
    expect(node.block).toEqual({ height: height + 10n, timestamp: timestamp + 10_000_000_000n });
    expect(node.records.votes.length).toBeGreaterThanOrEqual(40);
    expect(node.records.balances.length).toBeGreaterThanOrEqual(50);
    node.pause();
    await sleep(10_000);
    expect(node.block.height).toBe(height + 10n);
  });

  test("opens and closes proposals: the votes of a closed one are rewritten in one block", async () => {
    const { node, sleep } = createLiveNode();
    await sleep(20_500);
    const proposalId = node.records.votes.at(-1)?.proposalId ?? "";
    const open = node.records.votes.filter((vote) => vote.proposalId === proposalId);
    expect(open.length).toBeGreaterThan(20);
    await sleep(1000);
    expect(node.records.votes.at(-1)?.proposalId).not.toBe(proposalId);
    const client = createClient({ baseUrl, fetch: node.fetch });
    // With the defect, the cursor of a vote is the time of the block in which it was last written.
    node.configure({ defects: nodeDefects });
    const { nodes, edges } = await client.listVotes({ proposalId });
    expect(nodes).toHaveLength(open.length);
    const weight = nodes.reduce((sum, vote) => sum + Number(vote.totalGovernanceTokenWeight), 0);
    expect([open[0]?.totalGovernanceTokenWeight, weight]).toEqual(["0", expect.closeTo(1, 12)]);
    expect(new Set(edges.map(({ cursor }) => JSON.parse(atob(cursor)).vega_time)).size).toBe(1);
  });

  test("has the party among the votes, the balance changes, the profiles and the statistics", async () => {
    const { node, sleep } = createLiveNode({ party, votes: 30, balances: 300, profiles: 3, spamStatistics: 2 });
    const { records } = node;
    for (const each of [records.votes, records.balances, records.profiles])
      expect(each.map(({ partyId }) => partyId)).toContain(party);
    expect(Object.keys(records.spamStatistics)).toContain(party);
    await sleep(5500);
    const added = node.records.balances.slice(300).filter(({ partyId }) => partyId === party);
    expect(added.length).toBeGreaterThanOrEqual(5);
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

  test("can be followed, on the timers of the system", async () => {
    const node = createFakeNode({ party, votes: 30 }, { blockEvery: 20, rateLimit: false, defects: nodeDefects });
    const client = createClient({ baseUrl, fetch: node.fetch, pacing: false });
    const followed = new Set<string>();
    for await (const { proposalId } of followVotes(client, { partyId: party }, { from: "start", pollInterval: 10 })) {
      if (followed.add(proposalId).size > 4) break;
    }
    node.pause();
    expect(followed.size).toBeGreaterThan(4);
  });

  test("moves all nodes of a network, until one of them is paused", async () => {
    const clock = new ManualClock();
    const after = (milliseconds: number, callback: () => void) => clock.after(milliseconds, callback);
    const network = createFakeNetwork({ nodes: [{}, { lag: 2 }] }, { blockEvery: 500, after });
    const { height } = network.block;
    await clock.run(clock.sleep(2250));
    expect(network.nodes.map(({ block }) => block.height)).toEqual([height + 4n, height + 2n]);
    network.nodes[1]?.pause();
    await clock.run(clock.sleep(2000));
    expect(network.block.height).toBe(height + 4n);
  });
});
