import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installNode, main, runNode } from "../../../cli/test/slow/sync/sqlite-node.js";
import { hasPostgres, startPostgres } from "../../../cli/test/support/postgres.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
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
const totals = new Map<string, [count: number, total: bigint]>();
for (const { assetId = "", balance } of changes) {
  const [number, total] = totals.get(assetId) ?? [0, 0n];
  totals.set(assetId, [number + 1, total + BigInt(balance)]);
}

let folder: string;
let database: Awaited<ReturnType<typeof startPostgres>> | undefined;

describe.skipIf(missing !== undefined)(`${count} balance changes`, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "engines-"));
    installNode();
    if (hasPostgres || process.env["GITHUB_ACTIONS"]) database = await startPostgres();
    // The last day is complete: another day follows.
    const last = changes.reduce((latest, { timestamp }) => (timestamp > latest ? timestamp : latest), "0");
    const block = { height: 100_000n, timestamp: BigInt(last) + 86_400_000_000_000n };
    const server = await listen(createFakeNode({ balances: changes, block }, { rateLimit: false }));
    try {
      for (const destination of ["vega/", "vega.db", ...(database ? [database.url] : [])]) {
        const target = destination.includes(":") ? destination : join(folder, destination);
        const path = destination.endsWith("/") ? `${target}/` : target;
        const { code, stderr } = await runNode([main, "sync", path, "balances", "--node", server.url, "--quiet"]);
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
    await runPython(folder, ["-c", install]);
  }, 900_000);
  afterAll(async () => {
    await database?.close();
    await rm(folder, { recursive: true });
  });

  test.each(samples)(
    "$name finds the number of changes and the exact sum of each asset",
    async ({ code }) => {
      const printed = await runPython(folder, [runner], code);
      const rows: [asset: string, count: number, total: string][] = JSON.parse(printed.split("\n").at(-1) ?? "");
      expect(new Map(rows.map(([asset, number, total]) => [asset, [number, BigInt(total)]]))).toEqual(totals);
    },
    300_000,
  );

  test("the records in SQLite, PostgreSQL and Parquet have the same SHA-256 as those of the node", async ({ skip }) => {
    const expected = expectedRecords(changes);
    const columns = "balance, party, asset, market, account_type FROM";
    expect(await readRecords(folder, join(folder, "vega/balance_changes"))).toBe(expected);
    const sqlite = `sqlite:${join(folder, "vega.db")}`;
    expect(await readRecords(folder, sqlite, `SELECT time, ${columns} balance_changes`)).toBe(expected);
    if (database === undefined) return skip("PostgreSQL is not installed.");
    const time = "(extract(epoch FROM time) * 1000000)::bigint * 1000";
    expect(await readRecords(folder, database.url, `SELECT ${time}, ${columns} vega.balance_changes`)).toBe(expected);
  }, 300_000);
});

test("the page has a sample for each engine", () => {
  const engines = ["DuckDB", "pyarrow", "pandas", "polars", "Spark", "Iceberg", "DuckLake"];
  expect(samples.map(({ name }) => name)).toEqual(engines);
});
