import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClient, PaginationError, paginate } from "../../../src/index.js";
import { createFakeNode, type FakeNodeData, nodeDefects } from "../../../src/testing/index.js";
import { readUntilError } from "../../support/page-source.js";
import { respondWith } from "../../support/recorder.js";
import { changesAt, hex, votesAt } from "../../support/records.js";
import { runs } from "../../support/runs.js";

const baseUrl = "https://node.example";
const proposalId = hex(0xfff);
const start = 1_707_486_400_000_000_000n;

function connect(data: FakeNodeData) {
  const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
  return { node, client: createClient({ baseUrl, fetch: node.fetch }) };
}

/** Votes of one block, or a number of nanoseconds apart. */
const votesOf = (count: number, apart = 0n) => {
  const times = Array.from({ length: count }, (_, index) => start + BigInt(index) * apart);
  return votesAt(times, proposalId);
};

describe("a page", () => {
  test("is printed with its records, and without cursors and the response", async () => {
    const page = await connect({ balances: 90 }).client.listBalanceChanges({ pagination: { first: 2 } });
    const { nodes, block } = page;
    expect(inspect(page)).toBe(inspect({ nodes, hasNextPage: true, hasPreviousPage: false, block, stale: false }));
  });

  test("becomes JSON with its records, its place, its neighbors, its block and whether it is stale", async () => {
    const { node, client } = connect({ balances: 90 });
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
    const listing = client.listBalanceChanges();
    await listing.toArray();
    const { start, end } = await listing.coverage;
    expect(JSON.parse(JSON.stringify(await listing.coverage))).toEqual({ start: `${start}`, end: `${end}`, block });
  });

  test("keeps its own members if a response has members of their names", async () => {
    const edges = [{ cursor: "c", node: { partyId: "p", alias: "", metadata: [] } }];
    const pageInfo = { startCursor: "c", endCursor: "c", hasNextPage: false, hasPreviousPage: false };
    const text = JSON.stringify({
      profiles: { edges, pageInfo, nodes: "x", nextPage: "x", next: "x", toJSON: "x", block: "x", response: "x" },
    }).replace('"nodes"', '"__proto__":{"previousPage":"x"},"nodes"');
    const source = respondWith(JSON.parse(text));
    const page = await createClient({ baseUrl, fetch: source.fetch }).listPartiesProfiles();
    expect(page.nodes).toEqual([{ partyId: "p", alias: "", metadata: [] }]);
    expect(await page.nextPage()).toBeUndefined();
    expect(await page.previousPage()).toBeUndefined();
    expect(page.next).toBeUndefined();
    expect(page.block).toBeUndefined();
    expect(page.response).toBeInstanceOf(Response);
  });

  test("reports a neighbor that no cursor leads to, in a chain, in `next`, but not in its JSON", async () => {
    const pageInfo = { startCursor: "", endCursor: "", hasNextPage: true, hasPreviousPage: false };
    const page = await paginate(async () => ({ edges: [], pageInfo }));
    expect(() => page.next).toThrow(PaginationError);
    await expect(page.nextPage()).rejects.toMatchObject({ name: "PaginationError", reason: "missing-cursor" });
    expect(JSON.parse(JSON.stringify(page))).toMatchObject({ pageInfo: { hasNextPage: true } });
  });
});

test("the coverage is of the latest loop that is used, and there is none before a loop", async () => {
  for (const kind of ["list", "scan"] as const) {
    const { client, node } = connect({ balances: 100 });
    const reading =
      kind === "list" ? client.listBalanceChanges() : client.scanBalanceChanges({}, { order: "newest-first" });
    if ("then" in reading) await reading;
    const none = {
      name: "VegaError",
      message: expect.stringMatching(/^(list|scan)BalanceChanges has no coverage before/),
    };
    await expect(reading.coverage).rejects.toMatchObject(none);
    const all = await reading.toArray();
    expect((await reading.coverage).start).toBe(BigInt(all.at(-1)?.timestamp ?? 0));
    node.configure({ history: BigInt(all[50]?.timestamp ?? 0) });
    const rest = await reading.toArray();
    reading[Symbol.asyncIterator]();
    expect((await reading.coverage).start).toBe(BigInt(rest.at(-1)?.timestamp ?? 0));
    expect(rest.length).toBeLessThan(all.length);
  }
});

test("the coverage of a scan closed before its first record is empty, where it would have begun", async () => {
  const { client } = connect({ balances: 100 });
  const dateRange = { startTimestamp: start, endTimestamp: start + 9_000_000_000n };
  const bounds = { "oldest-first": dateRange.startTimestamp, "newest-first": dateRange.endTimestamp } as const;
  for (const [order, bound] of Object.entries(bounds) as ["oldest-first" | "newest-first", bigint][]) {
    for (const isBegun of [true, false]) {
      const scan = client.scanBalanceChanges({ dateRange }, { order, missingHistory: "ignore" });
      const records = scan[Symbol.asyncIterator]();
      const first = isBegun && records.next();
      if (isBegun) await new Promise(setImmediate);
      await records.return(undefined);
      await first;
      const { start: from, end } = await scan.coverage;
      expect(from).toBe(end);
      if (!isBegun) expect(from).toBe(bound);
    }
  }
});

test("a record that a page repeats is yielded once", async () => {
  const [one, two] = votesOf(2);
  const edges = [one, two, one].map((node, index) => ({ cursor: `${index}`, node }));
  const pageInfo = { startCursor: "0", endCursor: "2", hasNextPage: false, hasPreviousPage: false };
  const { fetch } = respondWith({ votes: { edges, pageInfo } });
  expect(await createClient({ baseUrl, fetch }).listVotes({ proposalId }).toArray()).toHaveLength(2);
});

test.each([
  ["before its range", 2],
  ["within its range", 7],
])("a walk with a cursor from %s yields each change of the range after it once", async (_, read) => {
  const times = Array.from({ length: 20 }, (_, block) => start + BigInt(block) * 1_000_000_000n);
  const { client } = connect({ balances: changesAt(times) });
  const page = await client.listBalanceChanges({ pagination: { first: read, newestFirst: false } });
  const dateRange = { startTimestamp: times[5], endTimestamp: times[17] };
  for (const after of [page.next?.after, page.edges.at(-1)?.cursor]) {
    const pagination = { first: 3, after, newestFirst: false };
    const rest = await client.listBalanceChanges({ dateRange, pagination }).toArray();
    expect(rest.map(({ timestamp }) => BigInt(timestamp))).toEqual(times.slice(Math.max(5, read), 17));
  }
});

test("a walk over a node that sorts the changes of a block by something else than account ids loses no change before it ends with an error", async () => {
  const counts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
  const reasons = new Set();
  const property = fc.asyncProperty(counts, fc.integer({ min: 2, max: 20 }), async (counts, first) => {
    const times = counts.flatMap((count, block) => Array<bigint>(count).fill(start + BigInt(block) * 1_000_000_000n));
    const { node } = connect({ balances: changesAt(times) });
    // The client computes other account ids than the node sorts by.
    const fetch = async (request: Request) => {
      const response = await node.fetch(request);
      return new Response((await response.text()).replaceAll('"marketId":""', '"marketId":"ab"'), response);
    };
    const client = createClient({ baseUrl, fetch, pacing: false });
    const list = (first: number) => client.listBalanceChanges({ pagination: { first, newestFirst: false } });
    const { nodes } = await list(5000);
    const { records, error } = await readUntilError(list(first));
    expect(records).toEqual(error === undefined ? nodes : nodes.slice(0, records.length));
    if (error === undefined) return;
    reasons.add((error as PaginationError).reason);
    expect(error).toMatchObject({ name: "PaginationError", resume: { pagination: { after: expect.any(String) } } });
  });
  await fc.assert(property, runs(60));
  expect(reasons).toEqual(new Set(["gap"]));
});
