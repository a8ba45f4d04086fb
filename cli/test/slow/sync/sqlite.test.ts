import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { run } from "../../../../test/support/run.js";
import { loadSqlite } from "../../../src/sync/sqlite.js";
import { change } from "../../support/changes.js";
import { add, intercept, startNode } from "../../support/nodes.js";
import { ended, equal, interruption, runCli, runUntil, useFolder } from "../../support/run-cli.js";
import { query } from "../../support/sqlite.js";
import { installNode, node } from "./sqlite-node.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

beforeAll(installNode);

const path = useFolder();

test("a database that another program locks for longer than SQLite waits is waited for, which is said once", async () => {
  const node = startNode();
  const open = await loadSqlite();
  const locking = intercept(node, (number) => {
    if (number !== 8) return;
    const other = open(path("vega.db"));
    other.exec("BEGIN EXCLUSIVE");
    add(node, change(node.block.timestamp));
    setTimeout(() => other.close(), 5500);
  });
  const argv = ["sync", path("vega.db"), "--follow", "--poll-interval", "5ms"];
  const { code, stderr } = await runUntil(({ requests }) => requests === 20, argv, locking);
  const waits = expect.stringContaining("database is locked. Trying again for five minutes.\n");
  expect([code, stderr]).toEqual([130, waits]);
  expect(await runCli(["sync", path("vega.db"), "--check"], node)).toMatchObject(equal(201));
});

test("a backup in another journal mode is continued once no program reads it", async () => {
  const node = startNode();
  expect(await runCli(["sync", path("vega.db")], { fetch: node.fetch })).toMatchObject({ code: 0 });
  await query(path("vega.db"), [`VACUUM INTO '${path("backup.db")}'`]);
  const reader = (await loadSqlite())(path("backup.db"));
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM account_changes").all();
  setTimeout(() => reader.exec("COMMIT"), 5500);
  const waited = ended(0, "database is locked. Trying again for five minutes.\n");
  expect(await runCli(["sync", path("backup.db")], { fetch: node.fetch })).toMatchObject(waited);
  reader.close();
});

test("a run that waits for a database can be interrupted", async () => {
  const node = startNode();
  const open = await loadSqlite();
  await runCli(["sync", path("vega.db")], { fetch: node.fetch });
  const other = open(path("vega.db"));
  other.exec("BEGIN EXCLUSIVE");
  const { signal, interrupt } = interruption();
  // Its first wait, of five seconds, is SQLite's own.
  setTimeout(interrupt, 5500);
  expect(await runCli(["sync", path("vega.db")], { fetch: node.fetch, signal })).toMatchObject({ code: 130 });
  other.close();
});

test("a database keeps its promises", { timeout: 240_000 }, async () => {
  const suite = "cli/test/integration/sqlite.test.ts";
  const argv = ["node_modules/vitest/vitest.mjs", "run", "--reporter", "default", suite];
  const { stdout } = await run(node, argv, { cwd: root, env: { ...process.env, NO_COLOR: "1" } });
  expect(stdout).toMatch(/Tests +\d+ passed/);
});
