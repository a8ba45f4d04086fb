import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { createFakeNode, type FakeNodeData, type FakeNodeOptions } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { startWorkerd, type Workerd } from "./workerd.js";

// workerd forbids that a request is woken by another one. Dates of compatibility before October 2024 are stricter.
describe.each(["2024-01-01", "2026-10-01"])("a worker of %s with one client", (date) => {
  let workerd: Workerd;
  let folder: string;

  beforeAll(async () => {
    npmCi(fileURLToPath(new URL(".", import.meta.url)));
    folder = await mkdtemp(join(tmpdir(), "workerd-"));
    const file = fileURLToPath(new URL("load-worker.ts", import.meta.url));
    workerd = await startWorkerd(file, join(folder, "worker.mjs"), date);
  });
  afterAll(async () => {
    await workerd?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sends requests to the worker at once. */
  const request = (count: number, nodes: string | string[], use = "call", init?: RequestInit) => {
    const url = `${workerd.url}/?${new URLSearchParams([["use", use], ...[nodes].flat().map((node) => ["node", node])])}`;
    return Promise.all(
      Array.from({ length: count }, async () => (await fetch(url, init)).json() as Promise<Record<string, unknown>>),
    );
  };

  const start = async (data: FakeNodeData = {}, options: FakeNodeOptions = {}) => {
    const node = createFakeNode(data, { rateLimit: { rate: 200, burst: 200, refusals: 1000 }, ...options });
    return listen(node);
  };

  const all = (count: number, result: unknown) => Array.from({ length: count }, () => ({ result }));

  test("serves 300 requests at once, round after round, also if the node rejects some because of their rate", async () => {
    const { url, close } = await start();
    for (let round = 1; round <= 3; round++) expect(await request(300, url)).toEqual(all(300, "vega-fake-0011"));
    await close();
  });

  test("serves others after its callers have disconnected", async () => {
    const { url, close } = await start({}, { faults: [{ name: "latency", milliseconds: 1000 }] });
    await request(1, url);
    const controller = new AbortController();
    const aborted = request(100, url, "call", { signal: controller.signal }).catch(({ name }) => name);
    setTimeout(() => controller.abort(), 100);
    expect(await aborted).toBe("AbortError");
    expect(await request(50, url)).toEqual(all(50, "vega-fake-0011"));
    await close();
  });

  test("serves 300 requests at once with a pool, round after round", async () => {
    const servers = await Promise.all([start(), start()]);
    const urls = servers.map(({ url }) => url);
    for (let round = 1; round <= 3; round++) expect(await request(300, urls)).toEqual(all(300, "vega-fake-0011"));
    for (const { close } of servers) await close();
  });

  test("walks and scans for many requests at once", async () => {
    const kind = "NODE_SIGNATURE_KIND_ASSET_NEW";
    const signatures = Array.from({ length: 20 }, (_, index) => ({ id: "aa", sig: btoa(`signature ${index}`), kind }));
    const { url, close } = await start({ signatures, balances: 400 }, { rateLimit: { rate: 1000, burst: 1000 } });
    const [walks, scans] = await Promise.all([request(50, url, "walk"), request(50, url, "scan")]);
    expect(walks).toEqual(all(50, 20));
    expect(scans).toEqual(all(50, 400));
    await close();
  });
});
