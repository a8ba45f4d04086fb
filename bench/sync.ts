import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Run, runProcess } from "./export.js";
import { count, median, type Report, round } from "./measure.js";

const records = 1_000_000;
/** A closed proposal has all of its votes in one block, and a page holds 5000. */
const votes = 12_000;
const rounds = 9;

const main = fileURLToPath(new URL("../cli/dist/main.js", import.meta.url));
const page = fileURLToPath(new URL("../docs/sync.md", import.meta.url));

type Database = { prepare(sql: string): { get(): unknown }; close(): void };
type Sqlite = { DatabaseSync: new (path: string) => Database };

/**
 * A local database of a million balance changes, beside exports of the same: what a record takes, and how long the queries of
 * its page take.
 */
export async function syncing(): Promise<Report[]> {
  const sqlite: unknown = process.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    console.error(`The benchmark sync needs Node.js 22.13 or later, and is skipped on ${process.version}.`);
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), "sync-"));
  const server = fileURLToPath(new URL("changes-server.js", import.meta.url));
  const node = fork(server, [String(records), String(votes)], { execArgv: [] });
  try {
    const [{ port, proposals }] = (await once(node, "message")) as [{ port: number; proposals: string[] }];
    const address = `http://127.0.0.1:${port}`;
    const file = join(folder, "vega.db");
    const run = (...args: string[]) => runProcess([main, ...args, "--node", address, "--quiet"], records);
    const rows: Report["rows"] = {};
    const note = (name: string, { cpu, mebibytes, seconds }: Run) => {
      rows[name] = { "CPU, µs per record": round(cpu), seconds: round(seconds), "peak, MiB": round(mebibytes) };
    };
    note("export to CSV", await run("balances", "--output", join(folder, "changes.csv")));
    note("sync", await run("sync", file));
    note("sync --check", await run("sync", file, "--check"));
    const size = (await stat(file)).size / 2 ** 20;
    const named = proposals.flatMap((proposal) => ["--proposal", proposal]);
    await run("sync", file, "votes", ...named);
    node.send("rewrite votes");
    await once(node, "message");
    await run("sync", file, "votes", ...named);
    const database = new (sqlite as Sqlite).DatabaseSync(file);
    try {
      const title = `A local database of ${count(records)} balance changes`;
      return [
        { title: `${title}, ${round(size)} MiB, pages of 1,000`, rows },
        { title: `Queries of docs/sync.md on it, ${rounds} rounds`, rows: await timesOf(database, proposals[0] ?? "") },
      ];
    } finally {
      database.close();
    }
  } finally {
    node.disconnect();
    await rm(folder, { recursive: true });
  }
}

/** The queries of the page, by the sentence before each of them. */
async function queriesOnPage(): Promise<[string, string][]> {
  const found = (await readFile(page, "utf8")).matchAll(/^([^\n]+?)(?: \([^)\n]*\))?:\n\n```sql\n([\s\S]*?)^```$/gm);
  return [...found].map(([, title = "", sql = ""]) => [title, sql]);
}

/** Milliseconds of each query, with the records of the middle of the database. */
async function timesOf(database: Database, proposal: string): Promise<Report["rows"]> {
  const middle =
    "SELECT party, asset, CAST(time AS TEXT) AS time, CAST(time + 600000000000 AS TEXT) AS end FROM balance_changes " +
    "WHERE party <> 'network' AND time >= (SELECT (min(time) + max(time)) / 2 FROM account_changes) ORDER BY time LIMIT 1";
  const parameters = { ...(database.prepare(middle).get() as Record<string, string>), proposal };
  const rows: Report["rows"] = {};
  for (const [title, sql] of await queriesOnPage()) {
    const statement = database.prepare(sql) as unknown as {
      all(values: object): unknown[];
      setReadBigInts(on: boolean): void;
    };
    statement.setReadBigInts(true);
    const used = Object.fromEntries(Object.entries(parameters).filter(([name]) => sql.includes(`:${name}`)));
    const times: number[] = [];
    let found: unknown[] = [];
    for (let number = 0; number < rounds; number++) {
      const started = performance.now();
      found = statement.all(used);
      times.push(performance.now() - started);
    }
    rows[title] = { ms: round(median(times)), rows: found.length };
  }
  return rows;
}
