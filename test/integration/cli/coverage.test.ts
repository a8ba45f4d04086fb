import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startOfDay } from "../../../src/source/history.js";
import { createFakeNetwork, createFakeNode } from "../../../src/testing/index.js";
import { overDays } from "../../support/over-days.js";
import { interruption, runCli } from "../../support/run-cli.js";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "coverage-"));
});
afterAll(() => rm(root, { recursive: true }));
let folder: string;
let file: string;
beforeEach(async (context) => {
  folder = join(root, context.task.id);
  await mkdir(folder, { recursive: true });
  file = join(folder, "x.csv");
});
const read = (name: string) => readFile(name, "utf8");
const manifestOf = async (name: string) => JSON.parse(await read(`${name}.manifest.json`));

type Fetch = (request: Request) => Promise<Response>;

/** Interrupts a command when so many requests were sent. */
async function interruptAfter(count: number, argv: readonly string[], fetch: Fetch) {
  const { signal, interrupt } = interruption();
  let requests = 0;
  return runCli(argv, {
    signal,
    fetch: async (request) => {
      if (++requests === count) interrupt();
      return fetch(request);
    },
  });
}

describe.each(["oldest-first", "newest-first"])("an export of nodes of which some are behind, %s", (order) => {
  const flags = ["balances", "--order", order, "--page-size", "100", "--concurrency", "1"];

  test("is not completed by --resume on a node that is behind, and gets exactly the rest from another one", async () => {
    const network = createFakeNetwork({ nodes: [{ lag: 400 }, {}], balances: 3000 }, { rateLimit: false });
    const [behind, current] = network.nodes;
    const command = [...flags, "--catch-up", "0", "-o", file];
    expect((await interruptAfter(12, command, current?.fetch as Fetch)).code).toBe(130);
    expect((await readdir(folder)).sort()).toEqual(["x.csv.partial", "x.csv.partial.state"]);
    // Newest-first, what is left is before the block of both.
    if (order === "oldest-first") {
      for (let round = 0; round < 3; round++) {
        const { code, stderr } = await runCli([...command, "--resume"], { fetch: behind?.fetch as Fetch });
        expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("The node is behind") });
        expect((await readdir(folder)).sort()).toEqual(["x.csv.partial", "x.csv.partial.state"]);
      }
    }
    expect(await runCli([...command, "--resume"], { fetch: current?.fetch as Fetch })).toMatchObject({ code: 0 });
    const whole = join(folder, "whole.csv");
    await runCli([...flags, "-o", whole], { fetch: current?.fetch as Fetch });
    expect(await read(file)).toBe(await read(whole));
  });

  test("has every record that its manifest claims if every fifth response of its address is of a node that is behind", async () => {
    const network = createFakeNetwork(
      { nodes: [{}, { lag: 600 }], balances: 3000, balance: (request) => (request % 5 === 0 ? 1 : 0) },
      { rateLimit: false },
    );
    const { code } = await runCli([...flags, "--node", network.url, "-o", file], { fetch: network.fetch });
    const { records, coverage } = await manifestOf(file);
    const { length } = network.records.balances.filter(({ timestamp }) => BigInt(timestamp) < BigInt(coverage.end));
    expect({ code, records }).toEqual({ code: 0, records: length });
    expect(BigInt(coverage.end) / 1000n).toBe(network.block.timestamp / 1000n);
  });
});

describe("the manifest of an export", () => {
  const node = createFakeNode({ balances: 1200 }, { rateLimit: false });
  const times = node.records.balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
  const block = { height: String(node.block.height), timestamp: String(node.block.timestamp) };
  const end = String((node.block.timestamp / 1000n) * 1000n);
  /** An open start is that of the day of the first record: nodes drop whole days. */
  const firstDay = String(startOfDay(times[0] ?? 0n));

  test.each([
    [[], { start: firstDay, end }],
    [["--order", "newest-first"], { start: firstDay, end }],
    [["--from", String(times[30]), "--to", String(times[700])], { start: String(times[30]), end: String(times[700]) }],
    // Further records of the last time can be missing.
    [["--limit", "7"], { start: firstDay, end: String(times[6]) }],
    [["--limit", "7", "--order", "newest-first"], { start: String((times.at(-7) ?? 0n) + 1n), end }],
  ])("says what it covers, and the block that shows it: %j", async (flags, coverage) => {
    expect(await runCli(["balances", ...flags, "-o", file], { fetch: node.fetch })).toMatchObject({ code: 0 });
    expect((await manifestOf(file)).coverage).toEqual({ ...coverage, block });
    expect(await runCli(["verify", file], { fetch: node.fetch })).toMatchObject({ code: 0 });
  });

  test.each(["oldest-first", "newest-first"])("is the same after --resume: %s", async (order) => {
    const command = ["balances", "--order", order, "--page-size", "100", "--concurrency", "1", "-o", file];
    await interruptAfter(6, command, node.fetch);
    expect(await runCli([...command, "--resume"], { fetch: node.fetch })).toMatchObject({ code: 0 });
    expect((await manifestOf(file)).coverage).toEqual({ start: firstDay, end, block });
  });

  test("says that the end is not proven if no response names a block, as does a warning", async () => {
    const warning = /^Warning: the responses name no block, /m;
    const silent = createFakeNode({ balances: 1200 }, { rateLimit: false, blockHeaders: false });
    for (const order of ["oldest-first", "newest-first"]) {
      const name = join(folder, `${order}.csv`);
      const command = ["balances", "--order", order, "--page-size", "100", "--concurrency", "1", "-o", name];
      await interruptAfter(6, command, silent.fetch);
      const { code, stderr } = await runCli([...command, "--resume"], { fetch: silent.fetch });
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(warning) });
      const { coverage, range, records } = await manifestOf(name);
      expect({ coverage, range, records }).toEqual({
        coverage: { start: firstDay, end: null, block: null },
        range: { start: firstDay, end: String((times.at(-1) ?? 0n) + 1n) },
        records: 1200,
      });
    }
    for (const argv of [["balances"], ["balances", "-o", join(folder, "x.json")]]) {
      const { code, stderr } = await runCli([...argv, "--quiet"], { fetch: silent.fetch });
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(warning) });
    }
    expect((await runCli(["balances"], { fetch: node.fetch })).stderr).toBe("");
  });
});

describe.each(["v0.74", "v0.79"] as const)("a %s node that no longer keeps old records", (version) => {
  const balances = overDays(createFakeNode({ balances: 400 }).records.balances);
  const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
  const history = startOfDay(times[150] ?? 0n);
  const date = () => Date.UTC(2026, 1, 10);
  const { fetch } = createFakeNode({ balances, history }, { version, date, rateLimit: false });
  const left = times.filter((time) => time >= history).length;
  const message =
    /^Error: The balance changes of the node begin at 2024-\S+Z, and the range begins at 2024-02-01T00:00:00.000000000Z\. Use --from 2024-\S+Z, a node that keeps a longer history, or --allow-incomplete to read what is left\.\n/;

  test.each([
    [[]],
    [["--order", "newest-first"]],
    [["--cursor"]],
    [["--cursor", "--order", "oldest-first"]],
    [["--cursor", "--page-size", "50"]],
    [["--cursor", "--page-size", "50", "--order", "oldest-first"]],
  ])("makes the exit code 3, and its advice works: %j", async (flags) => {
    const command = ["balances", ...flags, "--from"];
    const { code, stderr } = await runCli([...command, "2024-02-01"], { fetch });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(message) });
    const [, from = ""] = /Use --from (\S+),/.exec(stderr) ?? [];
    const lines = async (argv: readonly string[]) => {
      const { code, stdout } = await runCli(argv, { fetch });
      return { code, records: new Set(stdout.trimEnd().split("\n")).size };
    };
    expect(await lines([...command, from])).toEqual({ code: 0, records: left });
    expect(await lines([...command, "2024-02-01", "--allow-incomplete"])).toEqual({ code: 3, records: left });
  });
});

test.each([
  [0, 1],
  [1, 0],
])(
  "follow reads from the node that keeps its start, whichever comes and responds first: %j, %j",
  async (...indexes) => {
    const balances = overDays(createFakeNode({ balances: 400 }).records.balances);
    // Both nodes are asked at once, and which one first varies.
    for (let run = 0; run < 10; run++) {
      const network = createFakeNetwork({ nodes: 2, balances }, { rateLimit: false });
      const times = network.records.balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
      network.nodes[1]?.configure({ history: times[150] ?? 0n });
      const nodes = indexes.flatMap((index) => ["--node", network.nodes[index]?.url ?? ""]);
      const argv = ["follow", "balances", "--from", String(times[0]), "--limit", "390", ...nodes];
      const { code, stdout, stderr } = await runCli(argv, { fetch: network.fetch });
      expect(code, stderr).toBe(0);
      expect(stdout.trimEnd().split("\n")).toHaveLength(390);
    }
  },
);
