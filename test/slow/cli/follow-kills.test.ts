import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";
import { runs } from "../../support/runs.js";
import { finish, start } from "./cli-process.js";

const { numRuns: kills } = runs(10);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "follow-kills-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The records of a file, as the node sent them. None of their texts has a comma or a quote. */
function recordsIn(content: Buffer, suffix: string): object[] {
  if (suffix === "ndjson") return lines(content).map((line) => JSON.parse(line));
  const [head = "", ...rows] = lines(gunzipSync(content)).map((line) => line.trimEnd());
  const names = head.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((cell, index) => [names[index], cell])));
}

const lines = (content: Buffer) => content.toString().trimEnd().split("\n");
const sorted = (records: readonly object[]) =>
  records.map((each) => JSON.stringify(Object.entries(each).sort())).sort();

test.each(["ndjson", "csv.gz"])(
  `the file of follow balances as %s, killed ${kills} times at random times of two writers, has each record of the chain once`,
  async (suffix) => {
    const node = createFakeNode({ balances: 3000 }, { rateLimit: false });
    // A chain with more than 20 blocks a second is taken for two networks.
    const stopChain = node.advanceEvery(60, { records: () => ({ balances: 30 }) });
    const server = await listen(node);
    const file = join(folder, `balances.${suffix}`);
    const command = ["follow", "balances", "--from", "start", "--raw", "--poll-interval", "10ms", "--output", file];
    const startFollower = () => start([...command, "--resume", "--node", server.url]);
    const positionOf = async () => BigInt(JSON.parse(await readFile(`${file}.state`, "utf8")).position);
    /** Positions after which a process was killed: each differs if the processes wrote something. */
    const positions = new Set<bigint>();
    try {
      for (let number = 0; number < kills; number++) {
        const children = [startFollower(), startFollower()];
        const ends = children.map(finish);
        const before = await readFile(`${file}.state`, "utf8").catch(() => "");
        // From the first write on, at any time.
        while (
          children.some(({ exitCode }) => exitCode === null) &&
          (await readFile(`${file}.state`, "utf8").catch(() => "")) === before
        ) {
          await setTimeout(1);
        }
        await setTimeout(Math.random() * 60);
        for (const child of children) child.kill("SIGKILL");
        const results = await Promise.all(ends);
        expect(results.some(({ signal }) => signal === "SIGKILL")).toBe(true);
        for (const { code, signal, stdout, stderr } of results) {
          expect(stdout).toBe("");
          // The second process can be killed after it was refused.
          expect([null, 2]).toContain(code);
          expect(stderr).toMatch(signal === "SIGKILL" ? /^$|^Error: Process \d+ on / : /^Error: Process \d+ on /);
        }
        positions.add(await positionOf().catch(() => 0n));
      }
      expect(positions.size).toBeGreaterThan(kills / 2);
      stopChain();
      const child = startFollower();
      const ended = finish(child);
      const final = (node.block.timestamp / 1000n) * 1000n;
      const hasLock = async () => (await readFile(`${file}.lock`, "utf8").catch(() => "")).includes(`${child.pid}`);
      const isDone = async () => (await positionOf().catch(() => 0n)) >= final && (await hasLock());
      while (child.exitCode === null && !(await isDone())) await setTimeout(5);
      child.kill("SIGINT");
      expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining("To continue: ") });
      const records = recordsIn(await readFile(file), suffix);
      expect(sorted(records)).toEqual(sorted(node.records.balances));
    } finally {
      stopChain();
      await server.close();
    }
  },
  600_000,
);
