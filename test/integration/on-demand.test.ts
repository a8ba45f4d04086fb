import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../support/on-demand/program.mjs", import.meta.url));
const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
let folder: string;

/** Bundles the client as an application does. Each chunk says when it is loaded. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "on-demand-"));
  const { metafile } = await build({
    entryPoints: [join(dist, "src/index.js")],
    absWorkingDir: dist,
    bundle: true,
    splitting: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  });
  for (const [output, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined || entryPoint === "src/index.js") continue;
    const file = join(dist, output);
    const start = `globalThis.loaded.push(${JSON.stringify(entryPoint)}); await globalThis.load();\n`;
    await writeFile(file, start + (await readFile(file, "utf8")));
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Uses the client in a process of its own. */
async function use(
  method: "call" | "loop" | "page" | "scan",
  load: "loads" | "fails" | "hangs" = "loads",
): Promise<{ records: number; loaded: string[]; error?: { name: string; message: string } }> {
  const modules = [join(folder, "index.mjs"), join(dist, "src/testing/index.js")].map(
    (file) => pathToFileURL(file).href,
  );
  const parameters = [program, ...modules, method, load];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 30_000 });
  return JSON.parse(stdout);
}

describe("the code of lists and scans", () => {
  test("is loaded by a loop, a page and a scan, as one chunk, and not by a call", async () => {
    for (const method of ["loop", "page", "scan"] as const)
      expect(await use(method)).toEqual({ records: 100, loaded: ["src/lists.js"] });
    expect((await use("call")).loaded).toEqual([]);
  });

  test.each(["loop", "scan"] as const)(
    "that a %s cannot load is a ConnectionError, and is not waited for after its signal was aborted",
    async (method) => {
      const message = expect.stringContaining("could not be loaded");
      expect((await use(method, "fails")).error).toMatchObject({ name: "ConnectionError", message });
      expect((await use(method, "hangs")).error).toMatchObject({ name: "AbortError" });
    },
  );
});
