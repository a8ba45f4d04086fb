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
/** What a call or a loop needs, and must not wait for before its first request. */
const heldBack = ["src/read-pages.js", "src/paced-attempt.js"];
let folder: string;

/** Bundles the client as an application does. Each chunk says when it is loaded, and some are there only after a request was sent. */
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
    const wait = heldBack.includes(entryPoint) ? "await globalThis.sent;" : "";
    const start = `globalThis.loaded.push(${JSON.stringify(entryPoint)});${wait}\n`;
    await writeFile(file, start + (await readFile(file, "utf8")));
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Uses the client in a process of its own. */
async function use(method: "call" | "loop" | "page" | "scan"): Promise<{ records: number; loaded: string[] }> {
  const modules = [join(folder, "index.mjs"), join(dist, "src/testing/index.js")].map(
    (file) => pathToFileURL(file).href,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...modules, method], { timeout: 30_000 });
  return JSON.parse(stdout);
}

describe("code that is loaded on demand", () => {
  test.each(["loop", "page"] as const)("does not delay the first request of a %s", async (method) => {
    const { records, loaded } = await use(method);
    expect(records).toBe(100);
    expect(loaded.sort()).toEqual([...heldBack].sort());
  });

  test("of lists and scans is not loaded for one call", async () => {
    const { loaded } = await use("call");
    expect(loaded.filter((module) => module !== "src/paced-attempt.js")).toEqual([]);
  });

  test("of scans is loaded for a scan", async () => {
    const { records, loaded } = await use("scan");
    expect(records).toBe(100);
    expect(loaded).toContain("src/open-scan.js");
  });
});
