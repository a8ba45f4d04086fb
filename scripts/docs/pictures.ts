/**
 * The pictures of the pages. Copies the style of `docs/pictures/style.css` into each of them, and draws the charts of
 * `docs/benchmarks.json`, which `npm run --silent bench -- --json` writes:
 *
 *   npx tsx scripts/docs/pictures.ts          writes them, and the descriptions of the charts in the pages
 *   npx tsx scripts/docs/pictures.ts --check  fails if a file would change
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { balanceSeries } from "../../src/reports/index.js";
import { accountChanges } from "../../test/support/samples/account-changes.js";
import { runScript } from "../run-script.js";
import { type Benchmarks, type Chart, charts, describe, draw } from "./charts.js";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
/** The pages that show charts. */
const pages = ["index.md", "performance.md", "reports.md"];

const read = (file: string) => readFile(docs + file, "utf8");

async function readStyle(): Promise<string> {
  const { code } = await transform(await read("pictures/style.css"), { loader: "css", minify: true });
  return code.trim();
}

const style = readStyle();

/** Copies the style of the pictures into one. */
export async function withStyle(svg: string): Promise<string> {
  const code = await style;
  return svg.replace(/<style>.*?<\/style>/s, () => `<style>${code}</style>`);
}

/** A page whose description of a chart is that of the chart. */
export const withDescription = (page: string, file: string, chart: Chart): string =>
  page.replace(new RegExp(`!\\[[^\\]]*\\]\\(${file}\\)`), () => `![${describe(chart)}](${file})`);

/** The chart of the series on the page about reports. */
async function seriesChart(): Promise<Chart> {
  const range = { from: "2024-01-07T00:00:00Z", to: "2024-02-26T00:00:00Z" };
  const rows = await balanceSeries(accountChanges("p"), { ...range, every: "week", groupBy: [], isComplete: true });
  const bars = rows.map(({ time, balance }) => {
    const name = new Date(Number(time.slice(0, -6))).toISOString().slice(0, 10);
    return { name, value: Number(balance), text: (Number(balance) / 1e6).toLocaleString("en"), isOwn: false };
  });
  const conditions = "The balances of both accounts, in units of 6 decimal places";
  return { title: "Balance of a party", unit: "At the end of each week", groups: [{ title: "", bars }], conditions };
}

/** The texts of all files that depend on the style or on the benchmarks, by their path in `docs/`. */
export async function pictures(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const name of await readdir(`${docs}pictures`)) {
    if (name.endsWith(".svg")) files.set(`pictures/${name}`, await withStyle(await read(`pictures/${name}`)));
  }
  const benchmarks = JSON.parse(await read("benchmarks.json")) as Benchmarks;
  for (const page of pages) files.set(page, await read(page));
  for (const [name, chart] of Object.entries({ ...charts(benchmarks), "chart-series": await seriesChart() })) {
    const file = `pictures/${name}.svg`;
    files.set(file, await withStyle(draw(chart)));
    for (const page of pages) files.set(page, withDescription(files.get(page) ?? "", file, chart));
  }
  return files;
}

async function main(): Promise<void> {
  for (const [file, text] of await pictures()) {
    const current = await readFile(docs + file, "utf8").catch(() => undefined);
    if (current === text) continue;
    if (process.argv.includes("--check")) {
      throw new Error(`docs/${file} is not current: run \`npx tsx scripts/docs/pictures.ts\`.`);
    }
    await writeFile(docs + file, text);
    console.log(`docs/${file}`);
  }
}

await runScript(import.meta.url, main);
