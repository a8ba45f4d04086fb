import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withOtherPaths } from "../../../cli/src/fake-node.js";
import { installNode, node } from "../../../cli/test/slow/sync/sqlite-node.js";
import { finish, start } from "../../../cli/test/support/cli-process.js";
import { hasPostgres, startPostgres } from "../../../cli/test/support/postgres.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { folderOfFile } from "../../support/folder.js";
import { overDays } from "../../support/over-days.js";
import { runs } from "../../support/runs.js";
import { expectedRecords, installEngines, readRecords, runPython } from "./tools.js";

/** With `TEST_RUNS=5`, a million. */
const { numRuns: count } = runs(200_000);

const page = await readFile(new URL("../../../docs/engines.md", import.meta.url), "utf8");
const runner = fileURLToPath(new URL("totals.py", import.meta.url));
const samples = [...page.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?^```python\n([\s\S]*?)^```$/gm)].map(
  ([, name = "", code = ""]) => ({ name, code }),
);

const missing = await installEngines();
if (missing) console.warn(missing);

// Sums of these amounts have more digits than the decimals of Python, which round to 28.
const generated = createFakeNode({ balances: count }).records.balances.map((change, index) => ({
  ...change,
  balance: `${BigInt(change.balance) * 1000n + BigInt(index)}`,
}));
const changes = overDays(generated, 40n);
/** What each account has after its last change in January, and the number of accounts and the total of each asset. */
const end = BigInt(Date.UTC(2024, 1, 1)) * 1_000_000n;
const byTime = [...changes].sort((a, b) => Number(BigInt(a.timestamp) - BigInt(b.timestamp)));
const last = new Map(
  byTime
    .filter(({ timestamp }) => BigInt(timestamp) < end)
    .map((each) => [[each.partyId, each.assetId, each.marketId, each.accountType].join(), each]),
);
const totals = new Map<string, [count: number, total: bigint]>();
for (const { assetId = "", balance } of last.values()) {
  const [number, total] = totals.get(assetId) ?? [0, 0n];
  totals.set(assetId, [number + 1, total + BigInt(balance)]);
}
const fake = createFakeNode({ balances: 0, votes: 90 });
const [{ proposalId: proposal = "" } = {}] = fake.records.votes;
const votes = fake.records.votes.filter(({ proposalId }) => proposalId === proposal);

const path = await folderOfFile();
let database: Awaited<ReturnType<typeof startPostgres>> | undefined;

describe.skipIf(missing !== undefined)(`${count} balance changes`, () => {
  beforeAll(async () => {
    installNode();
    if (hasPostgres || process.env["GITHUB_ACTIONS"]) database = await startPostgres();
    // The last day is complete: another day follows.
    const last = changes.reduce((latest, { timestamp }) => (timestamp > latest ? timestamp : latest), "0");
    const block = { height: 100_000n, timestamp: BigInt(last) + 86_400_000_000_000n };
    const data = { balances: changes, votes: fake.records.votes, block };
    const server = await listen(withOtherPaths(createFakeNode(data, { rateLimit: false, defects: nodeDefects })));
    try {
      for (const destination of ["vega/", "vega.db", ...(database ? [database.url] : [])]) {
        const target = destination.includes(":") ? destination : path(destination);
        const flags = ["--proposal", proposal, "--node", server.url, "--quiet"];
        const { code, stderr } = await finish(start(["sync", target, "balances", "votes", ...flags], {}, node));
        expect([code, stderr]).toEqual([0, ""]);
      }
    } finally {
      await server.close();
    }
    // As `INSTALL ducklake` does, which downloads it.
    const install = `
import duckdb, duckdb_extension_ducklake, glob
[file] = glob.glob(duckdb_extension_ducklake.__path__[0] + "/**/*.duckdb_extension", recursive=True)
duckdb.sql(f"INSTALL '{file}'")`;
    await runPython(path(), ["-c", install]);
  }, 900_000);
  afterAll(() => database?.close());

  const timeout = 300_000;
  test.each(samples)("$name finds the number of accounts and exact totals at a time", { timeout }, async ({ code }) => {
    const printed = await runPython(path(), [runner], code);
    const rows: [asset: string, count: number, total: string][] = JSON.parse(printed.split("\n").at(-1) ?? "");
    expect(new Map(rows.map(([asset, number, total]) => [asset, [number, BigInt(total)]]))).toEqual(totals);
  });

  test("the SQL of DuckDB finds what came and went each day, the largest holders at a time, and who voted", async () => {
    const statements = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql);
    const code = `
import duckdb, json, sys
for sql in json.load(sys.stdin):
    found = duckdb.sql(sql)
    print(json.dumps([[str(value) for value in row] for row in found.fetchall()] if found else None))`;
    const printed = await runPython(path(), ["-c", code], JSON.stringify(statements));
    const [, flows = [], holders, voters] = printed.split("\n").map((line): string[][] => JSON.parse(line));
    const vega = [...new Set(changes.map(({ assetId = "" }) => assetId))].sort().at(-1);

    const amounts = new Map<string, [came: number, went: number]>();
    const before = new Map<string, bigint>();
    for (const { partyId, assetId, marketId, accountType, timestamp, balance } of byTime) {
      const key = [partyId, assetId, marketId, accountType].join();
      const delta = Number(BigInt(balance) - (before.get(key) ?? BigInt(balance))) / 1e18;
      before.set(key, BigInt(balance));
      if (assetId !== vega) continue;
      const day = new Date(Number(BigInt(timestamp) / 1_000_000n)).toISOString().slice(0, 10);
      const [came, went] = amounts.get(day) ?? [0, 0];
      amounts.set(day, delta > 0 ? [came + delta, went] : [came, went + delta]);
    }
    const found = flows.filter(([, symbol]) => symbol === "VEGA");
    expect(found.length).toBeGreaterThan(30);
    for (const [day = "", , ...flow] of found) {
      const own = amounts.get(day) ?? [];
      for (const [index, amount] of flow.entries()) {
        const number = amount === "None" ? 0 : Number(amount);
        expect(Math.abs(number - (own[index] ?? 0))).toBeLessThan(1 + Math.abs(number) * 1e-9);
      }
    }
    const held = new Map<string, bigint>();
    for (const { partyId = "", assetId, balance } of last.values()) {
      if (assetId === vega) held.set(partyId, (held.get(partyId) ?? 0n) + BigInt(balance));
    }
    const largest = [...held].sort(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, 10);
    expect(holders).toEqual(largest.map(([party, balance]) => [party, `${balance}`]));
    const cast = votes.map((vote) => [vote.partyId, vote.value, vote.totalGovernanceTokenBalance] as const);
    const most = cast.sort(([, , a], [, , b]) => (BigInt(a) < BigInt(b) ? 1 : -1));
    expect(voters).toEqual(most.slice(0, 10));
  }, 300_000);

  test("the records in SQLite, PostgreSQL and Parquet have the same SHA-256 as those of the node", async ({ skip }) => {
    const expected = expectedRecords(changes);
    const columns = "balance, party, asset, market, account_type FROM";
    expect(await readRecords(path(), path("vega/balance_changes"))).toBe(expected);
    const sqlite = `sqlite:${path("vega.db")}`;
    expect(await readRecords(path(), sqlite, `SELECT time, ${columns} balance_changes`)).toBe(expected);
    if (database === undefined) return skip("PostgreSQL is not installed.");
    const time = "(extract(epoch FROM time) * 1000000)::bigint * 1000";
    expect(await readRecords(path(), database.url, `SELECT ${time}, ${columns} vega.balance_changes`)).toBe(expected);
  }, 300_000);
});

test("the page has a sample for each engine", () => {
  const engines = ["DuckDB", "pyarrow", "pandas", "polars", "Spark", "Iceberg", "DuckLake"];
  expect(samples.map(({ name }) => name)).toEqual(engines);
});
