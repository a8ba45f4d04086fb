/**
 * Measures what an application loads, minified and gzipped: at first, and in total with what is loaded on demand. Prints both beside their
 * limits. `--folders` also prints which folders the bytes come from.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
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
  { name: "… with pool", imports: { ...all, "pool/index": "{ nodePool }" }, initial: 27, total: 44.5 },
  { name: "… with follow", imports: { ...all, "follow/index": "*" }, initial: 27, total: 43 },
  { name: "… with query", imports: { ...all, "query/index": "{ queries }" }, initial: 24, total: 41 },
  { name: "… with reports", imports: { ...all, "reports/index": "*" }, initial: 25, total: 43 },
  { name: "vegaprotocol-client/testing", imports: { "testing/index": "*" }, initial: 24, total: 24 },
  { name: "vegaprotocol-client/validate", imports: { "validate/index": "*" }, initial: 5, total: 5 },
];

interface Size {
  initial: number;
  total: number;
  /** The bytes at first by folder, before compression. */
  folders: ReadonlyMap<string, number>;
}

/** Bundles imports as an application would, and measures the result. */
export async function measure(folder: string, imports: SizeCase["imports"], extension = "js"): Promise<Size> {
  const lines = Object.entries(imports).map(([module, names]) => `export ${names} from "./${module}.${extension}";`);
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
  const first = initialChunks(metafile);
  return { initial: sizeOf(first), total: sizeOf(Object.keys(metafile.outputs)), folders: foldersOf(metafile, first) };
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

function foldersOf({ outputs }: Metafile, chunks: Iterable<string>): Map<string, number> {
  const folders = new Map<string, number>();
  for (const chunk of chunks) {
    for (const [module, { bytesInOutput }] of Object.entries(outputs[chunk]?.inputs ?? {})) {
      const name = /openapi-fetch|generated|src\/[^/]+(?=\/)/.exec(module)?.[0].replace("src/", "") ?? "entry";
      folders.set(name, (folders.get(name) ?? 0) + bytesInOutput);
    }
  }
  return folders;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { folders: { type: "boolean", default: false } } });
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
    if (values.folders) {
      // From the sources, because the package has all folders in one file.
      const { folders } = await measure(`${root}/src`, imports, "ts");
      const sorted = [...folders].sort(([, a], [, b]) => b - a);
      console.log(`${name}: ${sorted.map(([folder, bytes]) => `${folder} ${bytes}`).join(", ")}`);
    }
  }
  console.log(table.toString());
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

await runScript(import.meta.url, main);
