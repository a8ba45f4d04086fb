/**
 * Measures the built package beside what a user would otherwise take: `npm run bench`, or a part of it by name, as in
 * `npm run bench -- walks scan`. `npm run --silent bench -- --json` prints them for machines. `npm run bench -- gate` fails if a
 * call takes more CPU time or memory than it may.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { calls, walks } from "./calls.js";
import { cli } from "./cli.js";
import { exporting } from "./export.js";
import { following } from "./follow.js";
import { sizes, types } from "./footprint.js";
import { gate } from "./gate.js";
import { readAhead, scan } from "./latency.js";
import { lost } from "./lost.js";
import { count, type Report } from "./measure.js";
import { memory } from "./memory.js";
import { pool } from "./pool.js";
import { handingOut } from "./records.js";
import { syncing } from "./sync.js";
import { validation } from "./validation.js";

const benchmarks: Record<string, () => Promise<Report[]>> = {
  gate,
  calls,
  walks,
  memory,
  records: handingOut,
  readahead: readAhead,
  scan,
  pool,
  validate: validation,
  export: exporting,
  sync: syncing,
  lost,
  follow: following,
  cli,
  types,
  sizes,
};

const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
const unknown = positionals.find((name) => !(name in benchmarks));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(1);
}

const processors = cpus();
const conditions = `Node.js ${process.version}, ${process.platform} ${process.arch}, ${processors.length} × ${processors[0]?.model.trim()}`;
if (!values.json) console.log(conditions);
const reports: Report[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const found = await run();
  if (!values.json) found.forEach(print);
  reports.push(...found);
}
if (values.json) console.log(JSON.stringify({ conditions, reports }, undefined, 2));

function print({ title, rows }: Report): void {
  const figures = [...new Set(Object.values(rows).flatMap(Object.keys))];
  const table = new Table({ head: ["", ...figures], style: { head: [], border: [], compact: true } });
  for (const [name, row] of Object.entries(rows)) {
    table.push([name, ...figures.map((figure) => ({ hAlign: "right" as const, content: count(row[figure] ?? 0) }))]);
  }
  console.log(`\n${title}\n${table}`);
}
