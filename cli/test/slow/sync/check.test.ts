import { createFakeNode, type FakeNode, type FakeNodeData, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { changeDatabase, type Ended, useDatabase } from "./sqlite-node.js";

const database = useDatabase();
const first = 1_707_300_000_000_000_000n;
const hour = 3_600_000_000_000n;
const [party, other] = ["ab".repeat(32), "cd".repeat(32)];
/** The changes of one party in the first hundred hours, and of another one in the second hundred. After 134 hours, a day begins. */
const balances = Array.from({ length: 200 }, (_, index) => ({
  timestamp: `${first + BigInt(index) * hour}` as const,
  balance: String(index),
  partyId: index < 100 ? party : other,
  assetId: "ef".repeat(32),
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
}));
const block = { height: 1000n, timestamp: first + 201n * hour };

type Sync = (...args: string[]) => Promise<Ended>;

/** Starts a node, and returns it with what runs the command with it. */
async function start(
  { history, ...data }: FakeNodeData & { history?: bigint } = {},
  change: (response: Response) => Response = (response) => response,
): Promise<{ fake: FakeNode; sync: Sync }> {
  const fake = createFakeNode({ balances, block, ...data }, { defects: nodeDefects, rateLimit: false, history });
  return { fake, sync: await database.start({ fetch: async (request) => change(await fake.fetch(request)) }) };
}

const equal = (records: number) => ({ code: 0, stdout: expect.stringContaining(`: ${records} balance changes.`) });

test("a database is not called equal if the node no longer keeps what it has", async () => {
  const { sync } = await start();
  const { sync: pruned } = await start({ history: first + 134n * hour });
  await sync("--quiet");
  const { code, stdout, stderr } = await pruned("--check");
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("the node does not keep the 134 before. Use a node with a longer history.");
  expect(await sync("--check")).toMatchObject(equal(200));
});

test("a database of a party is not called equal if nothing of it was compared", async () => {
  const { sync } = await start();
  const { sync: pruned } = await start({ history: first + 134n * hour });
  await sync("--party", party, "--quiet");
  const { code, stdout, stderr } = await pruned("--party", party, "--check");
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("the node does not keep the 100 before");
});

test("a database is not called equal to a node without records", async () => {
  const { sync } = await start();
  const { sync: empty } = await start({ balances: [] });
  await sync("--quiet");
  const { code, stdout, stderr } = await empty("--check");
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("the node does not keep the 200 before");
  const from = ["--from", "2024-02-08"];
  await sync(...from, "--quiet");
  expect(await empty("--check", ...from)).toMatchObject({ code: 3, stdout: "" });
});

test("a database is not compared with a network whose history begins later than what is stored", async () => {
  const { sync } = await start();
  const later = balances.slice(0, 20).map((change, index) => ({
    ...change,
    balance: "7",
    timestamp: `${first + (200n * hour + BigInt(index))}` as const,
  }));
  const { sync: another } = await start({ balances: later });
  await sync("--quiet");
  const { code, stderr } = await another("--check");
  expect([code, stderr]).toEqual([1, expect.stringContaining("Expected a node of the network")]);
});

test("records of the node before the first stored one are missing ones", async () => {
  const { sync } = await start();
  await sync("--quiet");
  await changeDatabase(database.path(), `DELETE FROM account_changes WHERE time < ${first + 30n * hour}`);
  const { code, stderr } = await sync("--check");
  expect([code, stderr]).toEqual([1, expect.stringContaining("missing, 0 that the node does not have.")]);
});

test("a stored record after the position is compared as well", async () => {
  const { fake, sync } = await start();
  await sync("--quiet");
  fake.nextBlock();
  const inserted = block.timestamp + 1000n;
  fake.nextBlock();
  await changeDatabase(
    database.path(),
    `INSERT INTO account_changes SELECT id, ${inserted}, '1' FROM accounts LIMIT 1`,
  );
  const { code, stderr } = await sync("--check");
  expect([code, stderr]).toEqual([1, expect.stringContaining("0 missing, 1 that the node does not have.")]);
});

test("what another filter has stored after the position of this one is no difference", async () => {
  const { fake, sync } = await start();
  await sync("--party", party, "--quiet");
  const change = (timestamp: bigint) => ({ ...balances[0], timestamp: `${timestamp}` as const, balance: "5" });
  fake.nextBlock({ balances: [change(fake.block.timestamp), { ...change(fake.block.timestamp), partyId: other }] });
  fake.nextBlock();
  await sync("--quiet");
  fake.nextBlock({ balances: [change(fake.block.timestamp)] });
  fake.nextBlock();
  expect(await sync("--party", party, "--check")).toMatchObject(equal(101));
  expect(await sync("--check")).toMatchObject(equal(202));
});

test("a party in upper case is the same one", async () => {
  const { sync } = await start();
  const upper = party.toUpperCase();
  expect(await sync("--party", upper)).toMatchObject({ stderr: expect.stringContaining("100 balances stored") });
  expect(await sync("--party", party)).toMatchObject({ stderr: expect.stringContaining("0 balances stored") });
  expect(await sync("--party", upper, "--check")).toMatchObject(equal(100));
  await changeDatabase(database.path(), `DELETE FROM account_changes WHERE time = ${first}`);
  expect(await sync("--party", upper, "--check")).toMatchObject({ code: 1 });
});

test("a database equals a node whose responses name no block, with the records of the last block", async () => {
  const { sync } = await start({}, (response) => {
    const headers = new Headers(response.headers);
    for (const name of ["x-block-height", "x-block-timestamp"]) headers.delete(name);
    return new Response(response.body, { status: response.status, headers });
  });
  await sync("--quiet");
  expect(await sync("--check")).toMatchObject(equal(200));
});

test("a check of a file that does not exist creates none", async () => {
  const { sync } = await start();
  expect(await sync("--check")).toMatchObject({ code: 2, stderr: expect.stringContaining("and there is no") });
  await expect(database.stored()).rejects.toThrow("unable to open database file");
});
