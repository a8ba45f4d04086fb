import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { compareRecords } from "../../../src/scan/record-order.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { run } from "../runtimes/consumer.js";
import { installNode, main, node, readDatabase, runNode } from "./sqlite-node.js";

const change = fileURLToPath(new URL("change.js", import.meta.url));
const day = 86_400_000_000_000n;

let folder: string;
let database: string;
beforeAll(installNode);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sync-"));
  database = join(folder, "vega.db");
});
afterEach(() => rm(folder, { recursive: true }));

/** A node with changes on three days, and its address. */
async function startNode(history?: bigint) {
  const first = 1_707_300_000_000_000_000n;
  const balances = Array.from({ length: 300 }, (_, index) => ({
    timestamp: `${first + (BigInt(index) * day) / 100n}` as const,
    balance: `${index}${"0".repeat(25)}`,
    partyId: `party ${index % 7}`,
    assetId: `asset ${index % 3}`,
    marketId: "",
    accountType: "ACCOUNT_TYPE_GENERAL",
  }));
  const fake = createFakeNode({ balances, ...(history && { history }) }, { defects: nodeDefects, rateLimit: false });
  const server = await listen(fake);
  const sync = (...args: string[]) => runNode([main, "sync", database, "--node", server.url, ...args]);
  return { fake, server, sync };
}

test("a comparison names the days that differ, and repairs them", async () => {
  const { fake, server, sync } = await startNode();
  try {
    expect(await sync()).toMatchObject({ code: 0, stderr: expect.stringContaining("300 balances stored") });
    expect(await sync("--check")).toMatchObject({ code: 0, stdout: expect.stringContaining("300 balance changes") });
    const times = fake.records.balances.map(({ timestamp }) => timestamp).sort();
    await runNode([
      change,
      database,
      `DELETE FROM account_changes WHERE time = ${times[5]}`,
      `UPDATE account_changes SET balance = '1' WHERE time = ${times[200]}`,
    ]);
    const found = await sync("--check");
    expect(found).toMatchObject({ code: 1, stdout: "" });
    expect(found.stderr).toContain("2024-02-07: 1 missing, 0 that the node does not have.");
    expect(found.stderr).toContain("2024-02-09: 1 missing, 1 that the node does not have.");
    expect(await sync("--check", "--repair")).toMatchObject({ code: 0, stderr: expect.stringContaining("repaired") });
    expect(await sync("--check", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
    const { balances } = await readDatabase(database);
    const expected = [...fake.records.balances].sort(compareRecords);
    expect(balances.map(({ balance }) => balance)).toEqual(expected.map(({ balance }) => balance));
  } finally {
    await server.close();
  }
});

test("what a node no longer keeps stays, and is not compared", async () => {
  const { fake, server, sync } = await startNode();
  const times = fake.records.balances.map(({ timestamp }) => BigInt(timestamp)).sort();
  const later = await startNode(times[150]);
  try {
    await sync("--quiet");
    const compared = { code: 0, stdout: expect.stringContaining("150 balance changes") };
    expect(await later.sync("--check")).toMatchObject(compared);
    expect(await later.sync("--check", "--repair")).toMatchObject(compared);
    expect((await readDatabase(database)).balances).toHaveLength(300);
  } finally {
    await server.close();
    await later.server.close();
  }
});

test("a filter and a time decide what is stored", async () => {
  const { fake, server, sync } = await startNode();
  try {
    await sync("--party", "party 1", "--party", "party 2", "--asset", "asset 0", "--from", "2024-02-08", "--quiet");
    const from = 1_707_350_400_000_000_000n;
    const wanted = fake.records.balances.filter(
      ({ partyId = "", assetId, timestamp }) =>
        ["party 1", "party 2"].includes(partyId) && assetId === "asset 0" && BigInt(timestamp) >= from,
    );
    expect(wanted.length).toBeGreaterThan(10);
    expect((await readDatabase(database)).balances).toHaveLength(wanted.length);
  } finally {
    await server.close();
  }
});

test.each([
  [["votes"], "Expected --proposal or --party beside votes."],
  [["signatures"], "Expected --id beside signatures."],
  [["orders"], "Expected names of lists after FILE (balances, votes, signatures, profiles), got orders."],
  [["--repair"], "Expected --check beside --repair."],
  [["--follow", "--check"], "Expected --follow or --check, got both."],
  [["votes", "--party", "p", "--check"], "--check compares balance changes: name the list balances."],
])("sync %s is refused before a database is created", async (args, message) => {
  const { code, stderr } = await runNode([main, "sync", database, "--node", "localhost:1", ...args]);
  expect([code, stderr.trim()]).toEqual([2, `Error: ${message}`]);
  await expect(readDatabase(database)).rejects.toThrow("unable to open database file");
});

test("a database with other tables is refused, and keeps them", async () => {
  await runNode([change, database, "CREATE TABLE mine (value TEXT)"]);
  const { code, stderr } = await runNode([main, "sync", database, "--node", "localhost:1"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("Expected a database that sync has created")]);
});

test("a command ends if the node does not respond", async () => {
  const args = ["votes", "--party", "p", "--node", "localhost:1", "--retries", "0"];
  const { code, stderr } = await runNode([main, "sync", database, ...args]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("received no response")]);
});

test("Node.js 20 gets one sentence that says which version has SQLite", async () => {
  const node20 = join(dirname(node), "../../node20/bin/node");
  const failure = await run(node20, [main, "sync", database, "--node", "localhost:1"]).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^Error: sync needs SQLite, which Node\.js has from 22\.13 on, and this is v20\.\d+\.\d+\.\n$/,
    ),
  });
});
