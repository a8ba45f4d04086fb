import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { hasPython, installPython } from "../../support/python.js";
import { installNode, main, node as node24 } from "../sync/sqlite-node.js";
import { balanceRecord, first } from "./balance-records.js";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));

const balances = Array.from({ length: 3000 }, (_, index) => balanceRecord(index, { perDay: 1000, parties: 70 }));

type Change = (typeof balances)[number];
const dayOf = ({ timestamp }: Change) => new Date(Number(BigInt(timestamp) / 1_000_000n)).toISOString().slice(0, 10);
const assetOf = ({ assetId }: Change) => assetId;

/** The number of records and their sum, by a text of each. */
function totals(records: readonly Change[], key: (change: Change) => string) {
  const found = new Map<string, { count: number; sum: bigint }>();
  for (const record of records) {
    const { count, sum } = found.get(key(record)) ?? { count: 0, sum: 0n };
    found.set(key(record), { count: count + 1, sum: sum + BigInt(record.balance) });
  }
  return [...found].map(([name, { count, sum }]) => [name, count, `${sum}`]).sort();
}

/** The last change of each account. */
const lastChanges = [...new Map(balances.map((change) => [`${change.partyId} ${change.assetId}`, change])).values()];

let folder: string;
let python: string;

describe.skipIf(!hasPython())("the recipes of the pages (skipped without Python 3.11 and venv)", () => {
  beforeAll(async () => {
    installNode();
    python = join(await installPython(here, join(here, "tools/python")), "python");
    folder = await mkdtemp(join(tmpdir(), "recipes-"));
    const server = await listen(createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false }));
    try {
      const target = ["--output", join(folder, "changes"), "--partition", "day"];
      await run(process.execPath, [main, "balances", ...target, "--node", server.url]);
      await run(node24, [main, "sync", join(folder, "vega.db"), "--node", server.url]);
    } finally {
      await server.close();
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** A code block of a page that has a text. */
  async function block(page: string, language: string, text: string): Promise<string> {
    const content = await readFile(join(here, "../../../docs", page), "utf8");
    const blocks = content.matchAll(new RegExp(`^\`\`\`${language}[^\n]*\n(.*?)^\`\`\`$`, "gms"));
    const found = [...blocks].map(([, code = ""]) => code).filter((code) => code.includes(text));
    expect(found).toHaveLength(1);
    return found[0] ?? "";
  }

  /** Runs a program in the folder, and returns what it printed as JSON. */
  async function runPython(code: string): Promise<unknown> {
    const file = join(folder, "recipe.py");
    await writeFile(file, code);
    const { stdout } = await run(python, [file], { cwd: folder });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  }

  /** Runs statements of DuckDB, and returns the rows of the last one, with amounts as text. */
  const runDuckDb = (sql: string, preparation = "") =>
    runPython(`import duckdb, importlib.util, json, pathlib
database = duckdb.connect()
${preparation}
for statement in ${JSON.stringify(sql.split(";").filter((each) => each.trim() !== ""))}:
    result = database.execute(statement)
print(json.dumps(sorted([asset, str(total)] for asset, total in result.fetchall())))
`);

  /** The extension comes from a package, because a test downloads nothing from elsewhere. DuckDB checks its signature. */
  const loadExtension = `package = importlib.util.find_spec("duckdb_extension_sqlite_scanner").origin
extension = next(pathlib.Path(package).parent.rglob("*.duckdb_extension"))
database.execute(f"LOAD '{extension}'")`;

  const byAsset = totals(lastChanges, assetOf).map(([asset, , sum]) => [asset, sum]);

  test("sum the balances of a local database in DuckDB", async () => {
    expect(await runDuckDb(await block("sync.md", "sql", "ATTACH"), loadExtension)).toEqual(byAsset);
  });

  test("write a report as CSV, which DuckDB reads", async (context) => {
    const hasShell = await run("sqlite3", ["--version"]).then(
      () => true,
      () => false,
    );
    context.skip(!hasShell, "This machine has no sqlite3.");
    await run("sh", ["-c", await block("sync.md", "sh", "> report.csv")], { cwd: folder });
    const [head, ...lines] = (await readFile(join(folder, "report.csv"), "utf8")).trim().split(/\r?\n/);
    expect(head).toBe("party,asset,balance");
    expect(lines).toHaveLength(lastChanges.length);
    expect(await runDuckDb(await block("sync.md", "sql", "report.csv"))).toEqual(byAsset);
  });

  test("count and sum the changes of a local database by day in pandas", async () => {
    const code = await block("sync.md", "python", "read_sql");
    const print = `import json
print(json.dumps([[day, int(row["count"]), str(row["sum"])] for day, row in per_day.iterrows()]))`;
    expect(await runPython(`${code}\n${print}`)).toEqual(totals(balances, dayOf));
  });

  /** The days of which there are files: the last one has not ended. */
  const complete = balances.filter((change) => dayOf(change) < dayOf(balances.at(-1) as Change));

  test("sum the files of all days exactly in pyarrow, and read them in pandas", async () => {
    const print = `import json
print(json.dumps([len(frame), f"{total:f}", frame["timestamp"].min().value]))`;
    const code = await block("data.md", "python", "to_pandas");
    const sum = complete.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
    // JSON of JavaScript rounds the time.
    expect(await runPython(`${code}\n${print}`)).toEqual([complete.length, `${sum}`, Number(first)]);
  });

  test("count and sum the files by day in polars", async () => {
    const print = `import json
print(json.dumps([[str(day), count, f"{total:f}"] for day, count, total in per_day.rows()]))`;
    const code = await block("data.md", "python", "scan_parquet");
    expect(await runPython(`${code}\n${print}`)).toEqual(totals(complete, dayOf));
  });
});
