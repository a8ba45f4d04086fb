import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { createFakeNetwork, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runs } from "../../../test/support/runs.js";
import { finish, start } from "../support/cli-process.js";

/** Of each case. */
const { numRuns: kills } = runs(6);

// Blocks of many changes, cursors that lose records, and a node that is behind at times.
const network = createFakeNetwork(
  { nodes: [{}, { lag: 400 }, {}], balances: 12_000, votes: 3000 },
  { rateLimit: false, defects: nodeDefects },
);
const proposal = network.records.votes[0]?.proposalId ?? "";
/** The part of the responses of the first node that are errors. */
let failing = 0;
let servers: Awaited<ReturnType<typeof listen>>[];
let folder: string;
beforeAll(async () => {
  servers = await Promise.all(
    network.nodes.map((node, index) => {
      const fetch = async (request: Request) =>
        index === 0 && Math.random() < failing ? new Response("", { status: 503 }) : node.fetch(request);
      return listen({ ...node, fetch });
    }),
  );
  folder = await mkdtemp(join(tmpdir(), "kills-"));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

const urlOf = (index: number) => servers[index]?.url ?? "";
const textOf = async (file: string) => {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
};

const balances = ["balances", "--page-size", "500"];
const votes = ["votes", "--proposal", proposal, "--page-size", "1000"];
interface Case {
  readonly title: string;
  readonly command: readonly string[];
  readonly suffix: string;
  /** The nodes that it reads from. */
  readonly nodes: readonly number[];
  readonly isFailing?: boolean;
  /** Whether a file that is there is replaced. */
  readonly isReplaced?: boolean;
}
const cases: Case[] = [
  { title: "CSV that is replaced", command: balances, suffix: "csv", nodes: [0], isReplaced: true },
  {
    title: "compressed NDJSON, with a node that fails",
    command: [...balances, "--retries", "0"],
    suffix: "ndjson.gz",
    nodes: [0],
    isFailing: true,
  },
  {
    title: "NDJSON with the newest record first, with a node that is behind",
    command: [...balances, "--order", "newest-first"],
    suffix: "ndjson",
    nodes: [1, 0, 2],
  },
  { title: "JSON that is replaced", command: votes, suffix: "json", nodes: [0], isReplaced: true },
];

describe.each(cases)("an export as $title", ({ command, suffix, nodes, isFailing, isReplaced }) => {
  test(`killed ${kills} times at random times, of two writers, is whole or not there`, async () => {
    const own = await mkdtemp(join(folder, "case-"));
    const file = join(own, `x.${suffix}`);
    const flags = isReplaced ? ["--force"] : [];
    const argv = [...command, "-o", file, ...flags, ...nodes.flatMap((node) => ["--node", urlOf(node)])];
    const begun = performance.now();
    expect(await finish(start(argv))).toMatchObject({ code: 0 });
    const duration = performance.now() - begun;
    const whole = await textOf(file);
    failing = isFailing ? 0.05 : 0;
    for (let killed = 0; killed < kills; ) {
      // What is there before is another file, or none.
      const earlier = isReplaced ? "earlier" : undefined;
      await rm(own, { recursive: true });
      await mkdir(own);
      if (earlier !== undefined) await writeFile(file, earlier);
      const children = [start(argv), start(argv)];
      const ends = children.map(finish);
      const timers = children.map(async (child) => {
        await setTimeout(Math.random() * 1.5 * duration);
        child.kill("SIGKILL");
      });
      const results = await Promise.all(ends);
      await Promise.all(timers);
      for (const { code, signal, stderr } of results) {
        if (signal === "SIGKILL") killed++;
        // Done, the second one, or failed: no other end is known.
        else expect([0, 1, 2], stderr).toContain(code);
        if (code === 2) expect(stderr).toMatch(/^Error: \S+ exists\. Use --force to replace it/);
        if (code === 1) expect(stderr).toMatch(/503|reset|closed/);
      }
      // A process that was killed after its last step has completed the file, too.
      const found = await textOf(file).catch(() => "broken");
      const isWhole = found === whole;
      expect(isWhole || found === earlier, `after ${killed} kills`).toBe(true);
      if (results.some(({ code }) => code === 0)) expect(isWhole).toBe(true);
    }
    failing = 0;
  }, 900_000);
});
