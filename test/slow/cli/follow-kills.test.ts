import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { finish, start } from "./cli-process.js";

const kills = 20;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "follow-kills-"));
});
afterAll(() => rm(folder, { recursive: true }));

const sorted = (records: readonly object[]) =>
  records.map((each) => JSON.stringify(Object.entries(each).sort())).sort();

test(`the file of follow balances, killed with SIGKILL ${kills} times at random times, has each record of the chain once`, async () => {
  const node = createFakeNode({ balances: 3000 }, { rateLimit: false });
  const stopChain = node.advanceEvery(10, { records: () => ({ balances: 5 }) });
  const server = await listen(node);
  const file = join(folder, "balances.ndjson");
  const command = ["follow", "balances", "--from", "start", "--raw", "--poll-interval", "10ms", "--output", file];
  const startFollower = () => start([...command, "--resume", "--node", server.url]);
  const positionOf = async () => BigInt(JSON.parse(await readFile(`${file}.state`, "utf8")).position);
  /** Positions after which a process was killed: each differs if the processes wrote something. */
  const positions = new Set<bigint>();
  try {
    for (let number = 0; number < kills; number++) {
      const child = startFollower();
      const ended = finish(child);
      const before = await readFile(`${file}.state`, "utf8").catch(() => "");
      // From the first write on, at any time.
      while (child.exitCode === null && (await readFile(`${file}.state`, "utf8").catch(() => "")) === before) {
        await setTimeout(1);
      }
      await setTimeout(Math.random() * 60);
      child.kill("SIGKILL");
      expect(await ended).toMatchObject({ signal: "SIGKILL", stdout: "", stderr: "" });
      positions.add(await positionOf().catch(() => 0n));
    }
    expect(positions.size).toBeGreaterThan(kills / 2);
    stopChain();
    const child = startFollower();
    const ended = finish(child);
    const final = (node.block.timestamp / 1000n) * 1000n;
    while (child.exitCode === null && (await positionOf().catch(() => 0n)) < final) await setTimeout(5);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining("To continue: ") });
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    const records: object[] = lines.map((line) => JSON.parse(line));
    expect(sorted(records)).toEqual(sorted(node.records.balances));
  } finally {
    stopChain();
    await server.close();
  }
}, 120_000);
