import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { quoteWord } from "../../../src/cli/files/resume-command.js";
import { toNanoseconds } from "../../../src/index.js";
import { startOfDay } from "../../../src/source/history.js";
import { createFakeNetwork, createFakeNode } from "../../../src/testing/index.js";
import { overDays } from "../../support/over-days.js";
import { interruption, runCli } from "../../support/run-cli.js";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "follow-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach((context) => {
  file = join(folder, `${context.task.id}.ndjson`);
});

let stopChain = () => {};
afterEach(() => stopChain());

/** A node that ends a block every few milliseconds. */
function growingNode(data: Parameters<typeof createFakeNode>[0] = {}, perBlock: object = { balances: 3, votes: 2 }) {
  const node = createFakeNode(
    { votes: 20, balances: 50, signatures: 6, ...data },
    {
      rateLimit: false,
      defects: ["tied-vote-cursors"],
    },
  );
  stopChain = node.advanceEvery(5, { records: () => perBlock });
  return node;
}

const poll = ["--poll-interval", "5ms", "--raw"];
const linesIn = (text: string) => (text === "" ? [] : text.trimEnd().split("\n"));
const read = (name: string) => readFile(name, "utf8");

/** The key of a record, which is the same for a printed one and for one of the node. */
const keyOf = (record: object) =>
  JSON.stringify(
    Object.entries(record)
      .filter(([name]) => name !== "balance")
      .sort(),
  );
const balanceKey = ({ timestamp, partyId, assetId, marketId, accountType }: Record<string, unknown>) =>
  keyOf({ timestamp, partyId, assetId, marketId, accountType });

/** Runs a follower until it has written so many lines to stdout. */
async function followLines(argv: readonly string[], count: number, fetch: (request: Request) => Promise<Response>) {
  const { signal, interrupt } = interruption();
  let written = "";
  return runCli(argv, {
    fetch,
    signal,
    onOutput: (text) => {
      written += text;
      if (linesIn(written).length >= count) interrupt();
      return undefined;
    },
  });
}

/** Runs a follower that writes a file, until the node has received so many requests. */
async function followRequests(argv: readonly string[], count: number, fetch: (request: Request) => Promise<Response>) {
  const { signal, interrupt } = interruption();
  let requests = 0;
  return runCli(argv, {
    signal,
    fetch: async (request) => {
      if (++requests > count) interrupt();
      return fetch(request);
    },
  });
}

describe("follow balances", () => {
  test("prints each balance change once, in order of time, until SIGINT ends it with 130 and the command to continue", async () => {
    const node = growingNode();
    const command = ["follow", "balances", "--from", "start", ...poll];
    const { code, stdout, stderr } = await followLines(command, 120, node.fetch);
    expect(code).toBe(130);
    const records = linesIn(stdout).map((line) => JSON.parse(line));
    const times = records.map(({ timestamp }) => BigInt(timestamp));
    expect(times).toEqual([...times].sort((a, b) => Number(a - b)));
    const [, position = ""] =
      /^Interrupted by SIGINT\.\nTo continue: vegaprotocol-client follow balances .*--from (\d+)\n$/.exec(stderr) ?? [];
    const before = node.records.balances.filter(({ timestamp }) => BigInt(timestamp) < BigInt(position));
    expect(new Set(records.map(balanceKey))).toEqual(new Set(before.map((each) => balanceKey({ ...each }))));
    expect(records).toHaveLength(before.length);

    const next = await followLines([...command, "--from", position], 20, node.fetch);
    const [first = ""] = linesIn(next.stdout);
    expect(BigInt(JSON.parse(first).timestamp)).toBeGreaterThanOrEqual(BigInt(position));
    const all = [...records, ...linesIn(next.stdout).map((line) => JSON.parse(line))];
    expect(new Set(all.map(balanceKey)).size).toBe(all.length);
  });

  test("begins with the current block, without --from", async () => {
    const node = growingNode();
    const { timestamp } = node.block;
    const { stdout } = await followLines(["follow", "balances", ...poll], 6, node.fetch);
    for (const line of linesIn(stdout)) expect(BigInt(JSON.parse(line).timestamp)).toBeGreaterThanOrEqual(timestamp);
  });

  test("filters, prints decimals and chosen columns, and ends with 0 after --limit records", async () => {
    const node = growingNode();
    const flags = ["--from", "start", "--columns", "timestamp,balance", "--decimals", "18", "--limit", "7"];
    const result = await runCli(["follow", "balances", "--account-type", "general", ...flags], { fetch: node.fetch });
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(linesIn(result.stdout)).toHaveLength(7);
    expect(linesIn(result.stdout)[0]).toMatch(/^\{"timestamp":"2024-\S+Z","balance":"[\d.]+"\}$/);
  });

  test("ends with 0 when the reader of the pipe has closed it", async () => {
    const node = growingNode();
    let isFirst = true;
    const result = await runCli(["follow", "balances", "--from", "start", ...poll], {
      fetch: node.fetch,
      onOutput: () => {
        if (!isFirst) return Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
        isFirst = false;
        return undefined;
      },
    });
    expect(result).toMatchObject({ code: 0, stderr: "" });
  });

  test("loses and repeats nothing over three nodes of which one lags, one is down at times and one fails", async () => {
    const network = createFakeNetwork({ nodes: [{ lag: 2 }, {}, {}], balances: 50 }, { rateLimit: false });
    stopChain = network.advanceEvery(5, { records: () => ({ balances: 3 }) });
    network.nodes[2]?.configure({ faults: [{ name: "status", status: 503 }] });
    let requests = 0;
    const nodes = network.nodes.flatMap(({ url }) => ["--node", url]);
    const { stdout, stderr } = await followLines(
      ["follow", "balances", "--from", "start", ...poll, ...nodes],
      150,
      (request) => {
        network.nodes[1]?.configure({ down: ++requests % 9 > 6 });
        return network.fetch(request);
      },
    );
    const [, position = ""] = /--from (\d+)\n$/.exec(stderr) ?? [];
    const keys = linesIn(stdout).map((line) => balanceKey(JSON.parse(line)));
    const expected = network.records.balances.filter(({ timestamp }) => BigInt(timestamp) < BigInt(position));
    expect(keys).toHaveLength(expected.length);
    expect(new Set(keys)).toEqual(new Set(expected.map((each) => balanceKey({ ...each }))));
  });

  test("exits with 3 and the earliest time if the node no longer keeps the position", async () => {
    const balances = overDays(createFakeNode({ balances: 50 }).records.balances);
    const node = growingNode({ balances });
    const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
    const history = startOfDay(times[30] ?? 0n);
    node.configure({ history });
    const from = ["--from", String(history - 120_000_000_000n)];
    const { code, stdout, stderr } = await runCli(["follow", "balances", ...from, ...poll], { fetch: node.fetch });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    const [, time = ""] =
      /^Error: The balance changes of the node begin at .* and follow with --from (\S+)\.\n$/.exec(stderr) ?? [];
    expect(toNanoseconds(time)).toBe(times.find((each) => each >= history));
  });

  test("--verbose prints each failed poll, and a chain without new blocks exits with 1 after --stalled-after", async () => {
    const node = createFakeNode({ balances: 5 });
    let requests = 0;
    const flags = ["--verbose", "--retries", "0", "--stalled-after", "20ms", ...poll];
    const { code, stderr } = await runCli(["follow", "balances", ...flags], {
      fetch: async (request) => (++requests === 2 ? new Response("", { status: 503 }) : node.fetch(request)),
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^followBalanceChanges: poll failed, repeated in 1000 ms: .*503/m);
    expect(stderr).toMatch(
      /^Error: followBalanceChanges has seen no block after \d+ for \d+ ms\nTo continue: .* --from \d+$/m,
    );
  });
});

describe("follow balances --output", () => {
  /** Compares a file with the chain up to the position in its state. */
  async function expectWhole(node: ReturnType<typeof growingNode>) {
    const { position, size } = JSON.parse(await read(`${file}.state`));
    const text = await read(file);
    expect(Buffer.byteLength(text)).toBe(size);
    const keys = linesIn(text).map((line) => balanceKey(JSON.parse(line)));
    const expected = node.records.balances.filter(({ timestamp }) => BigInt(timestamp) < BigInt(position));
    expect(keys).toHaveLength(expected.length);
    expect(new Set(keys)).toEqual(new Set(expected.map((each) => balanceKey({ ...each }))));
  }

  test("continues its file with --resume, from whatever a killed process left behind its last position", async () => {
    const node = growingNode();
    const command = ["follow", "balances", "--from", "start", "--output", file, ...poll];
    const first = await followRequests(command, 12, node.fetch);
    expect(first.code).toBe(130);
    expect(first.stdout).toBe("");
    expect(first.stderr).toBe(
      `Interrupted by SIGINT.\nTo continue: vegaprotocol-client ${command.map((word) => quoteWord(word)).join(" ")} --resume\n`,
    );
    await expectWhole(node);
    for (const rest of [
      '{"timestamp":"17074',
      `${linesIn(await read(file))
        .slice(-2)
        .join("\n")}\n`,
      "\0\0\n\0",
      "x".repeat(100_000),
    ]) {
      // A process that is killed does not mark the end of its file.
      const { ended, ...state } = JSON.parse(await read(`${file}.state`));
      expect(ended).toBe(true);
      await writeFile(`${file}.state`, JSON.stringify(state));
      await writeFile(file, rest, { flag: "a" });
      const { code } = await followRequests([...command, "--resume"], 8, node.fetch);
      expect(code).toBe(130);
      await expectWhole(node);
    }
    expect(linesIn(await read(file)).length).toBeGreaterThan(node.records.balances.length / 2);
  });

  test("begins with --resume if there is no file, and takes its name although it was killed before", async () => {
    const node = growingNode();
    const command = ["follow", "balances", "--from", "start", "--output", file, "--resume", ...poll];
    await followRequests(command, 4, node.fetch);
    await expectWhole(node);
    const state = JSON.parse(await read(`${file}.state`));
    await writeFile(`${file}.state`, JSON.stringify({ ...state, isBeside: true }));
    await rename(file, `${file}.new`);
    await followRequests(command, 4, node.fetch);
    await expectWhole(node);
  });

  test("refuses a file that exists, one with other arguments and one without its state", async () => {
    const node = growingNode();
    const command = ["follow", "balances", "--from", "start", "--output", file, ...poll];
    await followRequests(command, 4, node.fetch);
    const whole = await read(file);
    const refused = async (argv: readonly string[], message: string) => {
      const { code, stderr } = await runCli(argv, { fetch: node.fetch });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
      expect(await read(file)).toBe(whole);
    };
    await refused(command, `${file} exists. Use --resume to continue it, or --force to begin again.`);
    await refused(
      [...command, "--resume", "--account-type", "general"],
      "was written with other arguments: expected no --account-type, got --account-type ACCOUNT_TYPE_GENERAL.",
    );
    await writeFile(`${file}.state`, "[]");
    await refused([...command, "--resume"], `Expected ${file}.state to be the state of ${file}`);
    await rm(`${file}.state`);
    await refused([...command, "--resume"], `${file}.state is missing`);
    await followRequests([...command, "--force"], 4, node.fetch);
    await expectWhole(node);
  });

  test("refuses to continue a file that was edited or cut, with the line", async () => {
    const node = growingNode();
    const command = ["follow", "balances", "--from", "start", "--output", file, ...poll];
    await followRequests(command, 4, node.fetch);
    const lines = (await read(file)).split(/(?<=\n)/);
    const withFifth = (change: (line: string) => string) =>
      lines.map((line, index) => (index === 4 ? change(line) : line));
    const changes: [string[], RegExp][] = [
      [withFifth((line) => line.replace(/"balance":"\d/, '"balance":"')), /line 5 differs/],
      [withFifth((line) => line.trimEnd()), /line 5 is not a record/],
      [withFifth(() => "\0\0\0\n"), /line 5 is not a record/],
      [lines.slice(0, 9), /it ends in line 10, and had \d+ lines/],
      [[...lines, "{}\n"], /3 bytes behind line \d+/],
    ];
    for (const [changed, message] of changes) {
      await writeFile(file, changed.join(""));
      const { code, stderr } = await runCli([...command, "--resume"], { fetch: node.fetch });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
      expect(await read(file)).toBe(changed.join(""));
    }
  });

  test("keeps an earlier file with --force until the first block came", async () => {
    const node = growingNode();
    const command = ["follow", "balances", "--from", "start", "--output", file, ...poll];
    await writeFile(file, "earlier");
    const dead = await runCli([...command, "--force"], { fetch: async () => new Response("{}", { status: 404 }) });
    expect(dead.code).toBe(1);
    expect(await read(file)).toBe("earlier");
    await followRequests([...command, "--force"], 4, node.fetch);
    await expectWhole(node);
    expect((await readdir(folder)).filter((name) => name.startsWith(basename(file))).sort()).toEqual(
      ["", ".state"].map((suffix) => basename(file) + suffix),
    );
  });

  test("is CSV or compressed if the name of the file says so, and is continued", async () => {
    const node = growingNode();
    for (const suffix of ["csv", "csv.gz", "ndjson.gz"]) {
      const name = `${file}.${suffix}`;
      const command = ["follow", "balances", "--from", "start", "--output", name, "--resume", ...poll];
      for (let run = 0; run < 3; run++) expect((await followRequests(command, 5, node.fetch)).code).toBe(130);
      const bytes = await readFile(name);
      const text = (suffix.endsWith("gz") ? gunzipSync(bytes) : bytes).toString();
      const { position } = JSON.parse(await read(`${name}.state`));
      const expected = node.records.balances.filter(({ timestamp }) => BigInt(timestamp) < BigInt(position));
      const isCsv = suffix.startsWith("csv");
      const [head, ...rows] = text.split(isCsv ? "\r\n" : "\n");
      if (isCsv) expect(head).toBe("timestamp,balance,partyId,assetId,marketId,accountType");
      expect(new Set([head, ...rows]).size).toBe(expected.length + (isCsv ? 2 : 1));
    }
  });

  test("is refused as JSON and as a table", async () => {
    for (const flags of [
      ["-o", "x.json"],
      ["-o", "x", "--format", "table"],
      ["--format", "json"],
    ]) {
      const { code, stderr } = await runCli(["follow", "balances", ...flags], {});
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("what follow writes has no end") });
    }
  });

  test("leaves no file if its first poll ends it", async () => {
    const fetch = async () => new Response("{}", { status: 404 });
    const result = await runCli(["follow", "balances", "--output", file], { fetch });
    expect(result.code).toBe(1);
    expect(result.stderr).not.toContain("To continue");
    await expect(read(file)).rejects.toThrow("ENOENT");
    await expect(read(`${file}.state`)).rejects.toThrow("ENOENT");
  });
});

test("follow votes continues its file exactly with --resume while votes come in", async () => {
  const node = growingNode();
  const proposal = node.records.votes[0]?.proposalId ?? "";
  const command = ["follow", "votes", "--proposal", proposal, "--from", "start", "--output", file, "--resume", ...poll];
  for (let run = 0; run < 3; run++) expect((await followRequests(command, 8, node.fetch)).code).toBe(130);
  const parties = linesIn(await read(file)).map((line) => JSON.parse(line).partyId);
  expect(new Set(parties).size).toBe(parties.length);
  const known = node.records.votes.filter(({ proposalId }) => proposalId === proposal).map(({ partyId }) => partyId);
  expect(known).toEqual(expect.arrayContaining(parties));
  const { position } = JSON.parse(await read(`${file}.state`));
  const written = node.records.votes.filter(
    ({ proposalId, timestamp }) => proposalId === proposal && BigInt(timestamp) < BigInt(position),
  );
  expect(parties).toEqual(expect.arrayContaining(written.map(({ partyId }) => partyId)));
});

test("follow signatures continues its file with the signatures that it lacks", async () => {
  const node = createFakeNode({ signatures: 9 }, { rateLimit: false });
  const id = node.records.signatures[0]?.id ?? "";
  const command = ["follow", "signatures", "--id", id, "--output", file, "--poll-interval", "5ms"];
  const expected = () =>
    node.records.signatures
      .filter((each) => each.id === id)
      .map(({ sig, kind }) => `${kind} ${sig}`)
      .sort();
  const written = async () =>
    linesIn(await read(file))
      .map((line) => JSON.parse(line))
      .map(({ sig, kind }) => `${kind} ${sig}`)
      .sort();
  expect((await followRequests(command, 3, node.fetch)).code).toBe(130);
  expect(await written()).toEqual(expected());
  node.nextBlock({ signatures: [{ id, sig: "AAAA", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" }] });
  expect((await followRequests([...command, "--resume"], 3, node.fetch)).code).toBe(130);
  expect(await written()).toEqual(expected());
});
