import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { npmCi } from "../../../scripts/npm-ci.js";
import { compareRecords } from "../../../src/scan/records.js";
import { createFakeNetwork, nodeDefects } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { runs } from "../../support/runs.js";

const run = promisify(execFile);
const runtimes = fileURLToPath(new URL("../runtimes", import.meta.url));
// `node:sqlite` is not in the oldest version that the package runs on.
const node = join(runtimes, "node_modules/node24/bin/node");
const sink = fileURLToPath(new URL("sink.js", import.meta.url));
const { numRuns: kills } = runs(24);

test("a database has each balance change exactly once after its follower was killed many times, on three nodes that lag", async () => {
  npmCi(runtimes);
  const folder = await mkdtemp(join(tmpdir(), "follow-"));
  const database = join(folder, "changes.db");
  const network = createFakeNetwork({ balances: 2000 }, { defects: nodeDefects, rateLimit: false });
  const { nodes } = network;
  const pick = () => nodes[Math.floor(Math.random() * nodes.length)] ?? network;
  const server = await listen({ fetch: (request) => pick().fetch(request) });
  const blocks = setInterval(() => network.nextBlock({ balances: Math.floor(Math.random() * 12) }), 20);
  try {
    for (let count = 0; count < kills; count++) {
      for (const each of nodes) each.configure({ lag: Math.floor(Math.random() * 4) });
      const child = spawn(node, [sink, server.url, database], { stdio: ["ignore", "ignore", "inherit"] });
      // A follower starts within about 150 ms.
      await sleep(50 + Math.random() * 350);
      child.kill("SIGKILL");
      const [code, signal] = await once(child, "exit");
      expect([code, signal]).toEqual([null, "SIGKILL"]);
    }
    clearInterval(blocks);
    // The last follower that was killed can have read every other block.
    network.nextBlock({ balances: 3 });
    for (const each of nodes) each.configure({ lag: 0 });
    const { stdout } = await run(node, [sink, server.url, database, `${network.block.timestamp}`], {
      maxBuffer: 2 ** 28,
    });
    expect(network.records.balances.length).toBeGreaterThan(2500);
    expect(JSON.parse(stdout)).toEqual([...network.records.balances].sort(compareRecords));
  } finally {
    clearInterval(blocks);
    await server.close();
    await rm(folder, { recursive: true });
  }
}, 300_000);
