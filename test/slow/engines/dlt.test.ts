import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finish, finishWithin } from "../../../cli/test/support/cli-process.js";
import { startGateway } from "../../../cli/test/support/gateway.js";
import { hasPostgres, startPostgres } from "../../../cli/test/support/postgres.js";
import { createFakeNetwork, nodeDefects } from "../../../src/testing/index.js";
import { createFolder } from "../../support/folder.js";
import { runs } from "../../support/runs.js";
import { environment, expectedRecords, installEngines, python, readRecords } from "./tools.js";

/** Of each destination. */
const { numRuns: kills } = runs(17);
const killsOfChain = 10;
const example = fileURLToPath(new URL("../../../examples/dlt/vega.py", import.meta.url));

const missing = await installEngines();
if (missing) console.warn(missing);

let database: Awaited<ReturnType<typeof startPostgres>> | undefined;
beforeAll(async () => {
  if (hasPostgres || process.env["GITHUB_ACTIONS"]) database = await startPostgres();
});
afterAll(() => database?.close());

describe.skipIf(missing !== undefined)("the example of dlt", () => {
  test.for(["duckdb", "postgres"])(
    `loads every change once into %s, although it is killed ${kills} times`,
    { timeout: 3_600_000 },
    async (destination, { skip }) => {
      if (destination === "postgres") skip(database === undefined, "PostgreSQL is not installed.");
      for (let killed = 0; killed < kills; )
        killed += await runChain(destination, Math.min(killsOfChain, kills - killed));
    },
  );
});

/** Loads a live chain from its beginning. Returns how many processes were killed. */
async function runChain(destination: string, most: number): Promise<number> {
  const folder = await createFolder();
  await database?.sql("DROP SCHEMA IF EXISTS vega, vega_staging CASCADE");
  const data = { nodes: [{}, { lag: 1 }, { lag: 2 }], balances: 20_000 };
  const network = createFakeNetwork(data, { defects: nodeDefects, rateLimit: false });
  const urls = network.nodes.map(({ url }) => url);
  const gateway = await startGateway(urls, ["--quiet"], network.fetch);
  const timer = setInterval(() => network.nextBlock({ balances: Math.floor(Math.random() * 300) }), 300);
  const env = { ...environment(folder), DESTINATION__POSTGRES__CREDENTIALS: database?.url ?? "" };
  const start = () =>
    spawn(python, [example, gateway.url, destination], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const runToEnd = async () => {
    const { code, stderr } = await finish(start());
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  };
  const select = "SELECT timestamp, balance, party_id, asset_id, market_id, account_type FROM vega.balance_changes";
  const source = destination === "duckdb" ? `duckdb:${join(folder, "vega_pipeline.duckdb")}` : (database?.url ?? "");
  let killed = 0;
  let duration = 6000;
  try {
    while (killed < most) {
      const child = start();
      const begun = performance.now();
      const { code, signal, stderr } = await finishWithin(Math.random() * 1.2 * duration, child);
      if (signal === "SIGKILL") killed++;
      else {
        expect([code, stderr]).toEqual([0, expect.any(String)]);
        duration = performance.now() - begun;
      }
    }
    clearInterval(timer);
    for (let block = 0; block < 3; block++) network.nextBlock();
    // The first run loads what an interrupted one has read.
    await runToEnd();
    await runToEnd();
    expect(await readRecords(folder, source, select)).toBe(expectedRecords(network.records.balances));
    return killed;
  } finally {
    clearInterval(timer);
    await gateway.close();
    await rm(folder, { recursive: true });
  }
}
