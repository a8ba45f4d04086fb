import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClient } from "../dist/src/index.js";
import { count, median, type Report, round, times } from "./measure.js";

const records = 300_000;
const pageSize = 1000;
const rounds = 3;
/**
 * The most CPU time of an export in microseconds for each record, and its most memory in MiB. The V8 of later versions keeps more garbage:
 * the loop alone takes up to 250 MiB there.
 */
const [mostTime, mostMemory] = [25, process.version.startsWith("v20.") ? 250 : 350];

const main = fileURLToPath(new URL("../cli/dist/main.js", import.meta.url));
const here = fileURLToPath(import.meta.url);
/** Prints the CPU time and the peak of the memory of a process when it ends. */
const printUsage =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=' +
  'process.resourceUsage();writeSync(2,"usage "+(u+s)+" "+m+"\\n")})';

/** CPU time in microseconds for each record, and the peak of the memory. */
export interface Run {
  cpu: number;
  mebibytes: number;
  seconds: number;
}

/**
 * Exports of balance changes, beside a loop that does the least, and the scan alone. The node is another process that has rendered every
 * page.
 */
export async function exporting(): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), "export-"));
  const node = fork(fileURLToPath(new URL("changes-server.js", import.meta.url)), [String(records), "0"], {
    execArgv: [],
  });
  try {
    const [{ port }] = await once(node, "message");
    const address = `http://127.0.0.1:${port}`;
    const own = [...process.execArgv, here];
    const exportTo = (name: string) => {
      const target = ["--output", join(folder, name), "--force", "--quiet"];
      return runProcess([main, "balances", "--node", address, "--page-size", String(pageSize), ...target]);
    };
    const loop = "loop of fetch, JSON.parse and a line of CSV";
    const ways: Record<string, () => Promise<Run>> = {
      [loop]: () => runProcess([...own, "loop", address, join(folder, "loop.csv")]),
      "scan alone": () => runProcess([...own, "scan", address]),
      "export to CSV": () => exportTo("balances.csv"),
      "export to NDJSON": () => exportTo("balances.ndjson"),
      "export to CSV, gzip": () => exportTo("balances.csv.gz"),
    };
    const runs: Record<string, Run[]> = {};
    for (let number = 0; number < rounds; number++) {
      for (const [name, way] of Object.entries(ways)) {
        runs[name] ??= [];
        runs[name].push(await way());
      }
    }
    const cpuOf = (name: string) => (runs[name] ?? []).map(({ cpu }) => cpu);
    const rows: Report["rows"] = {};
    for (const [name, all] of Object.entries(runs)) {
      rows[name] = {
        "CPU, µs per record": round(median(cpuOf(name))),
        "times the loop": times(cpuOf(name), cpuOf(loop)),
        "peak, MiB": round(median(all.map(({ mebibytes }) => mebibytes))),
      };
    }
    for (const name of ["export to CSV", "export to NDJSON"]) {
      check("µs of CPU time for each record", rows[name]?.["CPU, µs per record"], mostTime);
      check("MiB", rows[name]?.["peak, MiB"], mostMemory);
    }
    return [{ title: `Export of ${count(records)} balance changes, pages of ${pageSize}, ${rounds} rounds`, rows }];
  } finally {
    node.disconnect();
    await rm(folder, { recursive: true });
  }
}

function check(unit: string, value = Number.POSITIVE_INFINITY, most: number): void {
  if (value <= most) return;
  console.error(`An export takes ${value} ${unit}: more than ${most}.`);
  process.exitCode = 1;
}

/** @param count - How many records it reads. */
export async function runProcess(args: readonly string[], count = records): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, ["--import", printUsage, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stderr, code] = await Promise.all([text(child.stderr), closed]);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
  const [, microseconds, kibibytes] = /usage (\d+) (\d+)/.exec(stderr) ?? [];
  const seconds = (performance.now() - started) / 1000;
  return { cpu: Number(microseconds) / count, mebibytes: Number(kibibytes) / 1024, seconds };
}

async function scanAll(baseUrl: string): Promise<void> {
  for await (const _ of createClient({ baseUrl }).scanBalanceChanges(undefined, { pageSize }));
}

/** What a program does that follows the cursors of a node whose cursors are reliable. */
async function followCursors(baseUrl: string, file: string): Promise<void> {
  const output = createWriteStream(file);
  for (let after = ""; ; ) {
    const cursor = after && `&pagination.after=${after}`;
    const query = `pagination.first=${pageSize}&pagination.newestFirst=false${cursor}`;
    const response = await fetch(`${baseUrl}/api/v2/balance/changes?${query}`);
    const { balances } = JSON.parse(await response.text()) as {
      balances: { edges: { node: Record<string, string> }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
    };
    let lines = "";
    for (const { node } of balances.edges) {
      lines += `${node["timestamp"]},${node["balance"]},${node["partyId"]},${node["assetId"]},${node["marketId"]},${node["accountType"]}\r\n`;
    }
    if (!output.write(lines)) await new Promise((resolve) => output.once("drain", resolve));
    after = balances.pageInfo.endCursor;
    if (!balances.pageInfo.hasNextPage) break;
  }
  output.end();
}

if (process.argv[1] === here) {
  const [, , name, address = "", file = ""] = process.argv;
  await (name === "scan" ? scanAll(address) : followCursors(address, file));
}
