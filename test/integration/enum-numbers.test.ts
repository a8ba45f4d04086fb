import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/async/clock.js";
import { followBalanceChangesWith } from "../../src/follow/balance-changes.js";
import { type BalanceChange, createClient } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { compareRecords } from "../../src/scan/records.js";
import { createFakeNetwork, nodeDefects } from "../../src/testing/index.js";
import { json } from "../support/recorder.js";

const second = 1_000_000_000n;
/** 1 February 2024. */
const first = 1_706_745_600n * second;
const end = first + 40n * second;
const dateRange = { startTimestamp: first, endTimestamp: end };
/** v0.79 nodes send its number. */
const removed = "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION";
const hex = (number: number) => number.toString(16).padStart(64, "0");

/** Blocks of five changes. */
const balances = Array.from(
  { length: 200 },
  (_, index): BalanceChange => ({
    timestamp: `${first + BigInt(Math.floor(index / 5)) * second}`,
    assetId: hex(1),
    partyId: hex(index),
    marketId: "",
    accountType: index % 3 === 0 ? "ACCOUNT_TYPE_GENERAL" : removed,
    balance: String(index),
  }),
).sort(compareRecords);

function createNetwork() {
  const block = { height: 1000n, timestamp: end + 10n * second };
  return createFakeNetwork(
    { nodes: [{ version: "v0.74" }, { version: "v0.79" }, { version: "v0.74" }], balances, block },
    { defects: nodeDefects, rateLimit: false, date: () => Number(block.timestamp / 1_000_000n) },
  );
}

const clientOf = (network: ReturnType<typeof createNetwork>, isPool: boolean) =>
  createClient({
    baseUrl: isPool ? nodePool(network.nodes.map(({ url }) => url)) : network.url,
    fetch: network.fetch,
    pacing: false,
  });

const show = ({ timestamp, partyId, accountType, balance }: BalanceChange) =>
  `${timestamp} ${partyId?.slice(-4)} ${accountType} ${balance}`;
const all = balances.map(show);

describe.each([
  ["one address", false],
  ["a pool", true],
])("nodes of v0.74 and v0.79 behind %s", (_, isPool) => {
  test.each(["oldest-first", "newest-first"] as const)("give a scan one list of records, %s", async (order) => {
    const read = await clientOf(createNetwork(), isPool)
      .scanBalanceChanges({ dateRange }, { order, pageSize: 12 })
      .toArray();
    expect(read.map(show)).toEqual(order === "oldest-first" ? all : [...all].reverse());
  });

  test.each([true, false])("give a walk each record once, newest first: %s", async (newestFirst) => {
    const pagination = { first: 12, newestFirst };
    const read = await clientOf(createNetwork(), isPool).listBalanceChanges({ dateRange, pagination }).toArray();
    expect(read.sort(compareRecords).map(show)).toEqual(all);
  });

  test("give a follower each record once", async () => {
    const settings = { clock: systemClock, pageSize: 12 };
    const client = clientOf(createNetwork(), isPool);
    const read: BalanceChange[] = [];
    for await (const record of followBalanceChangesWith(settings, client, {}, { from: first })) {
      if (read.push(record) === balances.length) break;
    }
    expect(read.map(show)).toEqual(all);
  });
});

test.each([0, 1, 2])("a walk and a scan over a pool of both versions survive that node %i stops", async (stopped) => {
  for (const open of [
    (client: ReturnType<typeof clientOf>) =>
      client.listBalanceChanges({ dateRange, pagination: { first: 12, newestFirst: false } }),
    (client: ReturnType<typeof clientOf>) => client.scanBalanceChanges({ dateRange }, { pageSize: 12 }),
  ]) {
    const network = createNetwork();
    const read: BalanceChange[] = [];
    for await (const record of open(clientOf(network, true))) {
      if (read.push(record) === 60) network.nodes[stopped]?.configure({ down: true });
    }
    expect(read.sort(compareRecords).map(show)).toEqual(all);
  }
});

describe.each(["a v0.74 node", "a v0.79 node", "one address", "a pool"])(
  "a filter by the removed name on %s",
  (access) => {
    const filter = { accountTypes: [removed] as const, assetId: hex(1) };
    const expected = balances.filter(({ accountType }) => accountType === removed);
    const client = () => {
      const network = createNetwork();
      const { fetch } = network;
      const node = network.nodes[access === "a v0.74 node" ? 0 : 1];
      if (node && access.endsWith("node")) return createClient({ baseUrl: node.url, fetch, pacing: false });
      return clientOf(network, access === "a pool");
    };

    test("selects the records of a walk", async () => {
      const partyIds = [...new Set(expected.flatMap(({ partyId }) => partyId ?? []))].slice(0, 50);
      for (const [newestFirst, more] of [
        [true, {}],
        [false, {}],
        [false, { partyIds }],
      ] as const) {
        const query = { filter: { ...filter, ...more }, dateRange, pagination: { first: 12, newestFirst } };
        const read = await client().listBalanceChanges(query).toArray();
        const isRead = ({ partyId }: BalanceChange) => !("partyIds" in more) || partyIds.includes(partyId ?? "");
        expect(read.sort(compareRecords).map(show)).toEqual(expected.filter(isRead).map(show));
      }
    });

    test("selects the records of a scan, of a part of them as well", async () => {
      const scan = (maxItems?: number) =>
        client().scanBalanceChanges({ filter, dateRange }, { pageSize: 12, maxItems });
      expect((await scan().toArray()).map(show)).toEqual(expected.map(show));
      expect((await scan(30).toArray()).map(show)).toEqual(expected.slice(0, 30).map(show));
    });

    test("selects the records of a page, of a walk that ends early, and with another type", async () => {
      const pagination = { newestFirst: false };
      const page = await client().listBalanceChanges({ filter, dateRange, pagination });
      expect(page.nodes.map(({ balance }) => balance).sort()).toEqual(expected.map(({ balance }) => balance).sort());
      const few = client().listBalanceChanges({ filter, dateRange, pagination }, { maxItems: 3 });
      expect((await few.toArray()).map(({ accountType }) => accountType)).toEqual([removed, removed, removed]);
      const both = { ...filter, accountTypes: [removed, "ACCOUNT_TYPE_GENERAL"] as const };
      expect(await client().listBalanceChanges({ filter: both, dateRange, pagination }).toArray()).toHaveLength(
        balances.length,
      );
    });

    test("selects the records of a follower", async () => {
      const read: BalanceChange[] = [];
      const settings = { clock: systemClock, pageSize: 12 };
      for await (const record of followBalanceChangesWith(settings, client(), { filter }, { from: first })) {
        if (read.push(record) === expected.length) break;
      }
      expect(read.map(show)).toEqual(expected.map(show));
    });
  },
);

test("a filter by other names is sent", async () => {
  const sent: URL[] = [];
  const network = createNetwork();
  const fetch = (request: Request) => {
    sent.push(new URL(request.url));
    return network.fetch(request);
  };
  const client = createClient({ baseUrl: network.url, fetch, pacing: false });
  for (const accountTypes of [["ACCOUNT_TYPE_GENERAL"], ["ACCOUNT_TYPE_GENERAL", removed]] as const) {
    await client.listBalanceChanges({ filter: { accountTypes, assetId: hex(1) }, dateRange });
  }
  const of = (name: string) => sent.map(({ searchParams }) => searchParams.getAll(name));
  expect(of("filter.accountTypes")).toEqual([["ACCOUNT_TYPE_GENERAL"], []]);
  expect(of("filter.assetId")).toEqual([[hex(1)], [hex(1)]]);
});

test("the number of any account type becomes its name, and a number without a name stays a number", async () => {
  const types = [0, 7, 8, 9, 34, 35, "ACCOUNT_TYPE_NEW", -1, null];
  const edges = types.map((accountType, index) => ({ cursor: `${index}`, node: { partyId: hex(index), accountType } }));
  const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: "0", endCursor: "8" };
  const fetch = async () => json({ balances: { edges: [...edges, null, { cursor: "9", node: null }], pageInfo } });
  const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
  const { nodes } = await client.listBalanceChanges();
  expect(nodes.map(({ accountType }) => accountType)).toEqual([
    "ACCOUNT_TYPE_UNSPECIFIED",
    "ACCOUNT_TYPE_FEES_MAKER",
    8,
    "ACCOUNT_TYPE_BOND",
    "ACCOUNT_TYPE_LOCKED_FOR_STAKING",
    35,
    "ACCOUNT_TYPE_NEW",
    -1,
    null,
  ]);
});
