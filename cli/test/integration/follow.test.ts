import { toNanoseconds } from "vegaprotocol-client";
import { createFakeNetwork, createFakeNode } from "vegaprotocol-client/testing";
import { afterEach, describe, expect, test } from "vitest";
import { overDays } from "../../../test/support/over-days.js";
import { withOtherPaths } from "../../src/fake-node.js";
import { formatTime } from "../../src/times.js";
import { party } from "../support/changes.js";
import { addressWithGap, intercept } from "../support/nodes.js";
import { clock, ended, gate, interruption, readLines, runCli, runUntil } from "../support/run-cli.js";

let timer: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(timer));

/** A node that ends a block every few milliseconds. */
function growingNode(data: Parameters<typeof createFakeNode>[0] = {}) {
  const all = { votes: 20, balances: 50, signatures: 6, ...data };
  const node = createFakeNode(all, { rateLimit: false, defects: ["tied-vote-cursors"] });
  timer = setInterval(() => node.nextBlock({ balances: 3, votes: 2 }), 5);
  return node;
}

const poll = ["--poll-interval", "5ms", "--raw"];
const linesIn = (text: string) => text.split("\n").slice(0, -1);

const balanceKey = ({ timestamp, partyId, assetId, marketId, accountType }: Record<string, unknown>) =>
  [timestamp, partyId, assetId, marketId, accountType].join();

/** Runs a follower until it has written a number of lines to stdout. */
const followLines = (argv: readonly string[], count: number, fetch: (request: Request) => Promise<Response>) =>
  runUntil(({ stdout }) => linesIn(stdout).length >= count, argv, { fetch });

describe("follow balances", () => {
  test("says where records may be missing if no response shows it", async () => {
    const { fetch, position, next } = addressWithGap(0);
    const argv = ["follow", "balances", "--party", party, "--from", `${position}`, "--limit", "1", ...poll];
    const range = `from ${formatTime(position)} to ${formatTime(next)}`;
    const warning = `Warning: Records ${range} may be missing: no response showed that the node keeps them.`;
    expect(await runCli(argv, { fetch })).toMatchObject(ended(3, warning));
  });

  test("leaves out no record that nodes have had, if no response shows it any more, and says where to continue", async () => {
    const { fetch, from, position } = addressWithGap(12);
    const argv = ["follow", "balances", "--party", party, "--from", `${from}`, "--give-up-after", "3s", ...poll];
    const result = await runCli(argv, { fetch });
    const reason = `no response shows every record from ${formatTime(position)} on.`;
    expect(result).toMatchObject(ended(1, reason));
    expect(result.stderr).toContain(`To continue, repeat the command with --from ${formatTime(position)}.`);
  });

  test("begins with the current block, also if a node that is behind responds first", async () => {
    const network = createFakeNetwork({ nodes: [{ lag: 600 }, {}, {}], balances: 300 }, { rateLimit: false });
    const now = network.block.timestamp;
    const [behind = "", ...others] = network.nodes.map(({ url }) => url);
    timer = setInterval(() => network.nextBlock({ balances: 3 }), 5);
    const first = gate();
    const fetch = async (request: Request) => {
      const isBehind = request.url.startsWith(behind);
      if (!isBehind) await first.opened;
      return network.fetch(request).finally(() => isBehind && first.open());
    };
    const flags = [behind, ...others].flatMap((url) => ["--node", url]);
    const { code, stdout } = await runCli(["follow", "balances", "-n", "1", ...poll, ...flags], { fetch });
    expect([code, linesIn(stdout).length]).toEqual([0, 1]);
    expect(BigInt(JSON.parse(stdout).timestamp)).toBeGreaterThanOrEqual(now);
  });

  test("prints each balance change once, in order of time, until SIGINT ends it with 130 and the command to continue", async () => {
    const node = growingNode();
    const command = ["follow", "balances", "--from", "start", ...poll];
    const { code, stdout, stderr } = await followLines(command, 120, node.fetch);
    expect(code).toBe(130);
    const records = readLines(stdout);
    const times = records.map(({ timestamp }) => BigInt(timestamp));
    expect(times).toEqual([...times].sort((a, b) => Number(a - b)));
    const [, from = ""] =
      /^Interrupted by SIGINT\.\nTo continue, repeat the command with --from (2024-\S+Z)\.\n$/.exec(stderr) ?? [];
    const position = toNanoseconds(from);
    const before = node.records.balances.filter(({ timestamp }) => BigInt(timestamp) < position);
    expect(new Set(records.map(balanceKey))).toEqual(new Set(before.map((each) => balanceKey({ ...each }))));
    expect(records).toHaveLength(before.length);

    const later = readLines((await followLines([...command, "--from", from], 20, node.fetch)).stdout);
    expect(BigInt(later[0].timestamp)).toBeGreaterThanOrEqual(position);
    const all = [...records, ...later];
    expect(new Set(all.map(balanceKey)).size).toBe(all.length);
  });

  test("filters, prints decimals and chosen columns, and ends with 0 after --limit records", async () => {
    const node = growingNode();
    const asset = node.records.balances[0]?.assetId ?? "";
    const own = ["--asset", asset, "--decimals", `${asset}=18`, "--limit", "7"];
    const flags = ["--from", "start", "--columns", "timestamp,balance", ...own];
    const result = await runCli(["follow", "balances", "--account-type", "general", ...flags], { fetch: node.fetch });
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(linesIn(result.stdout)).toHaveLength(7);
    expect(linesIn(result.stdout)[0]).toMatch(/^\{"timestamp":"2024-\S+Z","balance":"[\d.]+"\}$/);
  });

  test("exits with 3 and the earliest time if the node no longer keeps the position", async () => {
    const balances = overDays(createFakeNode({ balances: 50 }).records.balances);
    const node = growingNode({ balances });
    const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
    const history = (times[30] ?? 0n) - 1n;
    node.configure({ history });
    const from = ["--from", String(history - 120_000_000_000n)];
    const { code, stdout, stderr } = await runCli(["follow", "balances", ...from, ...poll], { fetch: node.fetch });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    const late =
      /^Error: The balance changes of the node begin .*, after --from\. .*, or follow with --from (\S+)\.\n$/;
    const [, time = ""] = late.exec(stderr) ?? [];
    expect(toNanoseconds(time)).toBe(times.find((each) => each >= history));
  });

  test("--verbose prints each failed poll, and a chain without new blocks exits with 1 after --give-up-after", async () => {
    const { fetch } = createFakeNode({ balances: 5 }, { faults: [{ name: "status", status: 503, request: 2 }] });
    const flags = ["--verbose", "--retries", "0", "--give-up-after", "500ms", ...poll];
    const { code, stderr } = await runCli(["follow", "balances", ...flags], { fetch });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^followBalanceChanges: poll failed, repeated in \d+ ms: .*503/m);
    expect(stderr).toMatch(/^Error: Received no new block after block \d+ for [\d.]+ s\nTo continue, /m);
  });
});

test("follow votes warns of a proposal that does not exist, and waits for it", async () => {
  const { fetch } = withOtherPaths(growingNode());
  const id = "ab".repeat(32);
  const { signal, interrupt } = interruption();
  const argv = ["follow", "votes", "--proposal", id, ...poll];
  const { code, stderr } = await runCli(argv, { fetch, signal, onErrorOutput: interrupt });
  expect([code, stderr]).toEqual([130, expect.stringContaining(`Warning: There is no proposal ${id}.\n`)]);
});

test("follow signatures prints the existing signatures and new ones, as CSV if that is wanted", async () => {
  const node = createFakeNode({ signatures: 9 }, { rateLimit: false });
  const id = node.records.signatures[0]?.id ?? "";
  const { length } = node.records.signatures.filter((each) => each.id === id);
  const command = ["follow", "signatures", "--id", id, "--poll-interval", "5ms", "--format", "csv", "--columns", "sig"];
  let isNew = false;
  const { code, stdout } = await runCli([...command, "--limit", String(length + 1)], {
    fetch: node.fetch,
    onOutput: (text) => {
      if (isNew || text === "sig\r\n") return undefined;
      isNew = true;
      node.nextBlock({ signatures: [{ id, sig: "AAAA", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" }] });
    },
  });
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\r\n")).toHaveLength(length + 2);
  expect(stdout.endsWith("AAAA\r\n")).toBe(true);
});

describe("a follower whose node does not respond", () => {
  const command = ["follow", "balances", "--from", "start", "--retries", "0", ...poll];
  const refused = Object.assign(new TypeError("fetch failed"), { cause: new Error("connect ECONNREFUSED") });

  test("ends at once with 1 if it has never responded: its name or its certificate may be wrong", async () => {
    const error = /^Error: Received no response .*connect ECONNREFUSED\n$/;
    expect(await runCli(command, { fetch: () => Promise.reject(refused) })).toMatchObject(ended(1, error));
  });

  test("retries for --give-up-after, says so once, and then ends with 1", async () => {
    const node = intercept(createFakeNode({ balances: 50 }, { rateLimit: false }), (number) => {
      if (number === 4) throw refused;
      const headers = number === 3 ? {} : { "Retry-After": "1800" };
      return number >= 3 && new Response("", { status: 503, headers });
    });
    const { code, stderr } = await runCli([...command, "--give-up-after", "30m"], node);
    expect([code, ...stderr.trimEnd().split("\n")]).toEqual([
      1,
      expect.stringMatching(/status 503 .*\. Retrying for 30m\.$/),
      expect.stringMatching(/^Error: .*status 503/),
      expect.stringMatching(/^To continue, repeat the command with --from 2024-\S+Z\.$/),
    ]);
  });

  test.each([
    [[], /^Received no .*\. Retrying for 10m\.\nThe node responds again after 60m\.\n$/],
    [["--quiet"], /^$/],
  ])("says with %j when the node responds again, also if the machine was suspended", async (flags, message) => {
    const node = createFakeNode({ balances: 50 }, { rateLimit: false });
    const { fetch } = intercept(node, (number) => {
      node.nextBlock({ balances: 10 });
      if (number === 3 || number === 4) throw refused;
    });
    const now = clock(3_600_000);
    const { code, stdout, stderr } = await runCli([...command, "--limit", "90", ...flags], { fetch, now });
    expect([code, linesIn(stdout).length]).toEqual([0, 90]);
    expect(stderr).toMatch(message);
  });

  test("does not end if polls without records succeed between failures, whose waits add up to more", async () => {
    const node = createFakeNode({ balances: 50 }, { rateLimit: false });
    const argv = ["follow", "balances", "--party", party, ...poll, "--retries", "0", "--give-up-after", "2s"];
    const failing = intercept(node, (number) => {
      node.nextBlock();
      if (number > 4 && number % 2) throw refused;
    });
    const { code, stderr } = await runUntil(({ requests }) => requests === 20, argv, failing);
    expect([code, stderr]).toEqual([130, expect.stringMatching(/^Received no .*\. Retrying for 2s\.\n/)]);
  });

  test("ends with 5 if it is banned for longer than --give-up-after", async () => {
    const { fetch } = createFakeNode({ balances: 5 }, { rateLimit: { rate: 1, burst: 1, refusals: 1, ban: 600 } });
    for (let request = 0; request < 4; request++) await fetch(new Request("https://node.example/api/v2/votes"));
    const result = await runCli([...command, "--no-pacing", "--give-up-after", "2m"], { fetch });
    expect(result).toMatchObject(ended(5, /^Error: .*Wait \d+ seconds/m));
  });
});

test("a follower on a terminal prints a table, and a line with its progress that is never between the rows", async () => {
  const { fetch } = growingNode();
  const columns = ["--columns", "timestamp,balance"];
  const terminal = { terminal: 120, errorTerminal: 120, env: { NO_COLOR: "1" }, now: clock(250) };
  const argv = ["follow", "balances", "--from", "start", "--poll-interval", "5ms", ...columns];
  const { stdout, stderr } = await runUntil(({ outputs }) => outputs === 4, argv, { ...terminal, fetch });
  expect(stdout).toMatch(/^timestamp +balance\n2024-\S+ +\d+\n/);
  expect(stderr).toMatch(/\r.\[K\d+ records, \d+\/s, at 2024-02-09T\S+Z\r.\[K/);
  expect(stderr).toMatch(/\r.\[KInterrupted by SIGINT\.\n/);
});
