import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main, node, queryDatabase, runNode, useDatabase } from "./sqlite-node.js";

const run = promisify(execFile);

const { path, start } = useDatabase();
let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  server = await listen(createFakeNode({ balances: 20_000 }, { defects: nodeDefects, rateLimit: false }));
});
afterAll(() => server.close());

const sync = (file: string, ...args: string[]) => runNode([main, "sync", file, "--node", server.url, ...args]);

test("a database with other tables is refused, and its file is not changed", async () => {
  const file = path("mine.db");
  await queryDatabase(file, ["CREATE TABLE mine (value TEXT)", "CREATE TABLE sync_state (value TEXT)"]);
  const before = await readFile(file);
  const message = "has tables that sync has not created. Use another file.";
  for (const args of [[], ["--check"]]) {
    expect(await sync(file, ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  }
  expect(before.equals(await readFile(file))).toBe(true);
  expect(await readdir(path("."))).toEqual(["mine.db"]);
});

test("a file that is no database is refused by its name", async () => {
  const file = path("notes.db");
  await writeFile(file, "not a database ".repeat(100));
  const { code, stderr } = await sync(file);
  expect([code, stderr]).toEqual([1, `Error: SQLite cannot use ${file}: file is not a database.\n`]);
});

test("a lock is that of the file behind a symbolic link, also of one that is not there yet", async () => {
  const file = path("vega.db");
  await mkdir(path("links"));
  const name = path("links/linked.db");
  await symlink(file, name);
  const held = `${file}.lock.1.another.example`;
  for (let run = 0; run < 2; run++) {
    await writeFile(held, "");
    expect(await sync(name)).toMatchObject({ code: 2, stderr: expect.stringContaining("on another.example") });
    await rm(held);
    expect(await sync(name)).toMatchObject({ code: 0 });
  }
  expect((await readdir(path("links"))).sort()).toEqual(["linked.db"]);
});

test("a database keeps all promises of a destination", async () => {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter", "default"];
  const argv = [...vitest, "cli/test/integration/sync.test.ts", "-t", "vega.db"];
  const { stdout } = await run(node, argv, { cwd: root, env: { ...process.env, NO_COLOR: "1" } });
  expect(stdout).toMatch(/Tests +\d\d passed/);
});

test("balances of up to 78 digits are stored, and their sum is exact", async () => {
  const amounts = [2n ** 256n - 1n, 10n ** 60n - 1n, 10n ** 43n + 7n, 10n ** 42n - 1n, 12n];
  const balances = amounts.map((balance, index) => ({
    timestamp: `${1_707_300_000_000_000_000n + BigInt(index) * 1_000_000_000n}` as const,
    balance: `${balance}`,
    partyId: "ab".repeat(32),
    assetId: "cd".repeat(32),
    marketId: "",
    accountType: "ACCOUNT_TYPE_GENERAL",
  }));
  const store = await start(createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false }));
  expect(await store("--quiet")).toMatchObject({ code: 0 });
  const columns = ["highest", "higher", "high", "middle", "low"];
  const sql = `SELECT ${columns.map((name) => `sum(${name}) AS ${name}`).join(", ")} FROM balance_changes`;
  const [[row] = []] = await queryDatabase(path(), [sql]);
  const [highest = 0n, higher = 0n, high = 0n, middle = 0n, low = 0n] = columns.map((name) => BigInt(row?.[name] ?? 0));
  expect(highest * 10n ** 60n + higher * 10n ** 42n + high * 10n ** 24n + middle * 10n ** 12n + low).toBe(
    amounts.reduce((sum, balance) => sum + balance),
  );
});
