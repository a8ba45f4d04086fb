import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { hasNoBrowser, launchChromium } from "../../support/chromium.js";
import { run } from "../../support/run.js";
import { binaries, installConsumer, nodeBinary } from "./consumer.js";
import { startWorkerd } from "./workerd.js";

interface Result {
  name: string;
  error: string | null;
}

const consumer = await installConsumer();
const node = await listen({ fetch: createNode() });
afterAll(() => node.close());

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

function expectSuccess(results: Result[]): void {
  expect(results.filter(({ error }) => error !== null)).toEqual([]);
  expect(results.length).toBeGreaterThan(0);
}

describe("the packed package runs on", () => {
  test.each(["20", "22", "24", "26"])("Node.js %s, imported and required", async (version) => {
    const binary = nodeBinary(version);
    for (const file of ["main.mjs", "main.cjs"]) {
      const { stdout, stderr } = await run(binary, [file, node.url], { cwd: consumer });
      expectSuccess(JSON.parse(stdout));
      expect(stderr).toBe("");
    }
  });

  test.each(["20", "24"])("Jest with its default configuration on Node.js %s", async (version) => {
    const jest = join(binaries, "jest/bin/jest.js");
    const { stdout } = await run(nodeBinary(version), [jest, "--json"], {
      cwd: join(consumer, "jest"),
      env: { ...process.env, NODE_URL: node.url, NODE_OPTIONS: "" },
    }).catch((error: { stdout: string }) => error);
    const { testResults } = JSON.parse(stdout) as { testResults: { message: string; assertionResults: object[] }[] };
    expectSuccess(testResults.map(({ message }) => ({ name: "vega.test.js", error: message || null })));
  });

  test("an environment without TextDecoder and DOMException, such as Jest with jsdom, as far as it is loaded", async () => {
    const lack = "delete globalThis.TextDecoder; delete globalThis.DOMException;";
    const load = ["", "/pool", "/follow"].map((entry) => `require("vegaprotocol-client${entry}");`).join(" ");
    await run(process.execPath, ["-e", `${lack} ${load}`], { cwd: consumer });
  });

  test("Bun", async () => {
    const { stdout } = await run(join(binaries, ".bin/bun"), ["main.mjs", node.url], { cwd: consumer });
    expectSuccess(JSON.parse(stdout));
  });

  test("Deno", async () => {
    const binary = join(binaries, ".bin/deno");
    const args = ["run", "--allow-net=127.0.0.1", "--node-modules-dir=manual", "--no-lock", "main.mjs", node.url];
    const env = { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
    const { stdout } = await run(binary, args, { cwd: consumer, env });
    expectSuccess(JSON.parse(stdout));
  });

  describe("the command line runs on", () => {
    const program = join(consumer, "node_modules/vegaprotocol-cli/dist/main.js");
    const runtimes: [name: string, binary: string, args: string[]][] = [
      ["Node.js 20", nodeBinary("20"), []],
      ["Node.js 22", nodeBinary("22"), []],
      ["Node.js 24", nodeBinary("24"), []],
      ["Bun", join(binaries, ".bin/bun"), []],
      ["Deno", join(binaries, ".bin/deno"), ["run", "--allow-all", "--node-modules-dir=manual", "--no-lock"]],
    ];

    test.each(runtimes)("%s", async (name, binary, args) => {
      const env = { ...process.env, VEGA_NODE: node.url, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
      const start = (...argv: string[]) => run(binary, [...args, program, ...argv], { cwd: consumer, env });
      const file = `${name.replaceAll(/\W/g, "-")}.csv`;
      expect((await start("balances", "--output", file)).stderr).toContain(`${file}: 1,000 records.\n`);
      const { stdout: csv } = await start("balances", "--format", "csv");
      expect(await readFile(join(consumer, file), "utf8")).toBe(csv);
      const { stdout } = await start("profiles", "--limit", "2", "--format", "table");
      expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    });
  });

  test.each(["20", "22", "24", "26"])("a local copy in SQLite on Node.js %s, without warnings", async (version) => {
    const program = join(consumer, "node_modules/vegaprotocol-cli/dist/main.js");
    const argv = [program, "sync", `${version}.db`, "--node", node.url];
    expect((await run(nodeBinary(version), [...argv, "--quiet"], { cwd: consumer })).stderr).toBe("");
    expect((await run(nodeBinary(version), [...argv, "--check"], { cwd: consumer })).stderr).not.toContain("Warning");
  });

  test("workerd", async () => {
    const workerd = await startWorkerd(join(consumer, "worker.mjs"), join(consumer, "worker.bundle.mjs"), "2025-01-01");
    try {
      const response = await fetch(`${workerd.url}/?node=${encodeURIComponent(node.url)}`);
      expectSuccess((await response.json()) as Result[]);
    } finally {
      await workerd.stop();
    }
  });

  test.skipIf(hasNoBrowser)("Chromium", async () => {
    const entryPoints = [join(consumer, "suite.mjs")];
    const options = { bundle: true, write: false, format: "iife", globalName: "suite", target: "es2022" } as const;
    const content = (await build({ entryPoints, ...options })).outputFiles[0]?.text ?? "";
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      // A page of another origin than the node's, as pages are.
      const empty = () => new Response("<!doctype html>", { headers: { "Content-Type": "text/html" } });
      const site = await listen({ fetch: async () => empty() });
      await page.goto(site.url);
      await page.addScriptTag({ content });
      expectSuccess(await page.evaluate(`suite.run(${JSON.stringify(node.url)})`));
      await site.close();
    } finally {
      await browser.close();
    }
  });
});
