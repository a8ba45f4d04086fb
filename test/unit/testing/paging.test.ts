import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BalanceChange } from "../../../src/index.js";
import { createFakeNode, type FakeVote, nodeDefects } from "../../../src/testing/index.js";
import { fetchFrom, fetchPage, hex, walk } from "../../support/raw-requests.js";
import { runs } from "../../support/runs.js";

const time = (microseconds: number) => `${BigInt(microseconds) * 1000n}` as const;

/** Records of blocks, with the number in each. */
const inBlocks = <T>(counts: readonly number[], recordAt: (block: number, index: number) => T): T[] =>
  counts.flatMap((count, block) => Array.from({ length: count }, (_, index) => recordAt(block, index)));

/** Votes on one proposal; all were cast at different times. */
const votesIn = (counts: readonly number[]) =>
  inBlocks(counts, (block, index) => {
    const cast = 100 * block + index;
    return { partyId: hex(cast), proposalId: hex(7), timestamp: time(cast), blockTime: time(1_000_000 + block) };
  });

/** Balance changes, none of an account twice in a block. */
const changesIn = (counts: readonly number[]): BalanceChange[] =>
  inBlocks(counts, (block, index) => ({
    ...{ timestamp: time(1_000_000 + block), balance: `${block}0${index}` },
    ...{ partyId: hex(index), assetId: hex(index % 3), marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" },
  }));

const accountId = ({ assetId, partyId, marketId, accountType }: BalanceChange) =>
  createHash("sha256").update(`${assetId}${partyId}${marketId}${accountType}`).digest("hex");

/** The order that real nodes keep balance changes in: by time, then by account id. */
const placeOf = (change: BalanceChange) => change.timestamp.padStart(20, "0") + accountId(change);
const inOrder = (changes: readonly BalanceChange[]) => [...changes].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));

const blocks = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 });
const way = fc.constantFrom("first", "last");
const size = fc.integer({ min: 1, max: 14 });

const votesPath = `/api/v2/votes?proposalId=${hex(7)}`;
const balancesPath = "/api/v2/balance/changes?";

describe("a fake node without defects", () => {
  const sixThousand = createFakeNode({ balances: 6000 }, { rateLimit: false });

  test("yields every record of every list exactly once, for any page size, order and direction", async () => {
    const property = fc.asyncProperty(blocks, way, size, fc.boolean(), async (counts, way, size, newestFirst) => {
      const [votes, balances] = [votesIn(counts), changesIn(counts)];
      const profiles = votes.map(({ partyId }) => ({ partyId, alias: "", metadata: [] }));
      const sigOf = (party: string) => Buffer.from(party, "hex").toString("base64");
      const signatures = votes.map(({ partyId }) => ({ id: hex(1), sig: sigOf(partyId), kind: 1 }));
      const node = createFakeNode({ votes, balances, profiles, signatures }, { rateLimit: false });
      const query = `&pagination.${way}=${size}&pagination.newestFirst=${newestFirst}`;
      const upwards = newestFirst === (way === "last");
      const read = async (path: string) =>
        (await walk<object>(node, path + query)).flatMap((page) => (way === "last" ? page.reverse() : page));
      const expected = (records: readonly object[]) => (upwards ? records : [...records].reverse());
      const shown = votes.map(({ blockTime: _, ...vote }) => expect.objectContaining(vote));
      expect(await read(votesPath)).toEqual(expected(shown));
      expect(await read("/api/v2/parties/profiles?")).toEqual(expected(profiles));
      expect(await read(balancesPath)).toEqual(expected(inOrder(balances)));
      expect(await read(`/api/v2/node/signatures?id=${hex(1)}`)).toEqual(expected(signatures));
    });
    await fc.assert(property, runs(20));
  });

  test("reports the neighboring pages, and pages backward in the order that was asked for", async () => {
    const node = createFakeNode({ balances: changesIn([1, 1, 1, 1, 1, 1, 1]) });
    const pageAt = async (place: string) => {
      const { edges, pageInfo } = await fetchPage<BalanceChange>(node, balancesPath + place);
      return { balances: edges.map((edge) => edge.node.balance), pageInfo };
    };
    const last = await pageAt("pagination.last=3");
    expect(last.balances).toEqual(["200", "100", "000"]);
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const [start, end] = [last.pageInfo.startCursor, last.pageInfo.endCursor].map(encodeURIComponent);
    const before = await pageAt(`pagination.last=3&pagination.before=${start}`);
    expect(before.balances).toEqual(["500", "400", "300"]);
    expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const pageInfo = { startCursor: "", endCursor: "", hasNextPage: false, hasPreviousPage: true };
    expect(await pageAt(`pagination.after=${end}`)).toEqual({ balances: [], pageInfo });
  });

  test.each([
    ["", 1000],
    ["pagination.first=5000", 5000],
    ["pagination.first=2&pagination.last=5", 2],
    ["pagination.first=2&pagination.before=!", 2],
    ["pagination.last=2&pagination.after=!", 2],
    ["pagination.before=FIFTH", 4],
    ["pagination.after=FIFTH", 1000],
  ])("with the query %j responds with %i records, and ignores what contradicts `first`", async (query, count) => {
    const { endCursor } = (await fetchPage(sixThousand, `${balancesPath}pagination.first=5`)).pageInfo;
    const path = balancesPath + query.replace("FIFTH", encodeURIComponent(endCursor));
    expect((await fetchPage(sixThousand, path)).edges).toHaveLength(count);
  });
});

describe("a fake node with the defects of v0.74 nodes", () => {
  const node = (data: Parameters<typeof createFakeNode>[0]) =>
    createFakeNode(data, { defects: nodeDefects, rateLimit: false });

  test("lists votes by the block in which they were last written, which their cursors alone show", async () => {
    const [oldest, ...others] = votesIn([1, 1, 1]);
    const votes = [{ ...oldest, blockTime: time(1_707_486_405_155_000) }, ...others];
    const { edges } = await fetchPage<FakeVote>(node({ votes }), votesPath);
    expect(edges.map((edge) => edge.node.partyId)).toEqual([hex(0), hex(200), hex(100)]);
    expect(edges[0]?.node).not.toHaveProperty("blockTime");
    const cursor = Buffer.from(edges[0]?.cursor ?? "", "base64").toString();
    expect(cursor).toBe(`{"party_id":"${hex(0)}","vega_time":"2024-02-09T13:46:45.155Z"}`);
  });

  test("drops the first vote of the cursor's block, and returns the others of that block again", async () => {
    const pages = await walk<FakeVote>(node({ votes: votesIn([2, 4, 2]) }), `${votesPath}&pagination.first=4`);
    const wanted = [[200, 201, 100, 101], [101, 102, 103, 0], [1]];
    expect(pages.map((votes) => votes.map(({ partyId }) => partyId))).toEqual(wanted.map((page) => page.map(hex)));
  });

  test("returns the same page of votes forever if a block does not fit it", async () => {
    const path = `${votesPath}&pagination.first=4`;
    const pages = await walk<FakeVote>(node({ votes: votesIn([1, 9, 1]) }), path, 6);
    expect([pages.length, pages[2], pages[5]]).toEqual([6, pages[1], pages[1]]);
  });

  test("loses the rest of a block and the first change after it, in both orders", async () => {
    const balances = changesIn([3, 3, 3, 3]);
    for (const ordered of [inOrder(balances), inOrder(balances).reverse()]) {
      const path = `${balancesPath}pagination.first=2&pagination.newestFirst=${ordered[0]?.balance.startsWith("3")}`;
      const expected = [0, 4, 7, 10].map((from) => ordered.slice(from, from + 2));
      expect(await walk(node({ balances }), path)).toEqual(expected);
    }
  });

  test("fails with status 500 for every cursor of profiles", async () => {
    const [fake, path] = [node({ profiles: 5 }), "/api/v2/parties/profiles?pagination.first=2"];
    const after = encodeURIComponent((await fetchPage(fake, path)).pageInfo.endCursor);
    const { status, body } = await fetchFrom(fake, `${path}&pagination.after=${after}`);
    expect([status, body.code, body.details[0].code]).toEqual([500, 13, 10000]);
  });
});

test("a fake node keeps microseconds, and cuts both ends of a date range to them", async () => {
  const node = createFakeNode({ balances: [{ timestamp: "5999" }, { timestamp: "6000" }, { timestamp: "7001" }] });
  const times = async (start: number, end: number) => {
    const range = `dateRange.startTimestamp=${start}&dateRange.endTimestamp=${end}`;
    const { edges } = await fetchPage<BalanceChange>(node, `${balancesPath}${range}&pagination.newestFirst=false`);
    return edges.map((edge) => edge.node.timestamp);
  };
  expect(node.records.balances.map(({ timestamp }) => timestamp)).toEqual(["5000", "6000", "7000"]);
  expect(await times(5001, 6999)).toEqual(["5000"]);
  expect(await times(5999, 7000)).toEqual(["5000", "6000"]);
  expect(await times(6000, 6999)).toEqual([]);
  expect(await times(-1, 7001)).toEqual(["5000", "6000"]);
});
