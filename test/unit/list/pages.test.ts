import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { walk } from "../../../src/client/listing.js";
import {
  type BalanceChange,
  createClient,
  type Page,
  PaginationError,
  paginate,
  type Vote,
} from "../../../src/index.js";
import { accountIdOf } from "../../../src/list/cursors.js";
import { compareWithAllPages, compareWithLastTime } from "../../../src/list/repair.js";
import { OpenWalk } from "../../../src/list/walk.js";
import { readWalkOptions } from "../../../src/list/walk-options.js";
import { keyOf } from "../../../src/scan/records.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { compareText } from "../../../src/values/integers.js";
import { collect, PageSource } from "../../support/page-source.js";
import { respondWith } from "../../support/recorder.js";
import { runs } from "../../support/runs.js";

const proposalId = "f".repeat(64);

describe("a page", () => {
  const node = createFakeNode({ votes: 90, balances: 90, profiles: 30 }, { defects: nodeDefects, rateLimit: false });
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });

  test("becomes JSON with its records, its place, its neighbors, its block and whether it is stale", async () => {
    const page = await client.listBalanceChanges({ pagination: { first: 10 } });
    const { next } = page;
    const block = { height: String(node.block.height), timestamp: String(node.block.timestamp) };
    const plain = { nodes: page.nodes, pageInfo: page.pageInfo, next, block, stale: false };
    expect(JSON.parse(JSON.stringify(page))).toEqual(JSON.parse(JSON.stringify(plain)));
    expect(next).toMatchObject({ first: 10, after: expect.any(String) });
    expect(page.previous).toBeUndefined();
    expect(page.response.status).toBe(200);
    const result = await client.getSpamStatistics({ partyId: "a".repeat(64) }).withResponse();
    expect(JSON.parse(JSON.stringify(result)).block).toEqual(block);
    expect({ ...result.block }).toEqual({ height: node.block.height, timestamp: node.block.timestamp });
  });

  test("keeps its own members if a response has members of their names", async () => {
    const edges = [{ cursor: "c", node: { partyId: "p", alias: "", metadata: [] } }];
    const pageInfo = { startCursor: "c", endCursor: "c", hasNextPage: false, hasPreviousPage: false };
    const text = JSON.stringify({
      profiles: { edges, pageInfo, nodes: "x", nextPage: "x", next: "x", toJSON: "x", block: "x", response: "x" },
    }).replace('"nodes"', '"__proto__":{"previousPage":"x"},"nodes"');
    const source = respondWith(JSON.parse(text));
    const page = await createClient({ baseUrl: "https://node.example", fetch: source.fetch }).listPartiesProfiles();
    expect(page.nodes).toEqual([{ partyId: "p", alias: "", metadata: [] }]);
    expect(await page.nextPage()).toBeUndefined();
    expect(await page.previousPage()).toBeUndefined();
    expect(page.next).toBeUndefined();
    expect(page.block).toBeUndefined();
    expect(page.response).toBeInstanceOf(Response);
  });

  test("names its neighbors as plain data, in both directions, with the size and the order of the walk", async () => {
    const source = new PageSource(Array.from({ length: 30 }, (_, index) => index));
    const pages = await collect(paginate(source.fetchPage, { last: 10, newestFirst: false }).pages());
    const [, middle] = pages;
    expect(middle?.next).toMatchObject({ first: 10, newestFirst: false, after: expect.any(String) });
    expect(middle?.previous).toMatchObject({ last: 10, newestFirst: false, before: expect.any(String) });
    expect(await paginate(source.fetchPage, middle?.next).toArray()).toEqual(pages[0]?.nodes);
    expect(pages[0]?.next).toBeUndefined();
    expect(pages[2]?.previous).toBeUndefined();
  });

  test("reports a neighbor that no cursor leads to, in a chain, in `next`, but not in its JSON", async () => {
    const source = {
      edges: [],
      pageInfo: { startCursor: "", endCursor: "", hasNextPage: true, hasPreviousPage: false },
    };
    const page = await paginate(async () => source);
    const reason = "missing-cursor";
    expect(() => page.next).toThrow(PaginationError);
    await expect(page.nextPage()).rejects.toMatchObject({ name: "PaginationError", reason });
    expect(JSON.parse(JSON.stringify(page))).toMatchObject({ pageInfo: { hasNextPage: true } });
    await expect(paginate(async () => source).toArray()).rejects.toMatchObject({ reason });
  });
});

describe("a chain of pages", () => {
  const votes = Array.from({ length: 250 }, (_, index): Vote & { blockTime: `${bigint}` } => ({
    partyId: index.toString(16).padStart(64, "0"),
    proposalId,
    timestamp: `${1_707_486_400_000_000_000n + BigInt(index)}`,
    blockTime: "1707486500000000000",
    value: "VALUE_NO",
    totalGovernanceTokenBalance: "1",
    totalGovernanceTokenWeight: "1",
    totalEquityLikeShareWeight: "0",
  }));

  test.each([1, 3, 20])("of `next` over a closed proposal yields each vote once, %s on a page", async (first) => {
    const cast = votes.slice(0, 12 * first);
    const node = createFakeNode({ votes: cast }, { defects: nodeDefects, rateLimit: false });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const seen: string[] = [];
    for (let pagination: Page<Vote>["next"] = { first }; pagination; ) {
      const { nodes, next } = await client.listVotes({ proposalId, pagination });
      seen.push(...nodes.map(({ partyId }) => partyId));
      pagination = next;
    }
    expect(seen.sort()).toEqual(cast.map(({ partyId }) => partyId));
  });

  test("over votes returns the same records if a page is fetched twice", async () => {
    const spread = votes.map((vote, index) => ({
      ...vote,
      blockTime: `${1_707_486_500_000_000_000n + BigInt(index) * 1000n}` as const,
    }));
    const node = createFakeNode({ votes: spread }, { defects: nodeDefects, rateLimit: false });
    const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
    const first = await client.listVotes({ proposalId, pagination: { first: 20 } });
    const second = await first.nextPage();
    expect(second?.nodes.length).toBeGreaterThan(10);
    await second?.nextPage();
    expect((await first.nextPage())?.nodes).toEqual(second?.nodes);
  });

  test("goes forward and back, and the same call twice returns the same records", async () => {
    const sizes = fc.integer({ min: 1, max: 30 });
    const property = fc.asyncProperty(sizes, fc.boolean(), async (size, newestFirst) => {
      const node = createFakeNode({ balances: 100 }, { defects: nodeDefects, rateLimit: false });
      const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
      const first = await client.listBalanceChanges({ pagination: { first: size, newestFirst } });
      const second = await first.nextPage();
      expect((await first.nextPage())?.nodes).toEqual(second?.nodes);
      expect((await second?.previousPage())?.nodes).toEqual(second && first.nodes);
    });
    await fc.assert(property, runs(12));
  });
});

test("a record that a page repeats is yielded once", () => {
  const edges = ["a", "b", "a"].map((node, index) => ({ cursor: String(index), node }));
  const { fresh } = compareWithAllPages((node: string) => node).filter(edges);
  expect(fresh.map(({ node }) => node)).toEqual(["a", "b"]);
});

describe("a walk over a node that sorts the changes of a block by something else than v0.74 nodes", () => {
  /** Rows of one block in the reverse order of their account ids; cursors have the form of v0.74 nodes. */
  function otherNode(counts: readonly number[]) {
    const idOf = (row: BalanceChange) => accountIdOf(row) ?? "";
    const unsorted = counts.flatMap((count, block) =>
      Array.from(
        { length: count },
        (_, index): BalanceChange => ({
          timestamp: `${1_707_486_400_000_000_000n + BigInt(block) * 1_000_000_000n}`,
          assetId: "a",
          partyId: String(index),
          marketId: "",
          accountType: "ACCOUNT_TYPE_GENERAL",
          balance: String(index),
        }),
      ),
    );
    const rows = unsorted.sort((a, b) => compareText(a.timestamp, b.timestamp) || compareText(idOf(b), idOf(a)));
    const cursorOf = ({ timestamp, partyId }: BalanceChange) => {
      const vega_time = new Date(Number(BigInt(timestamp) / 1_000_000n)).toISOString();
      return btoa(
        JSON.stringify({ vega_time, AccountID: null, PartyID: partyId, AssetID: "a", MarketID: "", Type: 4 }),
      );
    };
    const fetchPage = async ({ first = 0, after }: { first?: number; after?: string }) => {
      const { vega_time: time = "", AccountID: account } = after ? JSON.parse(atob(after)) : {};
      const timeOf = (row: BalanceChange) => JSON.parse(atob(cursorOf(row))).vega_time;
      // Without an account id, rows of the cursor's block do not count.
      const isAfter = (row: BalanceChange) =>
        timeOf(row) > time || (timeOf(row) === time && account !== null && idOf(row) >= account);
      const left = after === undefined ? rows : rows.filter(isAfter);
      const page = left.slice(after === undefined ? 0 : 1, first + (after === undefined ? 0 : 1));
      const isLast = left.at(-1) === page.at(-1);
      const [start, end] = [page.at(0), page.at(-1)].map((row) => (row ? cursorOf(row) : ""));
      return {
        edges: page.map((node) => ({ cursor: cursorOf(node), node })),
        pageInfo: { startCursor: start ?? "", endCursor: end ?? "", hasNextPage: !isLast, hasPreviousPage: false },
      };
    };
    return { rows, fetchPage };
  }

  const walkOver = (fetchPage: ReturnType<typeof otherNode>["fetchPage"], pageSize: number) =>
    walk<BalanceChange, object>(async () => {
      const request = { pagination: { newestFirst: false }, pageSize, ...readWalkOptions() };
      return new OpenWalk<BalanceChange, object>(request, {
        fetchPage: (pagination) => fetchPage(pagination as { first?: number; after?: string }),
        cursors: { lack: "account", keyOf },
        deduplicator: () => compareWithLastTime(keyOf, ({ timestamp }) => timestamp),
      });
    });

  test("ends with an error where that order contradicts the account ids, before a change is lost", async () => {
    const counts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(counts, fc.integer({ min: 2, max: 20 }), async (counts, pageSize) => {
      const { rows, fetchPage } = otherNode(counts);
      const walked: BalanceChange[] = [];
      try {
        for await (const change of walkOver(fetchPage, pageSize)) walked.push(change);
        expect(walked).toEqual(rows);
      } catch (error) {
        expect(error).toMatchObject({ name: "PaginationError", reason: "gap", resume: { after: expect.any(String) } });
        expect(walked).toEqual(rows.slice(0, walked.length));
      }
    });
    await fc.assert(property, runs(60));
  });
});

test("a walk over profiles on a node that responds with 500 to every cursor yields one page, and its error says what to do", async () => {
  const node = createFakeNode({ profiles: 25 }, { defects: nodeDefects });
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
  const error: unknown = await client
    .listPartiesProfiles({ pagination: { first: 10 } })
    .toArray()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 500, attempts: 1, pagesRead: 1, itemsRead: 10, resume: { first: 10 } });
  expect((error as Error).message).toContain(
    "v0.74 nodes respond to every cursor of this list with this status, so only its first page works. Request a larger page " +
      "(`pagination.first`, at most 5000), the other end of the list (`newestFirst: false`), or the parties by name (`parties`).",
  );
  expect(node.requests).toHaveLength(2);
  expect(await client.listPartiesProfiles().toArray()).toHaveLength(25);
});
