import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createClient } from "../../../src/index.js";
import { createFakeNetwork, type FakeNodeData, nodeDefects } from "../../../src/testing/index.js";
import { baseUrl } from "../../support/raw-requests.js";

const party = "ab".repeat(32);

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** Nodes whose chain has a block a second; the second one is two blocks behind. */
function startChain(data: FakeNodeData = { seed: 7, party, votes: 30, balances: 30 }) {
  const options = { blockEvery: 1000, rateLimit: false, defects: nodeDefects } as const;
  const network = createFakeNetwork({ ...data, nodes: [{}, { lag: 2 }] }, options);
  return { network, records: () => network.records };
}

describe("a fake network with blockEvery", () => {
  test("ends a block every so often on all nodes, with balance changes and votes in it, until one is paused", async () => {
    const { network, records } = startChain();
    const { height, timestamp } = network.block;
    vi.advanceTimersByTime(10_500);
    expect(network.block).toEqual({ height: height + 10n, timestamp: timestamp + 10_000_000_000n });
    expect(network.nodes.map(({ block }) => block.height)).toEqual([height + 10n, height + 8n]);
    expect(records().votes.length).toBeGreaterThanOrEqual(40);
    expect(records().balances.length).toBeGreaterThanOrEqual(50);
    network.nodes[1]?.pause();
    vi.advanceTimersByTime(10_000);
    expect(network.block.height).toBe(height + 10n);
  });

  test("opens and closes proposals: the votes of a closed one are rewritten in one block", async () => {
    const { network, records } = startChain();
    vi.advanceTimersByTime(20_500);
    const proposalId = records().votes.at(-1)?.proposalId ?? "";
    const open = records().votes.filter((vote) => vote.proposalId === proposalId);
    expect(open.length).toBeGreaterThan(20);
    vi.advanceTimersByTime(1000);
    expect(records().votes.at(-1)?.proposalId).not.toBe(proposalId);
    const client = createClient({ baseUrl, fetch: (request) => network.nodes[0]?.fetch(request) as Promise<Response> });
    const { nodes, edges } = await client.listVotes({ proposalId });
    const weight = nodes.reduce((sum, vote) => sum + Number(vote.totalGovernanceTokenWeight), 0);
    expect([nodes.length, open[0]?.totalGovernanceTokenWeight]).toEqual([open.length, "0"]);
    expect(weight).toBeCloseTo(1, 12);
    // With the defects, the cursor of a vote is the time of the block in which it was last written.
    expect(new Set(edges.map(({ cursor }) => JSON.parse(atob(cursor)).vega_time)).size).toBe(1);
  });

  test("has the party among its records of each kind, and in its blocks", async () => {
    const { records } = startChain({ party, votes: 30, balances: 300, profiles: 3, spamStatistics: 2 });
    for (const each of [records().votes, records().balances, records().profiles])
      expect(each.map(({ partyId }) => partyId)).toContain(party);
    expect(Object.keys(records().spamStatistics)).toContain(party);
    vi.advanceTimersByTime(5500);
    const added = records().balances.slice(300);
    expect(added.filter(({ partyId }) => partyId === party).length).toBeGreaterThanOrEqual(5);
    const votes = records().votes.slice(30);
    expect(votes.map(({ partyId }) => partyId)).toContain(party);
  });

  test("has the same blocks for the same seed, and others for another one", async () => {
    const textOf = (seed: number) => {
      const { records } = startChain({ seed, votes: 3, balances: 3 });
      vi.advanceTimersByTime(25_500);
      return JSON.stringify(records());
    };
    expect(textOf(7)).toBe(textOf(7));
    expect(textOf(7)).not.toBe(textOf(8));
  });
});
