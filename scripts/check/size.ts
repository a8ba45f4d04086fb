/**
 * Measures the code that an application loads, minified and gzipped: at first, and in total with chunks on demand. Prints both with their
 * limits.
 */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { runScript } from "../run-script.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

const all = { index: "*" };

/** The imports of an application, by the names of modules in `dist/src`, and its limits in kB: at first, and in total. */
const cases: Record<string, [imports: Readonly<Record<string, string>>, initial: number, total: number]> = {
  createClient: [{ index: "{ createClient }" }, 17.8, 35.3],
  "vegaprotocol-client": [all, 18.9, 36.4],
  "… with pool": [{ ...all, "pool/index": "{ nodePool }" }, 25.9, 42.6],
  "… with follow": [{ ...all, "follow/index": "*" }, 24.2, 40.8],
  "… with query": [{ ...all, "query/index": "{ queries }" }, 20, 37.5],
  "… with reports": [{ ...all, "reports/index": "*" }, 25.9, 43.4],
  "vegaprotocol-client/testing": [{ "testing/index": "*" }, 16.8, 16.8],
  "vegaprotocol-client/validate": [{ "validate/index": "*" }, 3.8, 3.8],
};

/** Bundles imports as an application would, and returns the kB at first and in total. */
async function measure(imports: Readonly<Record<string, string>>): Promise<[initial: number, total: number]> {
  const lines = Object.entries(imports).map(([module, names]) => `export ${names} from "./${module}.js";`);
  const { metafile, outputFiles } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: `${root}/dist/src` },
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
    outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents, { level: 9 }).length]),
  );
  const sizeOf = (chunks: Iterable<string>) =>
    [...chunks].reduce((sum, chunk) => sum + (bytes.get(basename(chunk)) ?? 0), 0) / 1000;
  return [sizeOf(initialChunks(metafile)), sizeOf(Object.keys(metafile.outputs))];
}

/** The chunks that are loaded at first: the entry, and its static imports. */
function initialChunks({ outputs }: Metafile): Set<string> {
  const found = new Set<string>();
  const add = (chunk: string) => {
    if (found.has(chunk)) return;
    found.add(chunk);
    for (const { path, kind } of outputs[chunk]?.imports ?? []) if (kind === "import-statement") add(path);
  };
  // A chunk on demand is an entry point as well.
  for (const [chunk, { entryPoint }] of Object.entries(outputs)) if (entryPoint === "<stdin>") add(chunk);
  return found;
}

async function main(): Promise<void> {
  const sizes: Record<string, object> = {};
  const problems: string[] = [];
  for (const [name, [imports, mostInitial, mostTotal]] of Object.entries(cases)) {
    const [initial, total] = await measure(imports);
    sizes[name] = { "kB at first": initial, "at most": mostInitial, "kB in total": total, limit: mostTotal };
    if (initial > mostInitial) problems.push(`${name} takes ${initial} kB at first, more than ${mostInitial}.`);
    if (total > mostTotal) problems.push(`${name} takes ${total} kB in total, more than ${mostTotal}.`);
  }
  console.table(sizes);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

await runScript(import.meta.url, main);
