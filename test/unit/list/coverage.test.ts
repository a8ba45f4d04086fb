import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNode, type FakeNodeData, nodeDefects } from "../../../src/testing/index.js";
import { changesAt, hex, votesAt } from "../../support/records.js";

const proposalId = hex(0xfff);
const timeOf = (block: number) => 1_707_486_400_000_000_000n + BigInt(block) * 1_000_000_000n;
const times = Array.from({ length: 10 }, (_, block) => timeOf(block));
const records = { votes: votesAt(times, proposalId), balances: changesAt(times) };

const nodeOptions = { defects: nodeDefects, rateLimit: false } as const;

/**
 * A chain with a record in each of its first ten blocks. Each response is of the next of these blocks; of a negative one, it does not
 * name the block.
 */
function chainOf(blocks: readonly number[], data: FakeNodeData = records) {
  let sent = 0;
  return (request: Request) => {
    const number = blocks[sent++] ?? blocks.at(-1) ?? 0;
    const block = { height: BigInt(Math.abs(number)), timestamp: timeOf(Math.abs(number)) };
    return createFakeNode({ ...data, block }, { ...nodeOptions, blockHeaders: number >= 0 }).fetch(request);
  };
}

function connect(blocks: readonly number[], isPool = false, data: FakeNodeData = records) {
  const url = "https://node.example";
  return createClient({ baseUrl: isPool ? nodePool([url]) : url, fetch: chainOf(blocks, data) });
}

async function coverageOf(client: ReturnType<typeof connect>, pagination: object) {
  const listing = client.listVotes({ proposalId, pagination });
  await listing.toArray();
  return listing.coverage;
}

const oldestFirst = { first: 4, newestFirst: false };
const newestFirst = { first: 4, newestFirst: true };

describe("the coverage of votes that are read in several pages ends", () => {
  test.each([
    ["nowhere if no response is later than those before: votes can have moved", [20, 20, 20], undefined],
    ["with the last block if its response is later than those before", [20, 21, 22], timeOf(22)],
  ])("%s", async (_, blocks, end) => {
    expect((await coverageOf(connect(blocks), oldestFirst)).end).toBe(end);
  });

  test.each([
    ["nowhere if they continue from a page and the node has no later block", 20, undefined],
    ["with the block of a later response if they continue from a page", 21, timeOf(21)],
  ])("%s", async (_, block, end) => {
    const page = await connect([20]).listVotes({ proposalId, pagination: oldestFirst });
    expect((await coverageOf(connect([block], true), { ...page.next, first: 9 })).end).toBe(end);
  });

  test("nowhere if they continue from a cursor of the node, newest first: it does not name the first page's block", async () => {
    const { edges, next } = await connect([20]).listVotes({ proposalId, pagination: newestFirst });
    const after = edges.at(-1)?.cursor;
    expect((await coverageOf(connect([30, 31, 32, 33]), { ...newestFirst, after })).end).toBeUndefined();
    expect((await coverageOf(connect([30, 31, 32, 33, 34]), { ...next })).end).toBe(timeOf(6));
  });

  test("nowhere if a page does not name its block: its node can be ahead of those of later pages", async () => {
    expect((await coverageOf(connect([-20, 30, 31, 32]), oldestFirst)).end).toBeUndefined();
    const page = await connect([-20]).listVotes({ proposalId, pagination: oldestFirst });
    expect((await coverageOf(connect([30], true), { ...page.next, first: 9 })).end).toBeUndefined();
  });

  test("with the block of a later response if they continue from a cursor of the node, oldest first", async () => {
    const { edges } = await connect([20]).listVotes({ proposalId, pagination: oldestFirst });
    const after = edges.at(-1)?.cursor;
    expect((await coverageOf(connect([30], true), { ...oldestFirst, first: 9, after })).end).toBe(timeOf(30));
  });
});

test("the coverage of the newest votes of a chain that goes on has an end: their second reading waits for a later block", async () => {
  const now = BigInt(Date.now()) * 1_000_000n;
  const since = now - timeOf(20);
  const recent = times.map((time) => since + time);
  let sent = 0;
  const fetch = (request: Request) => {
    const timestamp = since + timeOf(20 + Math.floor(sent++ / 4));
    const data = { votes: votesAt(recent, proposalId), block: { height: timestamp, timestamp } };
    return createFakeNode(data, nodeOptions).fetch(request);
  };
  const client = createClient({ baseUrl: "https://node.example", fetch });
  const listing = client.listVotes({ proposalId, pagination: newestFirst });
  expect(await listing.toArray()).toHaveLength(10);
  expect((await listing.coverage).end).toBe(now);
});

test("the coverage of balance changes ends with the last block, also if no response is later than those before", async () => {
  const listing = connect([20]).listBalanceChanges({ pagination: oldestFirst });
  await listing.toArray();
  expect((await listing.coverage).end).toBe(timeOf(20));
});

describe("a loop with cursors of another form, such as those of the gateway,", () => {
  const mark = "~";
  /** A client of a server whose cursors do not show the block of their record, and which responds from a later block each time. */
  function connectToOther() {
    const requests: string[] = [];
    const send = chainOf(Array.from({ length: 100 }, (_, index) => 20 + index));
    const fetch = async ({ url }: Request) => {
      requests.push(url);
      const response = await send(new Request(url.replaceAll(mark, "")));
      const text = await response.text();
      return new Response(text.replaceAll(/"(cursor|startCursor|endCursor)":"/g, `$&${mark}`), response);
    };
    return { client: createClient({ baseUrl: "https://node.example", fetch }), requests };
  }

  test("ends although new blocks come, newest votes first", async () => {
    const { client, requests } = connectToOther();
    expect(await client.listVotes({ proposalId, pagination: newestFirst }).toArray()).toHaveLength(10);
    expect(requests).toHaveLength(3);
  });

  test.each([oldestFirst, newestFirst])("is complete up to the block of its first page: %o", async (pagination) => {
    const votes = connectToOther().client.listVotes({ proposalId, pagination });
    await votes.toArray();
    expect((await votes.coverage).end).toBe(timeOf(20));
    const changes = connectToOther().client.listBalanceChanges({ pagination });
    await changes.toArray();
    expect((await changes.coverage).end).toBe(timeOf(20));
  });

  test.each([oldestFirst, newestFirst])("covers at most what it reads after a cursor: %o", async (pagination) => {
    const { client } = connectToOther();
    const page = await client.listBalanceChanges({ pagination });
    const changes = client.listBalanceChanges({ pagination: { ...page.next } });
    const [first] = await changes.toArray();
    const end = pagination.newestFirst ? BigInt(first?.timestamp ?? 0) : undefined;
    expect((await changes.coverage).end).toBe(end);
    const { next } = await client.listVotes({ proposalId, pagination });
    const votes = client.listVotes({ proposalId, pagination: { ...next } });
    expect(await votes.toArray()).toHaveLength(6);
    expect((await votes.coverage).end).toBeUndefined();
  });
});

describe("the coverage of signatures that continue from a cursor ends", () => {
  const id = hex(0xabc);
  const signatures = Array.from({ length: 9 }, (_, index) => ({ id, sig: btoa(String(index)) }));
  const read = async (client: ReturnType<typeof connect>, pagination: object) => {
    const listing = client.listNodeSignatures({ id, pagination });
    await listing.toArray();
    return (await listing.coverage).end;
  };

  test("with the first page's block: signatures that arrived later can sort before the cursor", async () => {
    const client = connect([20, 25, 30], false, { signatures });
    const page = await client.listNodeSignatures({ id, pagination: { first: 2, newestFirst: false } });
    const second = await page.nextPage();
    expect(await read(client, { ...second?.next })).toBe(timeOf(20));
    expect(await read(client, { ...second?.previous })).toBe(timeOf(20));
  });

  test("nowhere if it is a cursor of the node: it does not name the first page's block", async () => {
    const client = connect([20, 30], false, { signatures });
    const { edges } = await client.listNodeSignatures({ id, pagination: { first: 2 } });
    expect(await read(client, { after: edges.at(-1)?.cursor })).toBeUndefined();
  });
});

test("an empty range after a record is complete, and takes two requests more than its page", async () => {
  const node = createFakeNode({ balances: changesAt([1000n, 5000n, 9000n]) }, { rateLimit: false });
  const scan = createClient({ baseUrl: "https://node.example", fetch: node.fetch, pacing: false }).scanBalanceChanges({
    dateRange: { startTimestamp: 5001n, endTimestamp: 9000n },
  });
  expect(await scan.toArray()).toEqual([]);
  expect(await scan.coverage).toMatchObject({ start: 5001n, end: 9000n });
  expect(node.requests).toHaveLength(3);
});

test("the coverage of a loop that continues from a record after its range ends with the range, newest first", async () => {
  const client = connect([20]);
  const { next } = await client.listBalanceChanges({ pagination: { first: 2 } });
  const dateRange = { startTimestamp: timeOf(1), endTimestamp: timeOf(4) };
  const rest = client.listBalanceChanges({ dateRange, pagination: { ...next } });
  expect((await rest.toArray()).map(({ timestamp }) => BigInt(timestamp))).toEqual([3, 2, 1].map(timeOf));
  expect(await rest.coverage).toMatchObject({ start: timeOf(1), end: timeOf(4) });
});

test("the coverage of a range of which no node has a record is empty", async () => {
  const client = connect([20], false, { balances: [] });
  for (const endTimestamp of [timeOf(15), undefined]) {
    const dateRange = { startTimestamp: timeOf(10), endTimestamp };
    for (const newestFirst of [true, false]) {
      const listing = client.listBalanceChanges({ dateRange, pagination: { newestFirst } });
      expect(await listing.toArray()).toEqual([]);
      const end = endTimestamp ?? timeOf(20);
      expect(await listing.coverage).toMatchObject({ start: end, end });
    }
  }
});

test("the coverage of a scan of many parties that is left does not begin after its end, in either order", async () => {
  // They take several requests, and most of them have no record.
  const filter = { partyIds: Array.from({ length: 200 }, (_, index) => hex(index)) };
  for (const order of ["oldest-first", "newest-first"] as const) {
    for (let count = 1; count < 4; count++) {
      const scan = connect([20]).scanBalanceChanges({ filter }, { order, pageSize: 3, maxItems: count });
      expect(await scan.toArray()).toHaveLength(count);
      const { start, end = 0n } = await scan.coverage;
      expect(start).toBeLessThanOrEqual(end);
    }
  }
});

test("the coverage of a loop over a range that begins after the newest block is empty, also of a newer node without records", async () => {
  const block = { height: 20n, timestamp: timeOf(20) };
  const now = () => Number(timeOf(20) / 1_000_000n);
  const { fetch } = createFakeNode({ balances: [], block }, { version: "v0.79", now, rateLimit: false });
  for (const client of [connect([20]), createClient({ baseUrl: "https://node.example", fetch })]) {
    for (const startTimestamp of [timeOf(20) + 1n, timeOf(20) + 500n, timeOf(21)]) {
      for (const newestFirst of [true, false]) {
        const listing = client.listBalanceChanges({ dateRange: { startTimestamp }, pagination: { newestFirst } });
        expect(await listing.toArray()).toEqual([]);
        expect(await listing.coverage).toMatchObject({ start: startTimestamp, end: startTimestamp });
      }
    }
  }
});

test("the coverage of a loop that is left at a record of the newest block is empty, newest first", async () => {
  const listing = connect([9]).listBalanceChanges({ pagination: newestFirst }, { maxItems: 1 });
  expect(await listing.toArray()).toMatchObject([{ timestamp: `${timeOf(9)}` }]);
  expect(await listing.coverage).toMatchObject({ start: timeOf(9), end: timeOf(9) });
});

/** Continues after some microtasks: promises that wait for each other take one each. */
async function microtasks(count: number) {
  for (let index = 0; index < count; index++) await undefined;
}

test.each([
  ["listBalanceChanges", { readAhead: true }],
  ["listBalanceChanges", { readAhead: false }],
  ["scanBalanceChanges", { pageSize: 3, concurrency: 1 }],
] as const)("the coverage of a loop has no record of a page that comes while it is left: %s", async (name, options) => {
  const block = { height: 20n, timestamp: timeOf(20) };
  const node = createFakeNode({ ...records, block }, nodeOptions);
  for (const page of [2, 3]) {
    for (let delay = 0; delay < 120; delay++) {
      let leave: () => unknown = () => undefined;
      let sent = 0;
      const fetch = async (request: Request) => {
        const response = await node.fetch(request);
        if (++sent === page) void microtasks(delay).then(() => leave());
        return response;
      };
      const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
      const reading =
        name === "scanBalanceChanges"
          ? client.scanBalanceChanges({}, options)
          : client.listBalanceChanges({ pagination: { first: 3, newestFirst: false } }, options);
      const iterator = reading[Symbol.asyncIterator]();
      leave = () => iterator.return?.(undefined);
      const read = new Set<string>();
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) read.add(next.value.timestamp);
      const { start, end = 0n } = await reading.coverage;
      const covered = times.filter((time) => time >= start && time < end);
      const missing = covered.filter((time) => !read.has(`${time}`));
      expect({ page, delay, missing }).toEqual({ page, delay, missing: [] });
    }
  }
});
