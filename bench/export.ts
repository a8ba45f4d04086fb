import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "../dist/src/index.js";
import { count, limit, median, type Report, type Run, round, runProcess, times, withServer } from "./measure.js";

const records = 300_000;
const pageSize = 1000;
/** Microseconds of CPU time for each record. */
const mostTime = 25;

const main = fileURLToPath(new URL("../cli/dist/main.js", import.meta.url));
const here = fileURLToPath(import.meta.url);
/** From Node.js 22.13 on. */
const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;
const loop = "loop of fetch, JSON.parse and a line of CSV";

/** Programs that read all balance changes of a node: the command line, and a loop that does the least. */
function programs(address: string, folder: string): Record<string, string[]> {
  const own = [...process.execArgv, here];
  const exportTo = (name: string) => {
    const target = ["--output", join(folder, name), "--force", "--quiet"];
    return [main, "balances", "--node", address, "--page-size", String(pageSize), ...target];
  };
  return {
    [loop]: [...own, "loop", address, join(folder, "loop.csv")],
    "scan alone": [...own, "scan", address],
    "export to CSV": exportTo("balances.csv"),
    "export to NDJSON": exportTo("balances.ndjson"),
    "sync to Parquet": [main, "sync", join(folder, "parquet/"), "balances", "--node", address, "--quiet"],
    ...(hasSqlite && {
      "sync to SQLite": [main, "sync", join(folder, "vega.db"), "balances", "--node", address, "--quiet"],
    }),
  };
}

async function runAll(rounds: number): Promise<Record<string, Run[]>> {
  const folder = await mkdtemp(join(tmpdir(), "export-"));
  try {
    return await withServer("changes-server.js", [String(records)], async (address) => {
      const runs: Record<string, Run[]> = {};
      for (let number = 0; number < rounds; number++) {
        for (const [name, args] of Object.entries(programs(address, folder))) {
          await rm(folder, { recursive: true });
          await mkdir(folder);
          runs[name] ??= [];
          runs[name].push(await runProcess(args));
        }
      }
      return runs;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
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

/** The most memory of the same programs. V8 keeps more garbage from Node.js 22 on: the loop alone takes up to 250 MiB there. */
export async function memory(): Promise<Report[]> {
  const most = process.version.startsWith("v20.") ? 250 : 350;
  const rows: Report["rows"] = {};
  for (const [name, [run]] of Object.entries(await runAll(1))) {
    rows[name] = { "peak, MiB": round(run?.mebibytes ?? 0) };
    if (name.startsWith("export") || name.startsWith("sync"))
      limit(`Memory of ${name}, MiB`, rows[name]["peak, MiB"], most);
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
    const cursor = after && `&pagination.after=${after}`;
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
