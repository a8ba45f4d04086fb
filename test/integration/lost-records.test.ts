import { describe, expect, test } from "vitest";
import { followBalanceChanges } from "../../src/follow/index.js";
import { type BalanceChange, createClient, PaginationError, type ScanOptions } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNetwork, createFakeNode, type FakeNode, nodeDefects } from "../../src/testing/index.js";

const second = 1_000_000_000n;
const day = 86_400n * second;
/** 1 February 2024. */
const first = 1_706_745_600n * second;
const hex = (number: number) => number.toString(16).padStart(64, "0");

const changeAt = (timestamp: bigint, account: number, accountType = "ACCOUNT_TYPE_GENERAL"): BalanceChange => ({
  timestamp: `${timestamp}`,
  assetId: hex(1),
  partyId: hex(account),
  marketId: "",
  accountType,
  balance: String(account),
});

/** Three changes in each block; blocks are so many seconds apart. */
const changes = (blocks: number, seconds: number, since = first) =>
  Array.from({ length: 3 * blocks }, (_, index) =>
    changeAt(since + BigInt(Math.floor(index / 3) * seconds) * second, index),
  );

const options = { defects: nodeDefects, rateLimit: false } as const;

const clientOf = ({ fetch }: Pick<FakeNode, "fetch">, baseUrl: Parameters<typeof createClient>[0]["baseUrl"]) =>
  createClient({ baseUrl, fetch, pacing: false });

async function readAll(records: AsyncIterable<BalanceChange>): Promise<{ read: BalanceChange[]; error?: unknown }> {
  const read: BalanceChange[] = [];
  try {
    for await (const record of records) read.push(record);
  } catch (error) {
    return { read, error };
  }
  return { read };
}

describe("a range that begins before the history of a v0.79 node", () => {
  const balances = changes(200, 3600);
  const pruned = first + 3n * day;
  const setting = () => {
    const node = createFakeNode({ balances }, { ...options, version: "v0.79", history: pruned });
    return clientOf(node, "https://node.example");
  };

  test("is reason pruned for a scan, which reads the rest from `resume`", async () => {
    const dateRange = { startTimestamp: first, endTimestamp: first + 8n * day };
    const { read, error } = await readAll(setting().scanBalanceChanges({ dateRange }));
    expect(read).toEqual([]);
    if (!PaginationError.is(error)) throw error;
    expect(error).toMatchObject({ reason: "pruned", availableFrom: pruned });
    const { resume: rest = {} } = error;
    const left = balances.filter(
      ({ timestamp }) => BigInt(timestamp) >= pruned && BigInt(timestamp) < first + 8n * day,
    );
    expect(await setting().scanBalanceChanges({ dateRange: rest }).toArray()).toHaveLength(left.length);
  });

  test("is reason pruned for a follower, and for a walk", async () => {
    const follower = followBalanceChanges(setting(), {}, { from: first });
    await expect(follower.next()).rejects.toMatchObject({ reason: "pruned", availableFrom: pruned });
    const walk = setting().listBalanceChanges({ dateRange: { startTimestamp: first, endTimestamp: first + 8n * day } });
    await expect(walk.toArray()).rejects.toMatchObject({ reason: "pruned", availableFrom: pruned });
  });

  test("is read from the node of a pool that keeps it, by scans, walks and followers", async () => {
    const nodes = [{ history: pruned }, {}, { history: pruned + day }];
    const network = createFakeNetwork({ nodes, balances }, { ...options, version: "v0.79" });
    const client = clientOf(
      network,
      nodePool(
        network.nodes.map(({ url }) => url),
        { order: "given" },
      ),
    );
    const dateRange = { startTimestamp: first, endTimestamp: first + 8n * day };
    const expected = balances.filter(({ timestamp }) => BigInt(timestamp) < first + 8n * day).length;
    expect(await client.scanBalanceChanges({ dateRange }).toArray()).toHaveLength(expected);
    expect(await client.listBalanceChanges({ dateRange }).toArray()).toHaveLength(expected);
    const followed: BalanceChange[] = [];
    for await (const { records } of followBalanceChanges(client, {}, { from: first, pollInterval: 0 }).batches()) {
      followed.push(...records);
      if (followed.length >= 600) break;
    }
    expect(followed).toHaveLength(600);
  });

  test.each([
    ["a full", [{}, { history: pruned }], 600],
    ["no full", [{ history: pruned }, { history: pruned + day }], undefined],
  ] as const)("does not fail because of a dead node beside %s and a pruned one", async (_, nodes, expected) => {
    const all = [{ down: true }, ...nodes];
    const network = createFakeNetwork({ nodes: all, balances }, { ...options, version: "v0.79" });
    for (let run = 0; run < 6; run++) {
      const baseUrl = nodePool(network.nodes.map(({ url }) => url));
      const client = createClient({ baseUrl, fetch: network.fetch, retry: { baseDelay: 0 } });
      const scan = (own?: ScanOptions) =>
        client.scanBalanceChanges({ dateRange: { startTimestamp: first } }, own).toArray();
      if (expected !== undefined) expect(await scan()).toHaveLength(expected);
      else await expect(scan()).rejects.toMatchObject({ reason: "pruned", availableFrom: pruned });
      expect((await scan({ missingHistory: "ignore" })).length).toBe(expected ?? 600 - 3 * 72);
    }
    const client = clientOf(network, nodePool(network.nodes.map(({ url }) => url)));
    const { value } = await followBalanceChanges(client, {}, { from: "start" }).next();
    expect(value?.timestamp).toBe(String(expected === undefined ? pruned : first));
  });
});

describe("one address over several nodes", () => {
  const balances = changes(1000, 1);

  test.each([
    ["each fifth", (request: number) => (request % 5 === 0 ? 1 : 0)],
    ["all but each third", (request: number) => (request % 3 === 1 ? 0 : 1)],
  ])("loses nothing if %s response comes from a node that is 600 blocks behind", async (_, balance) => {
    for (const order of ["oldest-first", "newest-first"] as const) {
      const network = createFakeNetwork({ nodes: [{}, { lag: 600 }], balances, balance }, options);
      const client = clientOf(network, network.url);
      const scan = client.scanBalanceChanges({}, { order, pageSize: 100 });
      const { read, error } = await readAll(scan);
      if (error) throw error;
      const { end = 0n } = await scan.coverage;
      expect(read).toHaveLength(balances.filter(({ timestamp }) => BigInt(timestamp) < end).length);
      const pagination = { first: 100, newestFirst: order === "newest-first" };
      let block: bigint | undefined;
      const walked: BalanceChange[] = [];
      for await (const page of client.listBalanceChanges({ pagination }).pages()) {
        block ??= page.block?.timestamp;
        walked.push(...page.nodes);
      }
      const isThere = ({ timestamp }: BalanceChange) => BigInt(timestamp) < (block ?? 0n);
      expect(walked.filter(isThere)).toHaveLength(balances.filter(isThere).length);
      expect(new Set(walked.map(({ partyId }) => partyId)).size).toBe(walked.length);
    }
  });
});

describe("an end that the node has not reached", () => {
  test("is waited for, then it is reason behind, and `resume` gives exactly the rest", async () => {
    const node = createFakeNode({ balances: changes(100, 1) }, options);
    const client = clientOf(node, "https://node.example");
    const dateRange = { startTimestamp: first, endTimestamp: first + 120n * second };
    const { read, error } = await readAll(client.scanBalanceChanges({ dateRange }, { catchUp: 20 }));
    if (!PaginationError.is(error)) throw error;
    expect(error).toMatchObject({ reason: "behind", block: { timestamp: node.block.timestamp } });
    expect(error.message).toContain("needs a node that has reached");
    expect(read).toHaveLength(300);
    node.nextBlock({
      balances: changes(10, 1, first + 110n * second),
      block: { height: 2_000_000n, timestamp: first + 200n * second },
    });
    const rest = await client.scanBalanceChanges({ dateRange: error.resume ?? {} }).toArray();
    expect(rest).toHaveLength(30);
  });

  test("is read once the node has reached it", async () => {
    const node = createFakeNode({ balances: changes(100, 1) }, options);
    let requests = 0;
    const fetch: FakeNode["fetch"] = (request) => {
      if (++requests === 3) node.nextBlock({ block: { height: 2_000_000n, timestamp: first + 200n * second } });
      return node.fetch(request);
    };
    const client = clientOf({ fetch }, "https://node.example");
    const scan = client.scanBalanceChanges({
      dateRange: { startTimestamp: first, endTimestamp: first + 120n * second },
    });
    expect(await scan.toArray()).toHaveLength(300);
    expect(await scan.coverage).toEqual({
      start: first,
      end: first + 120n * second,
      block: expect.objectContaining({ height: 2_000_000n }),
    });
  });
});

describe("a pool with a node whose proxy strips the block", () => {
  test.each([0, 1])("loses nothing if that node, number %i, is behind", async (index) => {
    const balances = changes(700, 1);
    const nodes = [0, 1].map((each) => (each === index ? { lag: 600, blockHeaders: false } : {}));
    for (let run = 0; run < 5; run++) {
      const network = createFakeNetwork({ nodes, balances }, options);
      const client = clientOf(network, nodePool(network.nodes.map(({ url }) => url)));
      const scan = client.scanBalanceChanges({}, { pageSize: 100 });
      expect(await scan.toArray()).toHaveLength(2100);
      expect((await scan.coverage).end).toBe(network.block.timestamp);
      expect(await client.listBalanceChanges({ pagination: { first: 100 } }).toArray()).toHaveLength(2100);
    }
  });

  test("reads, and does not say that the end is proven, if no node names blocks", async () => {
    const network = createFakeNetwork({ nodes: 2, balances: changes(50, 1) }, { ...options, blockHeaders: false });
    for (const baseUrl of [network.url, nodePool(network.nodes.map(({ url }) => url))]) {
      const scan = clientOf(network, baseUrl).scanBalanceChanges();
      expect(await scan.toArray()).toHaveLength(150);
      expect(await scan.coverage).toMatchObject({ end: undefined, block: undefined });
    }
  });
});

describe("a v0.79 node", () => {
  const year = 365n * day;
  /** Changes over three years, of an account type among others that the node does not know any more. */
  const balances = Array.from({ length: 300 }, (_, index) =>
    changeAt(
      first + BigInt(Math.floor(index / 3)) * 11n * day,
      index,
      index % 4 === 0 ? "ACCOUNT_TYPE_REWARD_AVERAGE_POSITION" : "ACCOUNT_TYPE_GENERAL",
    ),
  );
  const end = first + 1100n * day;
  const data = { balances, block: { height: 50_000_000n, timestamp: end } };
  const client = clientOf(createFakeNode(data, { ...options, version: "v0.79" }), "https://node.example");
  const other = clientOf(createFakeNode(data, options), "https://node.example");
  const keysOf = (records: readonly BalanceChange[]) =>
    records.map(({ timestamp, partyId }) => `${timestamp} ${partyId}`);

  const ranges = {
    "without a range": {},
    "with an end alone": { endTimestamp: first + 2n * year },
    "with a start alone": { startTimestamp: first },
    "of three years": { startTimestamp: first, endTimestamp: first + 3n * year },
    "of exactly 365 days": { startTimestamp: first, endTimestamp: first + year },
    "from 2020 on": { startTimestamp: new Date("2020-01-01"), endTimestamp: new Date("2020-12-31") },
    "before 2020": { startTimestamp: new Date("2019-01-01"), endTimestamp: new Date("2019-12-31") },
  };

  test.each(Object.entries(ranges))("reads lists and scans %s as a v0.74 node does", async (_, dateRange) => {
    for (const order of ["oldest-first", "newest-first"] as const) {
      const scan = (each: typeof client) =>
        each.scanBalanceChanges({ dateRange }, { order, pageSize: 40, missingHistory: "ignore" }).toArray();
      expect(keysOf(await scan(client))).toEqual(keysOf(await scan(other)));
    }
    for (const pagination of [{ first: 7 }, { last: 7 }, { first: 7, newestFirst: false }, { first: 5000 }]) {
      // What begins before the history is an error of a loop, so that it is read page by page.
      const walk = async (each: typeof client) => {
        const records: BalanceChange[] = [];
        try {
          for await (const page of each.listBalanceChanges({ dateRange, pagination }).pages())
            records.push(...page.nodes);
        } catch (error) {
          if (!PaginationError.is(error) || error.reason !== "pruned") throw error;
        }
        return keysOf(records);
      };
      expect(await walk(client)).toEqual(await walk(other));
    }
  });

  test("is walked over account types that it sends as numbers", async () => {
    const walked = await client.listBalanceChanges({ pagination: { first: 2 } }).toArray();
    const typesOf = (records: readonly BalanceChange[]) =>
      records.map(({ partyId, accountType }) => `${partyId} ${accountType}`).sort();
    expect(typesOf(walked)).toEqual(typesOf(balances));
  });
});
