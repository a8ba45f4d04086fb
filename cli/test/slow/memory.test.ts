import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderOfFile } from "../../../test/support/folder.js";
import { run } from "../../../test/support/run.js";
import { main } from "../support/cli-process.js";
import { query } from "../support/sqlite.js";
import { installNode, node as node24 } from "./sync/sqlite-node.js";

const records = 300_000;
const printPeak = 'data:text/javascript,process.on("exit",()=>console.log(process.resourceUsage().maxRSS))';
const path = await folderOfFile();
let address: string;
let end: () => void;
beforeAll(async () => {
  installNode();
  const server = fileURLToPath(new URL("../../../bench/changes-server.js", import.meta.url));
  const child = fork(server, [String(records), "0"], { execArgv: [] });
  end = () => child.disconnect();
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  address = `http://127.0.0.1:${port}`;
});
afterAll(() => end());

/** The peak of the memory in MiB. */
async function peakOf(node: string, args: readonly string[]): Promise<number> {
  const all = ["--import", printPeak, main, ...args, "--node", address, "--quiet"];
  return Number((await run(node, all, { cwd: path() })).stdout) / 1024;
}

// How much garbage Node.js 24 leaves in the young generation differs by 80 MiB from run to run.
test.each([
  { version: 20, node: process.execPath, args: ["balances", "--output", "20.csv"], limit: 300 },
  { version: 24, node: node24, args: ["balances", "--output", "24.csv"], limit: 300 },
  { version: 24, node: node24, args: ["sync", "vega.db"], limit: 400 },
  { version: 24, node: node24, args: ["sync", "vega/", "--partial-day"], limit: 400 },
])("$args takes less than $limit MiB on Node.js $version", async ({ node, args, limit }) => {
  expect(await peakOf(node, args)).toBeLessThan(limit);
});

test("a local database of a million accounts takes less than 400 MiB on Node.js 24", async () => {
  await peakOf(node24, ["sync", "million.db"]);
  await query(path("million.db"), [
    `WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 1000000)
     INSERT INTO accounts (party, asset, market, account_type)
     SELECT printf('%064x', value), printf('%064x', value % 9), '', 'ACCOUNT_TYPE_GENERAL' FROM numbers`,
    `INSERT INTO account_changes SELECT id, (SELECT min(time) FROM account_changes) - id * 1000, '1' FROM accounts
     WHERE id NOT IN (SELECT account FROM account_changes)`,
    "PRAGMA wal_checkpoint(TRUNCATE)",
  ]);
  // The server ignores filters: a node whose records do not match a filter proves nothing.
  const types = ["general", "margin", "vested-rewards"];
  const [unchanged, further] = [[], types.flatMap((type) => ["--account-type", type])];
  expect(await peakOf(node24, ["sync", "million.db", ...unchanged])).toBeLessThan(400);
  expect(await peakOf(node24, ["sync", "million.db", ...further])).toBeLessThan(400);
}, 300_000);
