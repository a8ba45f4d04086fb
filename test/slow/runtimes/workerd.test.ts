import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { createFakeNode, type FakeNodeData, type FakeNodeOptions } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { folderOfFile } from "../../support/folder.js";
import { startWorkerd } from "./workerd.js";

const path = await folderOfFile();

// workerd forbids that a request is woken by another one. Dates of compatibility before October 2024 are stricter.
describe.each(["2024-01-01", "2026-10-01"])("a worker of %s with one client", (date) => {
  let workerd: Awaited<ReturnType<typeof startWorkerd>>;

  beforeAll(async () => {
    npmCi(fileURLToPath(new URL(".", import.meta.url)));
    const file = fileURLToPath(new URL("load-worker.ts", import.meta.url));
    workerd = await startWorkerd(file, path("worker.mjs"), date);
  });
  afterAll(() => workerd?.stop());

  const start = async (data: FakeNodeData = {}, options: FakeNodeOptions = {}): Promise<string> => {
    const node = createFakeNode(data, { rateLimit: { rate: 200, burst: 200, refusals: 1000 }, ...options });
    const server = await listen(node);
    onTestFinished(server.close);
    return server.url;
  };

  /** Sends requests to the worker at once, and returns their different responses. */
  const request = async (count: number, nodes: readonly string[], use = "call", init?: RequestInit) => {
    const url = `${workerd.url}/?${new URLSearchParams([["use", use], ...nodes.map((node) => ["node", node])])}`;
    const one = async () => (await fetch(url, init)).text();
    return [...new Set(await Promise.all(Array.from({ length: count }, one)))];
  };
  const called = ['{"result":"vega-fake-0011"}'];

  test("serves 300 requests at once, round after round, also if the node rejects some because of their rate", async () => {
    const url = await start();
    for (let round = 1; round <= 3; round++) expect(await request(300, [url])).toEqual(called);
  });

  test("serves others after its callers have disconnected", async () => {
    const url = await start({}, { faults: [{ name: "latency", milliseconds: 1000 }] });
    await request(1, [url]);
    const controller = new AbortController();
    const aborted = request(100, [url], "call", { signal: controller.signal }).catch(({ name }) => name);
    setTimeout(() => controller.abort(), 100);
    expect(await aborted).toBe("AbortError");
    expect(await request(50, [url])).toEqual(called);
  });

  test("serves 300 requests at once with a pool, round after round", async () => {
    const urls = await Promise.all([start(), start()]);
    for (let round = 1; round <= 3; round++) expect(await request(300, urls)).toEqual(called);
  });

  test("walks and scans for many requests at once", async () => {
    const kind = "NODE_SIGNATURE_KIND_ASSET_NEW";
    const signatures = Array.from({ length: 20 }, (_, index) => ({ id: "aa", sig: btoa(`signature ${index}`), kind }));
    const url = await start({ signatures, balances: 400 }, { rateLimit: { rate: 1000, burst: 1000 } });
    const [walks, scans] = await Promise.all([request(50, [url], "walk"), request(50, [url], "scan")]);
    expect([walks, scans]).toEqual([['{"result":20}'], ['{"result":400}']]);
  });
});
