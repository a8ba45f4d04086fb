/**
 * Measures the built packages: `npm run bench`, or some benchmarks by name, such as `npm run bench -- calls memory`. It fails if a figure is
 * above its limit. RECORDS and PAGE_SIZE are for `export` and `memory`.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { calls } from "./calls.js";
import { exporting, memory } from "./export.js";
import { latency } from "./latency.js";
import { count, type Report } from "./measure.js";
import { reporting } from "./reports.js";

const benchmarks: Record<string, () => Promise<Report[]>> = {
  calls,
  latency,
  export: exporting,
  memory,
  reports: reporting,
};

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.find((name) => !(name in benchmarks));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(1);
}

const processors = cpus();
const conditions = `Node.js ${process.version}, ${process.platform} ${process.arch}, ${processors.length} × ${processors[0]?.model.trim()}`;
console.log(conditions);
for (const [name, run] of Object.entries(benchmarks)) {
  if (positionals.length === 0 || positionals.includes(name)) (await run()).forEach(print);
}

function print({ title, rows }: Report): void {
  const figures = [...new Set(Object.values(rows).flatMap(Object.keys))];
  const table = new Table({ head: ["", ...figures], style: { head: [], border: [], compact: true } });
  for (const [name, row] of Object.entries(rows)) {
    table.push([name, ...figures.map((figure) => ({ hAlign: "right" as const, content: count(row[figure] ?? 0) }))]);
  }
  console.log(`\n${title}\n${table}`);
}
