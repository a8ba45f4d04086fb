import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { runs } from "../../support/runs.js";
import { balanceRecord, first } from "./balance-records.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const main = fileURLToPath(new URL("../../../dist/src/cli/main.js", import.meta.url));
const run = promisify(execFile);
/** A Python with pyspark: `DATA_PYTHON=/path/to/python npm run test:slow -- test/slow/data`. */
const python = process.env["DATA_PYTHON"];

const count = 20_000;
const change = (index: number) => balanceRecord(index, { perDay: 6000, parties: 700 });
const balances = Array.from({ length: count }, (_, index) => change(index));
const sumOf = (records: readonly { balance: string }[]) =>
  String(records.reduce((sum, { balance }) => sum + BigInt(balance), 0n));

/** Runs the program, however it ends. */
async function runMain(...args: string[]) {
  const { code = 0, stdout, stderr } = await run(process.execPath, [main, ...args]).catch((error) => error);
  return { code, stdout, stderr };
}

let folder: string;
let server: Awaited<ReturnType<typeof listen>>;
const node = createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false });

beforeAll(async () => {
  npmCi(here);
  folder = await mkdtemp(join(tmpdir(), "data-"));
  server = await listen(node);
  const exported = await runMain(
    "balances",
    "--output",
    join(folder, "changes"),
    "--partition",
    "day",
    "--node",
    server.url,
  );
  expect(exported.stderr).toContain("in 3 files");
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** What DuckDB is used for here. */
interface DuckDb {
  DuckDBInstance: {
    create(): Promise<{
      connect(): Promise<{
        runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
        closeSync(): void;
      }>;
    }>;
  };
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const { DuckDBInstance } = createRequire(join(here, "package.json"))("@duckdb/node-api") as DuckDb;
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}

/** The complete days of the node. */
const complete = balances.filter(({ timestamp }) => BigInt(timestamp) < 1_707_523_200_000_000_000n);

describe("a folder with a Parquet file for each day", () => {
  test("has the records of all complete days, exactly, in DuckDB", async () => {
    const source = `read_parquet('${join(folder, "changes")}/*/*.parquet', hive_partitioning = true)`;
    const totals = await query(
      `SELECT count(*) AS records, CAST(sum(balance) AS VARCHAR) AS total, epoch_ns(min(timestamp)) AS first, count(DISTINCT date) AS days FROM ${source}`,
    );
    expect(totals).toEqual([{ records: `${complete.length}`, total: sumOf(complete), first: `${first}`, days: "3" }]);
    const rows = await query(
      `SELECT epoch_ns(timestamp) AS t, balance, "partyId" AS party FROM ${source} ORDER BY timestamp`,
    );
    expect(rows).toEqual(
      complete.map(({ timestamp, balance, partyId }) => ({
        t: timestamp,
        balance: `${BigInt(balance)}`,
        party: partyId,
      })),
    );
  });

  test("has statistics that let an engine skip rows, in DuckDB", async () => {
    const file = join(folder, "changes/date=2024-02-08/part.parquet");
    const [times] = await query(
      `SELECT stats_min_value AS least, stats_max_value AS most FROM parquet_metadata('${file}') WHERE path_in_schema = 'timestamp'`,
    );
    expect(times).toEqual({
      least: expect.stringMatching(/^2024-02-08 00:00/),
      most: expect.stringMatching(/^2024-02-08 23:59/),
    });
  });

  test.skipIf(python === undefined)(
    "has the same sum in Spark (skipped without DATA_PYTHON)",
    async () => {
      const args = [join(here, "spark.py"), join(folder, "changes")];
      const { stdout } = await run(python ?? "", args, { timeout: 280_000 });
      const printed = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
      expect(printed).toEqual({ records: complete.length, total: sumOf(complete), first: String(first), days: 3 });
    },
    300_000,
  );

  test("gets the next day with --resume, and keeps the files of earlier days", async () => {
    const output = join(folder, "nights");
    const night = createFakeNode({ balances: balances.slice(0, 9000) }, { rateLimit: false });
    const own = await listen(night);
    const args = ["balances", "--output", output, "--partition", "day", "--resume", "--node"];
    try {
      expect((await runMain(...args, own.url)).stderr).toContain("in 1 files");
      const early = await readFile(join(output, "date=2024-02-07/part.parquet"));
      expect((await runMain(...args, own.url)).stderr).toContain("no later day has ended");
      expect((await runMain(...args, server.url)).stderr).toContain("in 3 files");
      expect(await readFile(join(output, "date=2024-02-07/part.parquet"))).toEqual(early);
      expect(await runMain("verify", output, "--node", server.url)).toMatchObject({ code: 0 });
    } finally {
      await own.close();
    }
  });

  test("is the same after exports that were killed at random times", async () => {
    const { numRuns } = runs(6);
    const output = join(folder, "killed");
    const args = [main, "balances", "--output", output, "--partition", "day", "--resume", "--page-size", "300"];
    for (let kill = 0; kill < numRuns; kill++) {
      const child = spawn(process.execPath, [...args, "--node", server.url], { stdio: "ignore" });
      const exit = once(child, "exit");
      await Promise.race([exit, sleep(200 + Math.random() * 600)]);
      child.kill("SIGKILL");
      await exit;
    }
    expect(await runMain(...args.slice(1), "--node", server.url)).toMatchObject({ code: 0 });
    for (const name of await readdir(join(folder, "changes"))) {
      if (!name.startsWith("date=")) continue;
      const [expected, found] = await Promise.all(
        ["changes", "killed"].map((each) => readFile(join(folder, each, name, "part.parquet"))),
      );
      expect(found).toEqual(expected);
    }
    expect(await runMain("verify", output, "--node", server.url)).toMatchObject({ code: 0 });
  });

  test("is not verified if a file was changed, or if the node has other records", async () => {
    const output = join(folder, "changed");
    await runMain("balances", "--output", output, "--partition", "month", "--to", "2024-02-09", "--node", server.url);
    // Without the first day.
    const other = await listen(createFakeNode({ balances: balances.slice(6000) }, { rateLimit: false }));
    try {
      const different = await runMain("verify", output, "--node", other.url);
      expect([different.code, different.stderr]).toEqual([3, expect.stringContaining("begin at")]);
      await appendFile(join(output, "month=2024-02/part.parquet"), "x");
      const changed = await runMain("verify", output, "--node", server.url);
      expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining("when it was written")]);
    } finally {
      await other.close();
    }
  });
});

test("an amount of more than 38 digits is an error that names the record, and text with --text-amounts", async () => {
  const balance = "1".repeat(39);
  const own = await listen(createFakeNode({ balances: [{ ...change(0), balance }] }, { rateLimit: false }));
  const output = join(folder, "large.parquet");
  try {
    const refused = await runMain("balances", "--output", output, "--node", own.url);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("asset asset 0. Use --text-amounts")]);
    expect(await readdir(folder)).not.toContain("large.parquet");
    await runMain("balances", "--output", output, "--text-amounts", "--force", "--node", own.url);
    expect(await query(`SELECT balance FROM read_parquet('${output}')`)).toEqual([{ balance }]);
  } finally {
    await own.close();
  }
});

test.each([
  [["--partition", "day"], "Expected --output beside --format parquet."],
  [
    ["--output", "x.parquet", "--partition", "day"],
    "Expected --output to be a folder beside --partition, got x.parquet.",
  ],
  [
    ["--output", "x", "--format", "parquet"],
    "Expected --output to end with .parquet, or --partition day|month beside a folder, got x.",
  ],
  [["--output", "x.parquet", "--limit", "5"], "--format parquet does not work with --limit."],
  [["--output", "x.csv", "--text-amounts"], "Expected --format parquet beside --text-amounts."],
])("balances %s is refused", async (args, message) => {
  const { code, stderr } = await runMain("balances", ...args, "--node", server.url);
  expect([code, stderr.trim()]).toEqual([2, `Error: ${message}`]);
});
