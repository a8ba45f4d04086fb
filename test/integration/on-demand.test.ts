import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { folderOfFile } from "../support/folder.js";
import { run } from "../support/run.js";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const path = await folderOfFile();

/** Bundles the client as an application does. Each chunk says when it is loaded, and can be missing or take for ever. */
beforeAll(async () => {
  const { metafile } = await build({
    entryPoints: ["src/index.js", "src/testing/index.js"],
    absWorkingDir: dist,
    bundle: true,
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    outdir: path(),
    outExtension: { ".js": ".mjs" },
  });
  for (const [output, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined || entryPoint.endsWith("index.js")) continue;
    const file = join(dist, output);
    const start = `globalThis.loaded.push(${JSON.stringify(entryPoint)}); await globalThis.load?.();\n`;
    await writeFile(file, start + (await readFile(file, "utf8")));
  }
});

/** Runs a program in a process of its own, and returns what was loaded on demand, and its result or its error. */
async function runProgram(program: string): Promise<{ loaded: string[]; result?: unknown; error?: string }> {
  const source = `
    import { createClient } from "./index.mjs";
    import { createFakeNode } from "./testing/index.mjs";
    globalThis.loaded = [];
    const controller = new AbortController();
    const { signal } = controller;
    const client = createClient({ baseUrl: "https://node.example", fetch: createFakeNode().fetch });
    const use = async () => {\n${program}\n};
    const outcome = await use().then((result) => ({ result }), ({ name, message }) => ({ error: name + ": " + message }));
    console.log(JSON.stringify({ loaded, ...outcome }));`;
  const file = path("program.mjs");
  await writeFile(file, source);
  const { stdout } = await run(process.execPath, [file], { timeout: 30_000 });
  return JSON.parse(stdout);
}

test("the code of lists and scans is one chunk, which a list and a scan load, and a call does not", async () => {
  expect(await runProgram('await client.getSpamStatistics({ partyId: "00" });')).toEqual({ loaded: [] });
  const lists = await runProgram(`
    const [listed, scanned] = [client.listBalanceChanges(), client.scanBalanceChanges()];
    return [(await listed.toArray()).length, (await scanned.toArray()).length];`);
  expect(lists).toEqual({ loaded: ["src/lists.js"], result: [100, 100] });
});

test("code that cannot be loaded is a ConnectionError, and is not waited for after an abort", async () => {
  const failed = await runProgram(`
    globalThis.load = () => Promise.reject(new TypeError("not found"));
    await client.listBalanceChanges().toArray();`);
  expect(failed.error).toMatch(/^ConnectionError: .*could not be loaded/);
  const aborted = await runProgram(`
    globalThis.load = () => new Promise(() => setImmediate(() => controller.abort()));
    await client.scanBalanceChanges({}, { signal }).toArray();`);
  expect(aborted.error).toMatch(/^AbortError/);
});

test("no module has a static block, which the default configuration of React Native cannot compile", async () => {
  const entries = await readdir(dist, { recursive: true });
  const names = entries.filter((name) => name.endsWith(".js"));
  const sources = await Promise.all(names.map((name) => readFile(join(dist, name), "utf8")));
  expect(names.filter((_, index) => /\bstatic \{/.test(sources[index] ?? ""))).toEqual([]);
  expect(names.length).toBeGreaterThan(10);
});
