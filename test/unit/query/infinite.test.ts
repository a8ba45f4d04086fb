import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BalanceChange, createClient, type Vote } from "../../../src/index.js";
import { queries } from "../../../src/query/index.js";
import { createFakeNode, type FakeNodeData, nodeDefects } from "../../../src/testing/index.js";
import { InfiniteList } from "../../support/infinite-list.js";
import { changesAt, hex, votesAt } from "../../support/records.js";
import { runs } from "../../support/runs.js";

const proposalId = hex(0xfff);
const start = 1_707_486_400_000_000_000n;
const second = 1_000_000_000n;

function connect(data: FakeNodeData) {
  const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch, pacing: false });
  return { node, vega: queries(client) };
}

const sortedKeys = (records: readonly (BalanceChange | Vote)[]) =>
  records.map(({ timestamp, partyId }) => `${timestamp} ${partyId}`).sort();

/** The time of each record of blocks that are so many nanoseconds apart, with so many records. */
function timesOf(blocks: readonly { gap: bigint; count: number }[]): bigint[] {
  let time = start;
  return blocks.flatMap(({ gap, count }) => {
    time += gap;
    return Array<bigint>(count).fill(time);
  });
}

describe("an infinite list on a v0.74 node", () => {
  test("shows every balance change once at any density and page size, in both orders, also after a refetch", async () => {
    const block = fc.record({ gap: fc.constantFrom(1000n, 2000n, second), count: fc.integer({ min: 1, max: 9 }) });
    const blocks = fc.array(block, { minLength: 1, maxLength: 12 });
    const pages = fc.record({ first: fc.integer({ min: 1, max: 12 }), newestFirst: fc.boolean() });
    const property = fc.asyncProperty(blocks, pages, async (blocks, pagination) => {
      const balances = changesAt(timesOf(blocks));
      const { node, vega } = connect({ balances });
      const list = new InfiniteList(vega.listBalanceChanges.infinite({ pagination }));
      await list.fetchAll();
      const sign = pagination.newestFirst ? -1 : 1;
      expect(sortedKeys(list.records)).toEqual(sortedKeys(balances));
      const times = list.records.map(({ timestamp }) => Number(BigInt(timestamp) - start));
      expect(times).toEqual([...times].sort((a, b) => sign * (a - b)));

      node.nextBlock({ balances: 5 });
      await list.refetch();
      await list.fetchAll();
      expect(sortedKeys(list.records)).toEqual(sortedKeys(node.records.balances));
    });
    await fc.assert(property, runs(15));
  });

  test("shows every vote once if a page holds any two neighboring blocks, also after a refetch", async () => {
    const counts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(counts, fc.nat(4), fc.boolean(), async (counts, more, newestFirst) => {
      const votes = votesAt(timesOf(counts.map((count) => ({ gap: second, count }))), proposalId);
      const first = Math.max(...counts.map((count, index) => count + (counts[index + 1] ?? 0))) + more;
      const { vega } = connect({ votes });
      const list = new InfiniteList(vega.listVotes.infinite({ proposalId, pagination: { first, newestFirst } }));
      await list.fetchAll();
      expect(sortedKeys(list.records)).toEqual(sortedKeys(votes));
      await list.refetch();
      await list.fetchAll();
      expect(sortedKeys(list.records)).toEqual(sortedKeys(votes));
    });
    await fc.assert(property, runs(15));
  });

  test("has the first page of the profiles, and an error that says how to get the others", async () => {
    const { infinite } = connect({ profiles: 30 }).vega.listPartiesProfiles;
    const all = new InfiniteList(infinite());
    await all.fetchAll();
    expect(all.records).toHaveLength(30);
    const cut = new InfiniteList(infinite({ pagination: { first: 10 } }));
    await expect(cut.fetchAll()).rejects.toThrow("reject every cursor of this list");
    expect(cut.records).toHaveLength(10);
  });
});
