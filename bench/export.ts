import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasPostgres, startPostgres } from "../cli/test/support/postgres.js";
import { createClient } from "../dist/src/index.js";
import { count, limit, median, type Report, type Run, round, runProcess, times, withServer } from "./measure.js";

const records = Number(process.env["RECORDS"] ?? 300_000);
const pageSize = Number(process.env["PAGE_SIZE"] ?? 1000);
/** Microseconds of CPU time for each record. */
const mostTime = 25;

const main = fileURLToPath(new URL("../cli/dist/main.js", import.meta.url));
const here = fileURLToPath(import.meta.url);
const loop = "loop of fetch, JSON.parse and a line of CSV";

/** What a program took, with the bytes that it stored and the requests that it sent. */
interface ExportRun extends Run {
  bytes: number;
  requests: number;
}

/** Programs that read all balance changes of a node: the command line, and a loop that does the least. */
function programs(address: string, folder: string, database: string | undefined): Record<string, string[]> {
  const own = [...process.execArgv, here];
  const exportTo = (name: string) => {
    const target = ["--output", join(folder, name), "--force", "--quiet"];
    return [main, "balances", "--node", address, "--page-size", String(pageSize), ...target];
  };
  const size = ["--page-size", String(pageSize)];
  const syncTo = (target: string) => [main, "sync", target, "balances", "--node", address, ...size, "--quiet"];
  return {
    [loop]: [...own, "loop", address, join(folder, "loop.csv")],
    "scan alone": [...own, "scan", address],
    "export to CSV": exportTo("balances.csv"),
    "export to NDJSON": exportTo("balances.ndjson"),
    "sync to Parquet": [...syncTo(join(folder, "parquet/")), "--partial-day"],
    "sync to SQLite": syncTo(join(folder, "vega.db")),
    ...(database && { "sync to PostgreSQL": syncTo(database) }),
  };
}

async function runAll(rounds: number): Promise<Record<string, ExportRun[]>> {
  const folder = await mkdtemp(join(tmpdir(), "export-"));
  const database = hasPostgres ? await startPostgres() : undefined;
  try {
    return await withServer("changes-server.js", [String(records)], async (address) => {
      const runs: Record<string, ExportRun[]> = {};
      for (let number = 0; number < rounds; number++) {
        for (const [name, args] of Object.entries(programs(address, folder, database?.url))) {
          await rm(folder, { recursive: true });
          await mkdir(folder);
          await database?.sql("DROP SCHEMA IF EXISTS vega CASCADE");
          const run = await runProcess(args);
          const [row] = (await database?.sql(tableBytes)) ?? [];
          const { requests } = (await (await fetch(`${address}/requests`)).json()) as ExportRun;
          runs[name] ??= [];
          runs[name].push({ ...run, requests, bytes: Number(row?.["bytes"] ?? 0) + (await bytesOf(folder)) });
        }
      }
      return runs;
    });
  } finally {
    await database?.close();
    await rm(folder, { recursive: true });
  }
}

const tableBytes = `SELECT sum(pg_total_relation_size(pg_class.oid)) AS bytes FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = 'vega' AND relkind = 'r'`;

async function bytesOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const files = await Promise.all(names.map((name) => stat(join(folder, name))));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

/** The CPU time of exports, for each record. The node is another process that has rendered every page. */
export async function exporting(): Promise<Report[]> {
  const rounds = 3;
  const runs = await runAll(rounds);
  const rows: Report["rows"] = {};
  for (const [name, all] of Object.entries(runs)) {
    const cpu = all.map((run) => run.cpu / records);
    const base = (runs[loop] ?? []).map((run) => run.cpu / records);
    rows[name] = { "CPU, µs per record": round(median(cpu)), "times the loop": times(cpu, base) };
    if (name !== loop) limit(`CPU of ${name}, µs per record`, rows[name]["CPU, µs per record"], mostTime);
  }
  return [{ title: `Reading ${count(records)} balance changes, pages of ${pageSize}, ${rounds} rounds`, rows }];
}

/** The most memory of the same programs, and what they store. */
export async function memory(): Promise<Report[]> {
  const most = /^v2[02]\./.test(process.version) ? 275 : 250;
  const rows: Report["rows"] = {};
  for (const [name, [run]] of Object.entries(await runAll(1))) {
    const { mebibytes = 0, cpu = 0, bytes = 0, requests = 0 } = run ?? {};
    const each = { "CPU, µs per record": round(cpu / records), "bytes per record": round(bytes / records) };
    rows[name] = { "peak, MiB": round(mebibytes), ...each, requests };
    // Larger pages take more.
    if (pageSize <= 1000 && /^(?:export|sync)/.test(name))
      // What the garbage collector leaves during a sync differs by 80 MiB from run to run.
      limit(`Memory of ${name}, MiB`, rows[name]["peak, MiB"], name.startsWith("sync") ? 400 : most);
  }
  return [{ title: `Memory of a process that reads ${count(records)} balance changes`, rows }];
}

async function scanAll(baseUrl: string): Promise<void> {
  for await (const _ of createClient({ baseUrl }).scanBalanceChanges(undefined, { pageSize }));
}

/** A program that follows the cursors of a node whose cursors are reliable. */
async function followCursors(baseUrl: string, file: string): Promise<void> {
  const output = createWriteStream(file);
  for (let after = ""; ; ) {
    const cursor = after && `&pagination.after=${encodeURIComponent(after)}`;
    const query = `pagination.first=${pageSize}&pagination.newestFirst=false${cursor}`;
    const response = await fetch(`${baseUrl}/api/v2/balance/changes?${query}`);
    const { balances } = JSON.parse(await response.text()) as {
      balances: { edges: { node: Record<string, string> }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
    };
    const columns = ["timestamp", "balance", "partyId", "assetId", "marketId", "accountType"];
    const lines = balances.edges.map(({ node }) => `${columns.map((column) => node[column]).join()}\r\n`).join("");
    if (!output.write(lines)) await once(output, "drain");
    after = balances.pageInfo.endCursor;
    if (!balances.pageInfo.hasNextPage) break;
  }
  output.end();
}

if (process.argv[1] === here) {
  const [, , name, address = "", file = ""] = process.argv;
  await (name === "scan" ? scanAll(address) : followCursors(address, file));
}
