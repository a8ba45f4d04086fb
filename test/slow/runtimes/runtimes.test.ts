import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Table from "cli-table3";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { type FakeNodeServer, listen } from "../../../src/testing/node/index.js";
import { hasNoBrowser, launchChromium } from "../../support/chromium.js";
import { startWorkerd } from "./workerd.js";

// Installs the packed tarball in a folder of its own, and runs it in each runtime against a node on loopback.
const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const binaries = join(here, "node_modules");

interface Result {
  name: string;
  error: string | null;
}

let consumer: string;
let node: FakeNodeServer;
const table: [runtime: string, version: string, outcome: string][] = [];

beforeAll(async () => {
  if (!existsSync(join(binaries, "workerd"))) await run("npm", ["ci"], { cwd: here });
  consumer = await mkdtemp(join(tmpdir(), "consumer-"));
  await cp(join(here, "consumer"), consumer, { recursive: true });
  await writeFile(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", consumer], { cwd: root });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
  await run("npm", ["install", "--no-audit", "--no-fund", `./${filename}`], { cwd: consumer });
  node = await listen({ fetch: createNode() });
});
afterAll(async () => {
  await node?.close();
  if (consumer) await rm(consumer, { recursive: true });
  const printed = new Table({ head: ["runtime", "version", "outcome"], style: { head: [], border: [] } });
  printed.push(...table);
  console.log(`\n${printed.toString()}`);
});

/** A fake node. The first segment of the path selects responses in HTML, failures of every second request, or latency. */
function createNode() {
  const data = { votes: 300, profiles: 100, balances: 1000, signatures: 30, spamStatistics: 100 };
  const reliable = createFakeNode(data, { rateLimit: false });
  const html = createFakeNode(data, { faults: [{ name: "html" }] });
  const slow = createFakeNode(data, { faults: [{ name: "latency", milliseconds: 500 }] });
  let requests = 0;
  return (received: Request) => {
    const [, mode] = new URL(received.url).pathname.split("/");
    const request = new Request(received.url.replace(/\/(?:html|slow|flaky)\//, "/"), received);
    if (mode === "html") return html.fetch(request).then(readable);
    if (mode === "slow") return slow.fetch(request);
    if (mode === "flaky")
      reliable.configure({ faults: ++requests % 2 === 1 ? [{ name: "status", status: 503, request: 1 }] : [] });
    return reliable.fetch(request);
  };
}

/** Adds the CORS header that a failing proxy does not send, so that a page can read the response. */
function readable(response: Response): Response {
  response.headers.set("Access-Control-Allow-Origin", "*");
  return response;
}

function report(runtime: string, version: string, results: Result[]): void {
  const failed = results.filter(({ error }) => error !== null);
  table.push([
    runtime,
    version,
    failed.length > 0 ? `${failed.length} of ${results.length} failed` : `${results.length} passed`,
  ]);
  expect(failed).toEqual([]);
  expect(results.length).toBeGreaterThan(0);
}

const versionOf = async (file: string, ...args: string[]) => {
  const { stdout } = await run(file, args);
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "?";
};

describe("the packed package runs on", () => {
  test.each(["20", "22", "24", "26"])("Node.js %s, imported and required", async (version) => {
    const binary = join(binaries, `node${version}`, "bin/node");
    for (const file of ["main.mjs", "main.cjs"]) {
      const { stdout, stderr } = await run(binary, [file, node.url], { cwd: consumer });
      report(
        file === "main.mjs" ? "Node.js" : "Node.js, require",
        await versionOf(binary, "--version"),
        JSON.parse(stdout),
      );
      expect(stderr.replace(/^\(node:\d+\) ExperimentalWarning: .*\n.*\n/, "")).toBe("");
    }
  });

  test("Bun", async () => {
    const binary = join(binaries, ".bin/bun");
    const { stdout } = await run(binary, ["main.mjs", node.url], { cwd: consumer });
    report("Bun", await versionOf(binary, "--version"), JSON.parse(stdout));
  });

  test("Deno", async () => {
    const binary = join(binaries, ".bin/deno");
    const args = ["run", "--allow-net=127.0.0.1", "--node-modules-dir=manual", "--no-lock", "main.mjs", node.url];
    const { stdout } = await run(binary, args, {
      cwd: consumer,
      env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    });
    report("Deno", await versionOf(binary, "--version"), JSON.parse(stdout));
  });

  describe("the program of the package runs on", () => {
    const program = () => join(consumer, "node_modules/vegaprotocol-client/dist/src/cli/main.js");
    const deno = ["run", "--allow-net=127.0.0.1", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];
    const runtimes: [name: string, binary: string, args: string[]][] = [
      ...["20", "22", "24"].map((version): [string, string, string[]] => [
        `Node.js ${version}`,
        join(binaries, `node${version}`, "bin/node"),
        [],
      ]),
      ["Bun", join(binaries, ".bin/bun"), []],
      ["Deno", join(binaries, ".bin/deno"), [...deno, "--node-modules-dir=manual", "--no-lock"]],
    ];

    test.each(runtimes)("%s: an export that another run verifies", async (name, binary, args) => {
      const env = { ...process.env, VEGAPROTOCOL_NODE: node.url, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
      const start = (...argv: string[]) => run(binary, [...args, program(), ...argv], { cwd: consumer, env });
      const file = `${name.replaceAll(/\W/g, "-")}.csv`;
      expect((await start("balances", "--output", file)).stderr).toContain(`${file}: 1,000 records.\n`);
      expect((await start("verify", file)).stdout).toContain("1,000 records, SHA-256");
      expect((await start("balances", "--output", file, "--resume")).stderr).toContain("is complete");
      const { stdout } = await start("profiles", "--limit", "2", "--format", "table");
      expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    });

    test("the name of the package, as npx does", async () => {
      const { stdout } = await run(join(consumer, "node_modules/.bin/vegaprotocol-client"), ["--version"]);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
    });
  });

  const bundle = async (entry: string, format: "esm" | "iife") => {
    const outfile = join(consumer, `${entry}.bundle.js`);
    await build({
      entryPoints: [join(consumer, entry)],
      bundle: true,
      format,
      globalName: "suite",
      outfile,
      target: "es2022",
    });
    return outfile;
  };

  test("workerd", async () => {
    const workerd = await startWorkerd(join(consumer, "worker.mjs"), join(consumer, "worker.bundle.mjs"), "2025-01-01");
    try {
      const response = await fetch(`${workerd.url}/?node=${encodeURIComponent(node.url)}`);
      const { stdout } = await run(join(binaries, ".bin/workerd"), ["--version"]);
      report("workerd", stdout.trim().replace("workerd ", ""), (await response.json()) as Result[]);
    } finally {
      await workerd.stop();
    }
  });

  test.skipIf(hasNoBrowser)("Chromium", async () => {
    const content = await readFile(await bundle("suite.mjs", "iife"), "utf8");
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      // A page of another origin than the node's, as pages are.
      const site = await listen({
        fetch: async () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } }),
      });
      await page.goto(site.url);
      await page.addScriptTag({ content });
      const results = await page.evaluate(`suite.run(${JSON.stringify(node.url)})`);
      report("Chromium", browser.version(), results as Result[]);
      await site.close();
    } finally {
      await browser.close();
    }
  });
});

describe("the packed package is type-checked by", () => {
  const compilers = ["5.4", "5.9", "6.0", "7.0"];
  const resolutions = {
    nodenext: { module: "nodenext", moduleResolution: "nodenext" },
    bundler: { module: "esnext", moduleResolution: "bundler" },
  };
  const globals = {
    "the DOM": { lib: ["ES2022", "DOM"], types: [] },
    "Node.js alone": { lib: ["ES2022"], types: ["node"] },
  };
  const cases = compilers.flatMap((compiler) =>
    Object.keys(resolutions).flatMap((resolution) =>
      Object.keys(globals).map((global) => [compiler, resolution, global] as const),
    ),
  );

  /** The output of a compiler for one of the consumer's files. */
  const check = async (compiler: string, file: string, options: object) => {
    const shared = { typeRoots: [join(binaries, "@types")], target: "ES2022", strict: true, noEmit: true };
    const tsconfig = join(consumer, "tsconfig.json");
    await writeFile(tsconfig, JSON.stringify({ compilerOptions: { ...shared, ...options }, files: [file] }));
    const tsc = join(binaries, `typescript-${compiler}`, "bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", tsconfig], { cwd: consumer }).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  };

  test.each(cases)("TypeScript %s with %s and %s", async (compiler, resolution, global) => {
    const stdout = await check(compiler, "types.ts", {
      ...resolutions[resolution as keyof typeof resolutions],
      ...globals[global as keyof typeof globals],
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
    });
    table.push([`TypeScript, ${resolution}, ${global}`, compiler, stdout === "" ? "no error" : "errors"]);
    expect(stdout).toBe("");
  });
});
