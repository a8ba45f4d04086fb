import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClient } from "../dist/src/index.js";
import { count, median, type Report, round, times } from "./measure.js";

const records = 1_000_000;
const rounds = 3;
/** The most wall time of an export, compared with the scan alone, and its most memory in MiB. */
const [mostTime, mostMemory] = [1.15, 150];

const main = fileURLToPath(new URL("../dist/src/cli/main.js", import.meta.url));
const here = fileURLToPath(import.meta.url);
/** Prints the peak of the memory of a process when it ends. */
const printPeak =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>writeSync(2,"peak "+process.resourceUsage().maxRSS+"\\n"))';

interface Run {
  records: number;
  milliseconds: number;
  mebibytes: number;
}

/** An export of balance changes to a file, from a fake node in another process, beside the scan alone. */
export async function exporting(): Promise<Report[]> {
  const folder = await mkdtemp(join(tmpdir(), "export-"));
  const file = join(folder, "balances.ndjson");
  const node = spawn(process.execPath, [
    main,
    "fake-node",
    "--balances",
    String(records),
    "--defects",
    "--no-rate-limit",
  ]);
  try {
    const [line] = (await once(node.stdout, "data")) as [Buffer];
    const address = line.toString().trim();
    const ways: Record<string, () => Promise<Run>> = {
      "scan alone": () => runProcess([...process.execArgv, here, "scan", address]),
      "export to NDJSON": async () => {
        const run = await runProcess([main, "balances", "--node", address, "--output", file, "--force", "--quiet"]);
        const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
        return { ...run, records: manifest.records };
      },
    };
    const runs: Record<string, Run[]> = { "scan alone": [], "export to NDJSON": [] };
    for (let number = 0; number < rounds; number++) {
      for (const [name, way] of Object.entries(ways)) runs[name]?.push(await way());
    }
    runs["loop with endCursor"] = [await runProcess([...process.execArgv, here, "loop", address])];
    const verified = await runProcess([main, "verify", file, "--node", address, "--quiet"]);
    runs["verify of the file"] = [{ ...verified, records }];
    const base = (runs["scan alone"] ?? []).map(({ milliseconds }) => milliseconds);
    const rows: Report["rows"] = {};
    for (const [name, all] of Object.entries(runs)) {
      const walls = all.map(({ milliseconds }) => milliseconds);
      rows[name] = {
        "wall time, s": round(median(walls) / 1000),
        "times the scan": times(walls, base),
        "peak, MiB": round(Math.max(...all.map(({ mebibytes }) => mebibytes))),
        records: all[0]?.records ?? 0,
        "records lost": records - (all[0]?.records ?? 0),
      };
    }
    check("times the scan", rows["export to NDJSON"]?.["times the scan"], mostTime);
    for (const name of ["export to NDJSON", "verify of the file"]) check("MiB", rows[name]?.["peak, MiB"], mostMemory);
    return [{ title: `Export of ${count(records)} balance changes over HTTP, ${rounds} rounds`, rows }];
  } finally {
    node.kill();
    await rm(folder, { recursive: true });
  }
}

function check(unit: string, value = Number.POSITIVE_INFINITY, most: number): void {
  if (value <= most) return;
  console.error(`An export or its verification takes ${value} ${unit}: more than ${most}.`);
  process.exitCode = 1;
}

/** Runs a program that prints the number of its records. */
async function runProcess(args: readonly string[]): Promise<Run> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", printPeak, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
  const [, kibibytes] = /peak (\d+)/.exec(stderr) ?? [];
  return { records: Number(stdout), milliseconds: performance.now() - start, mebibytes: Number(kibibytes) / 1024 };
}

async function scanAll(baseUrl: string): Promise<number> {
  let seen = 0;
  for await (const _ of createClient({ baseUrl }).scanBalanceChanges()) seen++;
  return seen;
}

/** What a program does that follows the cursors of the node. */
async function followCursors(baseUrl: string): Promise<number> {
  const seen = new Set<string>();
  let after = "";
  for (;;) {
    const cursor = after === "" ? "" : `&pagination.after=${encodeURIComponent(after)}`;
    const response = await fetch(
      `${baseUrl}/api/v2/balance/changes?pagination.first=5000&pagination.newestFirst=false${cursor}`,
    );
    const { balances } = (await response.json()) as {
      balances: { edges: { node: object }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
    };
    for (const { node } of balances.edges) seen.add(JSON.stringify(node));
    if (!balances.pageInfo.hasNextPage) return seen.size;
    after = balances.pageInfo.endCursor;
  }
}

if (process.argv[1] === here) {
  const [, , name, address = ""] = process.argv;
  console.log(await (name === "scan" ? scanAll : followCursors)(address));
}
