import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { run } from "../../../../test/slow/runtimes/consumer.js";
import { changeDatabase, main, runNode, useDatabase } from "./sqlite-node.js";

const day = 86_400_000_000_000n;

const utcDay = (time: string) => new Date(Number(BigInt(time) / 1_000_000n)).toISOString().slice(0, 10);

const database = useDatabase();

/** A node with changes on three days, and its address. */
async function startNode(shift = 0n, accountType: string | number = "ACCOUNT_TYPE_GENERAL") {
  const first = 1_707_300_000_000_000_000n + shift;
  const balances = Array.from({ length: 300 }, (_, index) => ({
    timestamp: `${first + (BigInt(index) * day) / 100n}` as const,
    balance: `${index}${"0".repeat(25)}`,
    partyId: `party ${index % 7}`,
    assetId: `asset ${index % 3}`,
    marketId: "",
    accountType,
  }));
  const fake = createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false });
  return { fake, sync: await database.start(fake) };
}

test("a comparison names the days that differ", async () => {
  const { fake, sync } = await startNode();
  const { balances } = fake.records;
  expect(await sync()).toMatchObject({ code: 0, stderr: expect.stringContaining("300 balances stored") });
  expect(await sync("--check")).toMatchObject({ code: 0, stdout: expect.stringContaining("300 balance changes") });
  const times = balances.map(({ timestamp }) => timestamp).sort();
  await changeDatabase(
    database.path(),
    `DELETE FROM account_changes WHERE time = ${times[5]}`,
    `UPDATE account_changes SET balance = '1' WHERE time = ${times[200]}`,
  );
  const found = await sync("--check");
  expect(found).toMatchObject({ code: 1, stdout: "" });
  const of = (day: string) => balances.filter(({ timestamp }) => utcDay(timestamp) === day).length;
  const [seventh, ninth] = [of("2024-02-07"), of("2024-02-09")];
  expect(found.stderr.trim().split("\n")).toEqual([
    `2024-02-07: ${seventh - 1} records, ${seventh} in the node: 1 missing, 0 that the node does not have.`,
    `2024-02-09: ${ninth} records, ${ninth} in the node: 1 missing, 1 that the node does not have.`,
  ]);
});

test.each<[what: string, shift: bigint, code: number, reason: string]>([
  ["with other records is refused", 3000n, 1, "Expected a node of the network"],
  ["that ended before is waited for", -100n * day, 3, "The node has reached"],
  ["that began later has no history", 100n * day, 3, "The node does not keep what follows"],
])("a node of another network %s before something is written", async (_, shift, code, reason) => {
  const { sync } = await startNode();
  const other = await startNode(shift);
  await sync("--quiet");
  const before = await database.stored();
  const failed = { code, stderr: expect.stringContaining(reason) };
  expect(await other.sync("--catch-up", "10ms")).toMatchObject(failed);
  if (code === 1) expect(await other.sync("--check")).toMatchObject(failed);
  expect(await database.stored()).toEqual(before);
  expect(await sync("--quiet", "--catch-up", "0")).toMatchObject({ code: 0 });
});

test("an account type that comes as a number is found again in the node", async () => {
  const { sync } = await startNode(0n, 99);
  await sync("--quiet");
  expect(await sync("--catch-up", "0")).toMatchObject({ code: 0 });
});

test("a filter and a time decide what is stored", async () => {
  const { fake, sync } = await startNode();
  await sync("--party", "party 1", "--party", "party 2", "--asset", "asset 0", "--from", "2024-02-08", "--quiet");
  const from = 1_707_350_400_000_000_000n;
  const wanted = fake.records.balances.filter(
    ({ partyId = "", assetId, timestamp }) =>
      ["party 1", "party 2"].includes(partyId) && assetId === "asset 0" && BigInt(timestamp) >= from,
  );
  expect(wanted.length).toBeGreaterThan(10);
  expect((await database.stored()).balances).toHaveLength(wanted.length);
});

test.each([
  [["votes"], "The list votes requires --proposal or --party."],
  [["signatures"], "The list signatures requires --id."],
  [["orders"], "Expected names of lists after DESTINATION (balances, votes, signatures, profiles), got orders."],
  [["--follow", "--check"], "--follow and --check cannot be combined."],
  [["votes", "--party", "p", "--check"], "--check compares balance changes: name the list balances."],
])("sync %s is refused before a database is created", async (args, message) => {
  const { code, stderr } = await runNode([main, "sync", database.path(), "--node", "localhost:1", ...args]);
  expect([code, stderr.trim()]).toEqual([2, `Error: ${message}`]);
  await expect(database.stored()).rejects.toThrow("unable to open database file");
});

test("a command ends if the node does not respond", async () => {
  const args = ["votes", "--party", "p", "--node", "localhost:1", "--retries", "0"];
  const { code, stderr } = await runNode([main, "sync", database.path(), ...args]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("received no response")]);
});

test.runIf(process.version.startsWith("v20."))(
  "Node.js 20 gets one sentence that says which version has SQLite",
  async () => {
    const argv = [main, "sync", database.path(), "--node", "localhost:1"];
    const failure: unknown = await run(process.execPath, argv).catch((error) => error);
    expect(failure).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^Error: A database such as vega.db needs SQLite, which Node\.js has from 22\.13 on, and this is v20\.\d+\.\d+\.\n$/,
      ),
    });
  },
);
