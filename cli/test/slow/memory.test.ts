import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeDatabase, installNode, main, node as node24 } from "./sync/sqlite-node.js";

const run = promisify(execFile);
const records = 300_000;
const printPeak = 'data:text/javascript,process.on("exit",()=>console.log(process.resourceUsage().maxRSS))';
let folder: string;
let address: string;
let end: () => void;
beforeAll(async () => {
  installNode();
  folder = await mkdtemp(join(tmpdir(), "memory-"));
  const server = fileURLToPath(new URL("../../../bench/changes-server.js", import.meta.url));
  const child = fork(server, [String(records), "0"], { execArgv: [] });
  end = () => child.disconnect();
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  address = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  end();
  await rm(folder, { recursive: true });
});

/** The peak of the memory in MiB. */
async function peakOf(node: string, args: readonly string[]): Promise<number> {
  const { stdout } = await run(node, ["--import", printPeak, main, ...args, "--node", address, "--quiet"], {
    cwd: folder,
  });
  return Number(stdout) / 1024;
}

// On Node.js 24, a loop of nothing but fetch and JSON.parse takes 242 MiB: its V8 keeps more garbage.
test.each([
  { version: 20, node: process.execPath, most: 250 },
  { version: 24, node: node24, most: 400 },
])("an export on Node.js $version takes less than $most MiB", async ({ version, node, most }) => {
  expect(await peakOf(node, ["balances", "--output", `${version}.csv`])).toBeLessThan(most);
});

test("a local database takes less than 400 MiB on Node.js 24", async () => {
  expect(await peakOf(node24, ["sync", "vega.db"])).toBeLessThan(400);
});

// With all accounts in memory, it was 686 and more.
test("a local database of a million accounts takes less than 450 MiB on Node.js 24", async () => {
  await peakOf(node24, ["sync", "million.db"]);
  await changeDatabase(
    join(folder, "million.db"),
    `WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 1000000)
     INSERT INTO accounts (party, asset, market, account_type)
     SELECT printf('%064x', value), printf('%064x', value % 9), '', 'ACCOUNT_TYPE_GENERAL' FROM numbers`,
    `INSERT INTO account_changes SELECT id, (SELECT min(time) FROM account_changes) - id * 1000, '1' FROM accounts
     WHERE id NOT IN (SELECT account FROM account_changes)`,
  );
  const [unchanged, further] = [[], ["--account-type", "general"]];
  expect(await peakOf(node24, ["sync", "million.db", ...unchanged])).toBeLessThan(450);
  expect(await peakOf(node24, ["sync", "million.db", ...further])).toBeLessThan(450);
}, 300_000);
