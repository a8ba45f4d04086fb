import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ArgumentError, type BalanceChange, createClient, type Vote } from "../../../src/index.js";
import { queries } from "../../../src/query/index.js";
import { createFakeNode, type FakeVote, nodeDefects } from "../../../src/testing/index.js";
import { InfiniteList } from "../../support/infinite-list.js";
import { runs } from "../../support/runs.js";

const hex = (number: number) => number.toString(16).padStart(64, "0");
const proposalId = hex(0xfff);
const start = 1_707_486_400_000_000_000n;

const queriesOf = ({ fetch }: { fetch: (request: Request) => Promise<Response> }) =>
  queries(createClient({ baseUrl: "https://node.example", fetch, pacing: false }));

const keyOf = ({ timestamp, partyId }: BalanceChange | Vote) => `${timestamp} ${partyId}`;
const sortedKeys = (records: readonly (BalanceChange | Vote)[]) => records.map(keyOf).sort();

/** Balance changes in blocks that are so many microseconds apart, with so many rows. */
function changesOf(blocks: readonly { gap: number; count: number }[]): BalanceChange[] {
  let time = start;
  return blocks.flatMap(({ gap, count }) => {
    time += BigInt(gap) * 1000n;
    return Array.from({ length: count }, (_, party) => ({
      timestamp: `${time}` as const,
      partyId: hex(party + 1),
      assetId: hex(1),
      marketId: "",
      accountType: "ACCOUNT_TYPE_GENERAL",
      balance: "1",
    }));
  });
}

function votesOf(counts: readonly number[]): FakeVote[] {
  let party = 0;
  return counts.flatMap((count, block) =>
    Array.from({ length: count }, () => ({
      partyId: hex(++party),
      proposalId,
      timestamp: `${start + BigInt(party % 7) * 1_000_000_000n}` as const,
      blockTime: `${start + BigInt(block + 10) * 1_000_000_000n}` as const,
      value: "VALUE_YES",
      totalGovernanceTokenBalance: "1",
      totalGovernanceTokenWeight: "1",
      totalEquityLikeShareWeight: "0",
    })),
  );
}

describe("an infinite list on a v0.74 node", () => {
  test("shows every balance change once at any density and page size, in both orders, also after a refetch", async () => {
    const blocks = fc.array(
      fc.record({ gap: fc.constantFrom(1, 2, 1_000_000), count: fc.integer({ min: 1, max: 9 }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    const property = fc.asyncProperty(
      blocks,
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (blocks, first, newestFirst) => {
        const balances = changesOf(blocks);
        const node = createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false });
        const list = new InfiniteList(
          queriesOf(node).listBalanceChanges.infinite({ pagination: { first, newestFirst } }),
        );
        await list.fetchAll();
        const sign = newestFirst ? -1 : 1;
        expect(sortedKeys(list.records)).toEqual(sortedKeys(balances));
        const times = list.records.map(({ timestamp }) => Number(BigInt(timestamp) - start));
        expect(times).toEqual([...times].sort((a, b) => sign * (a - b)));

        node.nextBlock({ balances: 5 });
        await list.refetch();
        await list.fetchAll();
        expect(sortedKeys(list.records)).toEqual(sortedKeys(node.records.balances));
      },
    );
    await fc.assert(property, runs(15));
  });

  test("shows every balance change of a range with times inside a microsecond once", async () => {
    const balances = changesOf([
      { gap: 1, count: 3 },
      { gap: 1, count: 3 },
      { gap: 1, count: 3 },
      { gap: 1, count: 3 },
    ]);
    for (const newestFirst of [true, false]) {
      const { fetch } = createFakeNode({ balances }, { defects: nodeDefects });
      const dateRange = { startTimestamp: start + 2500n, endTimestamp: start + 4999n };
      const list = new InfiniteList(
        queriesOf({ fetch }).listBalanceChanges.infinite({ dateRange, pagination: { first: 1, newestFirst } }),
      );
      await list.fetchAll();
      expect(sortedKeys(list.records)).toEqual(sortedKeys(balances.slice(3, 9)));
    }
  });

  test("sends one request for a page", async () => {
    const node = createFakeNode({ balances: changesOf(Array(50).fill({ gap: 1_000_000, count: 2 })) });
    const list = new InfiniteList(queriesOf(node).listBalanceChanges.infinite({ pagination: { first: 21 } }));
    await list.fetchAll();
    expect(list.records).toHaveLength(100);
    expect(node.requests).toHaveLength(list.pages.length);
    expect(list.pages.length).toBe(5);
  });

  test("shows every vote once if a page holds any two neighboring blocks, also after a refetch", async () => {
    const counts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(counts, fc.nat(4), fc.boolean(), async (counts, more, newestFirst) => {
      const votes = votesOf(counts);
      const node = createFakeNode({ votes }, { defects: nodeDefects, rateLimit: false });
      const first = Math.max(...counts.map((count, index) => count + (counts[index + 1] ?? 0))) + more;
      const list = new InfiniteList(
        queriesOf(node).listVotes.infinite({ proposalId, pagination: { first, newestFirst } }),
      );
      await list.fetchAll();
      expect(sortedKeys(list.records)).toEqual(sortedKeys(votes));
      await list.refetch();
      await list.fetchAll();
      expect(sortedKeys(list.records)).toEqual(sortedKeys(votes));
    });
    await fc.assert(property, runs(15));
  });

  test("shows every vote once if a block does not fit on a page, and the node keeps the order of its votes", async () => {
    const votes = votesOf([30, 2]);
    const node = createFakeNode({ votes }, { defects: nodeDefects, rateLimit: false });
    const list = new InfiniteList(queriesOf(node).listVotes.infinite({ proposalId, pagination: { first: 10 } }));
    await list.fetchAll();
    expect(sortedKeys(list.records)).toEqual(sortedKeys(votes));
    expect(node.requests.length).toBeLessThan(10);
  });

  test("shows every signature once", async () => {
    const node = createFakeNode({ signatures: 60 }, { defects: nodeDefects });
    const { id = "" } = node.records.signatures[0] ?? {};
    const list = new InfiniteList(queriesOf(node).listNodeSignatures.infinite({ id, pagination: { first: 7 } }));
    await list.fetchAll();
    expect(list.records).toHaveLength(node.records.signatures.filter((each) => each.id === id).length);
    expect(new Set(list.records.map(({ sig }) => sig)).size).toBe(list.records.length);
  });

  test("has the first page of the profiles, and an error that says how to get the others", async () => {
    const node = createFakeNode({ profiles: 30 }, { defects: nodeDefects });
    const { infinite } = queriesOf(node).listPartiesProfiles;
    const all = new InfiniteList(infinite());
    await all.fetchAll();
    expect(all.records).toHaveLength(30);
    const cut = new InfiniteList(infinite({ pagination: { first: 10 } }));
    await expect(cut.fetchAll()).rejects.toThrow("only its first page works");
    expect(cut.records).toHaveLength(10);
  });
});

test.each([{ after: "c" }, { last: 5 }, { before: "c" }])(
  "an infinite list rejects with an ArgumentError and sends nothing if pagination is %o",
  async (pagination) => {
    const node = createFakeNode();
    const options = queriesOf(node).listVotes.infinite({ proposalId, pagination: pagination as object });
    const error = await options.queryFn({ pageParam: null }).catch((error: unknown) => error);
    const [name] = Object.keys(pagination);
    expect(ArgumentError.is(error) && error.argument).toBe(`pagination.${name}`);
    expect(node.requests).toEqual([]);
  },
);
