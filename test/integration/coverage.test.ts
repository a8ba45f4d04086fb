import { expect, test } from "vitest";
import { followBalanceChanges } from "../../src/follow/index.js";
import { type BalanceChange, createClient, PaginationError } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNetwork, createFakeNode, type FakeNode, nodeDefects } from "../../src/testing/index.js";
import { readUntilError } from "../support/page-source.js";
import { changesAt } from "../support/records.js";

const second = 1_000_000_000n;
/** 1 February 2024. */
const first = 1_706_745_600n * second;

/** Three changes in each block; blocks are so many seconds apart. */
const changes = (blocks: number, seconds: number, since = first) =>
  changesAt(Array.from({ length: 3 * blocks }, (_, index) => since + BigInt(Math.floor(index / 3) * seconds) * second));

const options = { defects: nodeDefects, rateLimit: false } as const;
type BaseUrl = Parameters<typeof createClient>[0]["baseUrl"];
const clientOf = ({ fetch }: Pick<FakeNode, "fetch">, baseUrl: BaseUrl = "https://node.example") =>
  createClient({ baseUrl, fetch, pacing: false });

test("a range that begins before the history of the node is reason pruned for a scan, a walk and a follower", async () => {
  const [pruned, end] = [3n, 8n].map((days) => first + days * 86_400n * second) as [bigint, bigint];
  const balances = changes(200, 3600);
  const client = clientOf(createFakeNode({ balances }, { ...options, version: "v0.79", history: pruned }));
  const dateRange = { startTimestamp: first, endTimestamp: end };
  const { error } = await readUntilError(client.scanBalanceChanges({ dateRange }));
  if (!PaginationError.is(error)) throw error;
  expect(error).toMatchObject({ reason: "pruned", availableFrom: pruned, itemsRead: 0 });
  const left = balances.filter(({ timestamp }) => BigInt(timestamp) >= pruned && BigInt(timestamp) < end);
  expect(await client.scanBalanceChanges({ ...error.resume }).toArray()).toHaveLength(left.length);
  for (const reading of [
    followBalanceChanges(client, {}, { from: first }).next(),
    client.listBalanceChanges({ dateRange }).toArray(),
  ]) {
    await expect(reading).rejects.toMatchObject({ reason: "pruned", availableFrom: pruned });
  }
});

test.each([
  ["is proved by the records of others", "partyIds", true],
  ["covers nothing if no others have that asset", "assetId", false],
])("a range without records, of a party or asset whose earlier ones were dropped, %s", async (_, name, isProved) => {
  const [sleeping, ...balances] = changes(200, 3600);
  const id = "f".repeat(64);
  const quiet = { ...(sleeping as BalanceChange), partyId: id, assetId: id };
  const history = first + 3n * 86_400n * second;
  const client = clientOf(createFakeNode({ balances: [quiet, ...balances] }, { ...options, history }));
  const startTimestamp = first + 5n * 86_400n * second;
  const query = { filter: name === "assetId" ? { assetId: id } : { partyIds: [id] }, dateRange: { startTimestamp } };
  for (const reading of [
    client.scanBalanceChanges(query),
    ...[true, false].map((newestFirst) => client.listBalanceChanges({ ...query, pagination: { newestFirst } })),
  ]) {
    expect(await reading.toArray()).toEqual([]);
    const { start, end } = await reading.coverage;
    expect(start).toBe(isProved ? startTimestamp : end);
  }
});

test("an end that the node has not reached is waited for, then it is reason behind, and `resume` gives exactly the rest", async () => {
  const dateRange = { startTimestamp: first, endTimestamp: first + 120n * second };
  const node = createFakeNode({ balances: changes(100, 1) }, options);
  const client = clientOf(node);
  const { records, error } = await readUntilError(client.scanBalanceChanges({ dateRange }, { catchUp: 20 }));
  if (!PaginationError.is(error)) throw error;
  expect(error).toMatchObject({ reason: "behind", block: { timestamp: node.block.timestamp } });
  expect(error.message).toContain("but needs a node that has reached");
  expect(records).toHaveLength(300);
  const block = { height: 2_000_000n, timestamp: first + 200n * second };
  node.nextBlock({ balances: changes(10, 1, first + 110n * second), block });
  expect(await client.scanBalanceChanges({ ...error.resume }).toArray()).toHaveLength(30);
});

test("a scan over nodes that name no block is complete, and its coverage does not say that the end is proven", async () => {
  const network = createFakeNetwork({ nodes: 2, balances: changes(50, 1) }, { ...options, blockHeaders: false });
  for (const baseUrl of [network.url, nodePool(network.nodes.map(({ url }) => url))]) {
    const scan = clientOf(network, baseUrl).scanBalanceChanges();
    expect(await scan.toArray()).toHaveLength(150);
    expect(await scan.coverage).toMatchObject({ end: undefined, block: undefined });
  }
});
