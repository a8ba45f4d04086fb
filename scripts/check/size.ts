/**
 * Measures what an application loads, minified and gzipped: at first, and in total with what is loaded on demand. Prints both with their
 * limits.
 */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import Table from "cli-table3";
import { build, type Metafile } from "esbuild";
import { runScript } from "../run-script.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What an application imports, and its limits in kB. */
export interface SizeCase {
  name: string;
  /** Modules by their names in `dist/src`, and what is imported from them. */
  imports: Readonly<Record<string, string>>;
  initial: number;
  total: number;
}

const all = { index: "*" };

const cases: readonly SizeCase[] = [
  { name: "createClient", imports: { index: "{ createClient }" }, initial: 20, total: 38 },
  { name: "vegaprotocol-client", imports: all, initial: 21, total: 39 },
  { name: "… with pool", imports: { ...all, "pool/index": "{ nodePool }" }, initial: 27.5, total: 44.5 },
  { name: "… with follow", imports: { ...all, "follow/index": "*" }, initial: 27, total: 43 },
  { name: "… with query", imports: { ...all, "query/index": "{ queries }" }, initial: 24, total: 41 },
  { name: "… with reports", imports: { ...all, "reports/index": "*" }, initial: 25, total: 43 },
  { name: "vegaprotocol-client/testing", imports: { "testing/index": "*" }, initial: 24, total: 24 },
  { name: "vegaprotocol-client/validate", imports: { "validate/index": "*" }, initial: 5, total: 5 },
];

interface Size {
  initial: number;
  total: number;
}

/** Bundles imports as an application would, and measures the result. */
export async function measure(folder: string, imports: SizeCase["imports"]): Promise<Size> {
  const lines = Object.entries(imports).map(([module, names]) => `export ${names} from "./${module}.js";`);
  const { metafile, outputFiles } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: folder },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    splitting: true,
    metafile: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outdir: "out",
  });
  const bytes = new Map(
    outputFiles.map(({ path, contents }) => [path.split("/").at(-1), gzipSync(contents, { level: 9 }).length]),
  );
  const sizeOf = (chunks: Iterable<string>) =>
    [...chunks].reduce((sum, chunk) => sum + (bytes.get(chunk.split("/").at(-1)) ?? 0), 0);
  return { initial: sizeOf(initialChunks(metafile)), total: sizeOf(Object.keys(metafile.outputs)) };
}

/** The chunks that are loaded at first: the entry, and what it imports statically. */
function initialChunks({ outputs }: Metafile): Set<string> {
  const found = new Set<string>();
  const add = (chunk: string) => {
    if (found.has(chunk)) return;
    found.add(chunk);
    for (const { path, kind } of outputs[chunk]?.imports ?? []) if (kind === "import-statement") add(path);
  };
  // What is imported on demand is an entry point, too.
  for (const [chunk, { entryPoint }] of Object.entries(outputs)) if (entryPoint === "<stdin>") add(chunk);
  return found;
}

async function main(): Promise<void> {
  const table = new Table({
    head: ["minified and gzipped, kB", "at first", "limit", "total", "limit"],
    colAligns: ["left", "right", "right", "right", "right"],
    style: { head: [], border: [], compact: true },
  });
  const problems: string[] = [];
  for (const { name, imports, ...limits } of cases) {
    const size = await measure(`${root}/dist/src`, imports);
    const [initial, total] = [size.initial / 1000, size.total / 1000];
    table.push([name, initial.toFixed(2), limits.initial, total.toFixed(2), limits.total]);
    if (initial > limits.initial) problems.push(`${name} takes ${initial.toFixed(2)} kB at first.`);
    if (total > limits.total) problems.push(`${name} takes ${total.toFixed(2)} kB in total.`);
  }
  console.log(table.toString());
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

await runScript(import.meta.url, main);
