import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
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

interface Case {
  readonly title: string;
  readonly command: readonly string[];
  readonly suffix: string;
  /** The nodes that it reads from. */
  readonly nodes: readonly number[];
  readonly isFailing?: boolean;
  /** How a process begins: it continues the file, or overwrites it. */
  readonly flag: "--resume" | "--force";
}

const balances = ["balances", "--page-size", "500"];
const cases: Case[] = [
  { title: "CSV", command: balances, suffix: "csv", nodes: [0], flag: "--resume" },
  {
    title: "compressed NDJSON, with a node that fails",
    command: [...balances, "--retries", "0"],
    suffix: "ndjson.gz",
    nodes: [0],
    isFailing: true,
    flag: "--resume",
  },
  {
    title: "NDJSON with the newest record first, with a node that is behind",
    command: [...balances, "--order", "newest-first"],
    suffix: "ndjson",
    nodes: [1, 0, 2],
    flag: "--resume",
  },
  { title: "CSV that is overwritten", command: balances, suffix: "csv", nodes: [2], flag: "--force" },
  {
    title: "votes as JSON that is overwritten",
    command: ["votes", "--proposal", proposal, "--page-size", "1000"],
    suffix: "json",
    nodes: [0],
    flag: "--force",
  },
];

describe.each(cases)("an export as $title", ({ command, suffix, nodes, isFailing, flag }) => {
  const argv = (file: string) => [...command, "-o", file, ...nodes.flatMap((node) => ["--node", urlOf(node)])];

  test(`killed ${kills} times at random times, of two writers, is whole or not there`, async () => {
    const own = join(
      folder,
      `case-${cases.findIndex((each) => each.command === command && each.suffix === suffix && each.flag === flag)}`,
    );
    await mkdir(own);
    const file = join(own, `x.${suffix}`);
    const begun = performance.now();
    expect(await finish(start(argv(file)))).toMatchObject({ code: 0 });
    const duration = performance.now() - begun;
    const whole = await textOf(file);
    const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
    if (flag === "--resume") await Promise.all(["", ".manifest.json"].map((name) => rm(file + name)));
    failing = isFailing ? 0.05 : 0;
    let [killed, complete] = [0, 0];
    while (killed < kills || complete === 0) {
      const children = [start([...argv(file), flag]), start([...argv(file), flag])];
      const ends = children.map(finish);
      const isKilled = killed < kills;
      const delay = Math.random() * 1.2 * duration;
      const timers = children.map(async (child, index) => {
        if (!isKilled) return;
        await setTimeout(index === 0 ? delay : Math.random() * 1.2 * duration);
        child.kill("SIGKILL");
      });
      const results = await Promise.all(ends);
      await Promise.all(timers);
      for (const { code, signal, stderr } of results) {
        if (signal === "SIGKILL") killed++;
        // Done, in the way of another process, or failed: no other end is known.
        else expect([0, 1, 2], stderr).toContain(code);
        if (code === 2) expect(stderr).toMatch(/^Error: Process \d+ on \S+, started at \S+, writes /);
        if (code === 1) expect(stderr).toMatch(/503|reset|closed/);
      }
      // Whatever was killed, a file that has its name is whole.
      const found = await textOf(file);
      if (flag === "--force" || found !== undefined) expect(found === whole, `after ${killed} kills`).toBe(true);
      if (!results.some(({ code }) => code === 0)) continue;
      complete++;
      const { records, sha256 } = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
      expect({ records, sha256 }).toEqual({ records: manifest.records, sha256: manifest.sha256 });
      if (flag === "--resume" && killed < kills) {
        await Promise.all(["", ".manifest.json"].map((name) => rm(file + name, { force: true })));
      }
    }
    failing = 0;
    expect(await finish(start([...argv(file), flag]))).toMatchObject({ code: 0 });
    expect((await textOf(file)) === whole).toBe(true);
    expect((await readdir(own)).sort()).toEqual([`x.${suffix}`, `x.${suffix}.manifest.json`]);
  }, 900_000);
});
