import { describe, expect, test } from "vitest";
import {
  type ApiError,
  type BalanceChange,
  type ClientOptions,
  createClient,
  type PaginationError,
} from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNode, type FakeNode, nodeDefects } from "../../src/testing/index.js";
import { asOlder } from "../support/node-variants.js";
import { readUntilError } from "../support/page-source.js";
import { rejectionOf } from "../support/recorder.js";
import { changesAt, hex } from "../support/records.js";

const day = 86_400_000_000_000n;
const year = 365n * day;
/** 1 February 2024. */
const first = 1_706_745_600_000_000_000n;
/** v0.79 nodes send its number. */
const removed = "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION";

/** Changes over three years, of the removed account type among others. */
const times = Array.from({ length: 300 }, (_, index) => first + BigInt(Math.floor(index / 3)) * 11n * day);
const balances = changesAt(times).map((change, index) =>
  index % 4 === 0 ? { ...change, accountType: removed } : change,
);
const keysOf = (records: readonly BalanceChange[]) =>
  records.map(({ timestamp, partyId, accountType }) => `${timestamp} ${partyId} ${accountType}`);

const clientOf = (fetch: ClientOptions["fetch"]) =>
  createClient({ baseUrl: "https://node.example", fetch, pacing: false });

/** A node whose current block is so many days after the first record, and a client of it. */
function connect(version: "v0.74" | "v0.79", records = balances, { days = 1100n, history = 0n } = {}) {
  const block = { height: 50_000_000n, timestamp: first + days * day };
  const kept = records.filter(({ timestamp }) => BigInt(timestamp) < block.timestamp);
  const options = { version, history, defects: nodeDefects, rateLimit: false } as const;
  const node = createFakeNode({ balances: kept, block }, options);
  return { node, client: clientOf(node.fetch) };
}

test.each([
  ["without a range", {}],
  ["with an end alone", { endTimestamp: first + 2n * year }],
  ["with a start alone", { startTimestamp: first }],
  ["of three years", { startTimestamp: first, endTimestamp: first + 3n * year }],
  ["of exactly 365 days", { startTimestamp: first, endTimestamp: first + year }],
  ["from 2020 on", { startTimestamp: new Date("2020-01-01"), endTimestamp: new Date("2020-12-31") }],
  ["before 2020", { startTimestamp: new Date("2019-01-01"), endTimestamp: new Date("2019-12-31") }],
])("a v0.79 node is read %s as a v0.74 node is, by lists and scans", async (_, dateRange) => {
  const [{ client }, { client: other }] = [connect("v0.79"), connect("v0.74")];
  for (const order of ["oldest-first", "newest-first"] as const) {
    const scan = (each: typeof client) =>
      each.scanBalanceChanges({ dateRange }, { order, pageSize: 40, missingHistory: "ignore" }).toArray();
    expect(keysOf(await scan(client))).toEqual(keysOf(await scan(other)));
  }
  for (const pagination of [{ first: 25 }, { last: 25 }, { first: 25, newestFirst: false }, { first: 5000 }]) {
    // What begins before the history is an error of a loop, so that it is read page by page.
    const walk = async (each: typeof client) => {
      const pages = each.listBalanceChanges({ dateRange, pagination }).pages();
      const { records, error } = await readUntilError(pages);
      if (error) expect(error).toMatchObject({ reason: "pruned" });
      return keysOf(records.flatMap(({ nodes }) => nodes));
    };
    expect(await walk(client)).toEqual(await walk(other));
  }
});

test("a v0.75 node that refuses a range is not sent the same request again, and stays ready in a pool", async () => {
  const { node: archive } = connect("v0.79");
  const { node: pruned } = connect("v0.74", balances, { history: first + year });
  const fetch: FakeNode["fetch"] = (input, init) =>
    new Request(input, init).url.startsWith("https://archive.example")
      ? asOlder(archive.fetch)(input, init)
      : pruned.fetch(input, init);
  for (const urls of [["https://archive.example"], ["https://archive.example", "https://pruned.example"]]) {
    const events: string[] = [];
    const nodes = nodePool(urls);
    const observe = (event: { type: string }) => events.push(event.type);
    const client = createClient({ baseUrl: nodes, fetch, pacing: false, observe });
    const scan = client.scanBalanceChanges({ dateRange: { startTimestamp: first } });
    expect(keysOf(await scan.toArray()).length).toBe(balances.length);
    expect(events).not.toContain("retry");
    expect(nodes.status[0]).toMatchObject({ state: "ready" });
  }
});

test("a v0.79 node that keeps the last days is covered from its oldest record on", async () => {
  const oldest = balances.find(({ timestamp }) => BigInt(timestamp) > first + 1070n * day);
  const start = BigInt(oldest?.timestamp ?? 0);
  const { node, client } = connect("v0.79", balances, { history: start });
  for (const order of ["oldest-first", "newest-first"] as const) {
    const dateRange = { startTimestamp: new Date("2020-01-01") };
    const scan = client.scanBalanceChanges({ dateRange }, { order, missingHistory: "ignore" });
    expect(await scan.toArray()).not.toEqual([]);
    expect(await scan.coverage).toMatchObject({ start, end: node.block.timestamp });
  }
  expect(node.requests.length).toBeLessThan(70);
});

test.each<[what: string, from: number, to?: number]>([
  ["with a record before the start", 31],
  ["without one", 10],
  ["from a time at which nothing happened", 500],
  ["in a range of exactly 365 days, which a node accepts", 60, 425],
])("a party of a v0.79 node that rests for years is covered from the start on, %s", async (_, from, to) => {
  const start = first + BigInt(from) * day;
  const end = to === undefined ? undefined : first + BigInt(to) * day;
  const others = changesAt(Array.from({ length: 360 }, (_, index) => first + 3n * BigInt(index) * day));
  const own = changesAt([first + 30n * day, first + 1070n * day]).map((change) => ({ ...change, partyId: hex(999) }));
  const { client, node } = connect("v0.79", [...others, ...own]);
  const query = { filter: { partyIds: [hex(999)] }, dateRange: { startTimestamp: start, endTimestamp: end } };
  const expected = own.filter(({ timestamp }) => BigInt(timestamp) >= start && (!end || BigInt(timestamp) < end));
  for (const newestFirst of [false, true]) {
    const order = newestFirst ? "newest-first" : "oldest-first";
    const list = client.listBalanceChanges({ ...query, pagination: { newestFirst } });
    for (const reading of [list, client.scanBalanceChanges(query, { order })]) {
      node.requests.length = 0;
      expect(await reading.toArray()).toHaveLength(expected.length);
      expect(await reading.coverage).toMatchObject({ start, end: end ?? node.block.timestamp });
      // Each window without records takes four requests.
      expect(node.requests.length).toBeLessThan(32);
    }
  }
});

test.each([
  ["a party whose records are all newer than the first node", [1098, 1099]],
  ["a party with an old record, and one in the first window", [10, 1096, 1099]],
])("an address over a v0.79 node that is days behind loses nothing of %s", async (_, days) => {
  const others = changesAt(Array.from({ length: 550 }, (_, index) => first + 2n * BigInt(index) * day));
  const own = changesAt(days.map((each) => first + BigInt(each) * day)).map((each) => ({ ...each, partyId: hex(999) }));
  const nodes = [1100n, 1095n].map((days) => connect("v0.79", [...others, ...own], { days }).node);
  // Each bit is the node of one of the first responses.
  for (let bits = 1; bits < 32; bits++) {
    let sent = 0;
    const client = clientOf(async (request) => (nodes[(bits >> sent++) & 1] as FakeNode).fetch(request));
    for (const isScan of [false, true]) {
      sent = 0;
      const filter = { partyIds: [hex(999)] };
      const list = isScan
        ? client.scanBalanceChanges({ filter }, { order: "newest-first" })
        : client.listBalanceChanges({ filter });
      const { records, error } = await readUntilError<BalanceChange>(list);
      // The node that is behind does not have the last record.
      if (error) expect(error).toMatchObject({ reason: "gap" });
      const { start, end = 0n } = (error as PaginationError | undefined)?.coverage ?? (await list.coverage);
      const isCovered = ({ timestamp }: BalanceChange) => BigInt(timestamp) >= start && BigInt(timestamp) < end;
      expect(records.filter(isCovered).reverse()).toEqual(own.filter(isCovered));
    }
  }
});

test("a pool reads a year without records from the node that keeps it", async () => {
  const records = changesAt([first, first + 366n * day, first + 1090n * day]);
  const nodes = [first + 1080n * day, 0n].map((history) => connect("v0.79", records, { history }).node);
  const urls = ["https://pruned.example", "https://full.example"];
  const client = createClient({
    baseUrl: nodePool(urls, { order: "given" }),
    fetch: async (request) => (nodes[urls.indexOf(new URL(request.url).origin)] as FakeNode).fetch(request),
    pacing: false,
  });
  const query = { dateRange: { startTimestamp: first } };
  const list = client.listBalanceChanges({ ...query, pagination: { newestFirst: false } });
  for (const reading of [list, client.scanBalanceChanges(query)]) expect(await reading.toArray()).toEqual(records);
});

test("a scan over a pool that ignores missing history passes years without records", async () => {
  const records = changesAt([first, first + 600n * day, first + 601n * day]);
  const { node } = connect("v0.79", records);
  const client = createClient({ baseUrl: nodePool(["https://node.example"]), fetch: node.fetch, pacing: false });
  const dateRange = { startTimestamp: first - day, endTimestamp: first + 600n * day + 1n };
  const options = { order: "newest-first", pageSize: 1, missingHistory: "ignore" } as const;
  expect(await client.scanBalanceChanges({ dateRange }, options).toArray()).toEqual(records.slice(0, 2).reverse());
});

describe("a filter by account types on a v0.79 node", () => {
  const { client, node } = connect("v0.79");
  const dateRange = { startTimestamp: first, endTimestamp: first + year };
  const ofYear = balances.filter(({ timestamp }) => BigInt(timestamp) < first + year);
  const expected = keysOf(ofYear.filter(({ accountType }) => accountType === removed));
  const list = (accountTypes: readonly string[], options = {}) =>
    client.listBalanceChanges({ filter: { accountTypes: accountTypes as never }, dateRange }, options);

  test("selects the records of a name that the node rejects, in a page, a walk, a part of it and a scan", async () => {
    expect(keysOf((await list([removed])).nodes).sort()).toEqual([...expected].sort());
    expect(keysOf(await list([removed]).toArray()).sort()).toEqual([...expected].sort());
    expect(keysOf(await list([removed], { maxItems: 3 }).toArray())).toHaveLength(3);
    expect(await list([removed, "ACCOUNT_TYPE_GENERAL"]).toArray()).toHaveLength(ofYear.length);
    const [{ partyId = "" } = {}] = ofYear.filter(({ accountType }) => accountType === removed);
    const query = { filter: { accountTypes: [removed as never], partyIds: [partyId] }, dateRange };
    const own = ofYear.filter((change) => change.partyId === partyId && change.accountType === removed);
    expect(keysOf(await client.listBalanceChanges(query).toArray()).sort()).toEqual(keysOf(own).sort());
    const scan = (maxItems?: number) =>
      client.scanBalanceChanges({ filter: { accountTypes: [removed] }, dateRange }, { pageSize: 12, maxItems });
    expect(keysOf(await scan().toArray())).toEqual(expected);
    const part = scan(10);
    const records = await part.toArray();
    expect(keysOf(records)).toEqual(expected.slice(0, 10));
    expect((await part.coverage).end).toBe(BigInt(records.at(-1)?.timestamp ?? 0));
  });

  test("covers the records that were read before an error, even if none of them is wanted", async () => {
    const typeAt = (index: number) => ({ accountType: index < 200 ? "ACCOUNT_TYPE_BOND" : removed });
    const records = balances.map((change, index) => ({ ...change, ...typeAt(index) }));
    const { client, node } = connect("v0.79", records);
    node.configure({ faults: [{ name: "status", status: 503, request: 8 }] });
    const pagination = { first: 20, newestFirst: false };
    const query = { filter: { accountTypes: [removed as never] }, dateRange: { startTimestamp: first }, pagination };
    const error = await rejectionOf(client.listBalanceChanges(query, { retry: false }).toArray());
    expect(error).toMatchObject({ status: 503, itemsRead: 0 });
    const { pagesRead = 0, resume, coverage } = error as ApiError;
    // The block of the last record can have more.
    expect(coverage).toMatchObject({ start: first, end: BigInt(times[20 * pagesRead - 1] ?? 0) });
    expect(await client.listBalanceChanges({ ...query, ...(resume as object) }).toArray()).toHaveLength(100);
  });

  test("is sent if the node knows all its names", async () => {
    node.requests.length = 0;
    await list(["ACCOUNT_TYPE_GENERAL"]);
    await list(["ACCOUNT_TYPE_GENERAL", removed]);
    const sent = node.requests.map(({ url }) => new URL(url).searchParams.getAll("filter.accountTypes"));
    expect(sent).toEqual([["ACCOUNT_TYPE_GENERAL"], []]);
  });
});

test("the number of any account type becomes its name, and a number without a name stays a number", async () => {
  const named = { 0: "UNSPECIFIED", 7: "FEES_MAKER", 9: "BOND", 34: "LOCKED_FOR_STAKING" };
  const nameOf = (type: number) => (type in named ? `ACCOUNT_TYPE_${named[type as keyof typeof named]}` : type);
  const numbers = [0, 7, 8, 9, 34, 35, -1];
  const sent = [...numbers, "ACCOUNT_TYPE_NEW", null];
  const nodeAt = (accountType: unknown, index: number) => ({ timestamp: "1000", partyId: hex(index), accountType });
  const edges = sent.map((accountType, index) => ({ cursor: `${index}`, node: nodeAt(accountType, index) }));
  const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: "0", endCursor: "8" };
  const fetch = async () => Response.json({ balances: { edges, pageInfo } });
  const { nodes } = await clientOf(fetch).listBalanceChanges();
  expect(nodes.map(({ accountType }) => accountType)).toEqual([...numbers.map(nameOf), "ACCOUNT_TYPE_NEW", null]);
});
