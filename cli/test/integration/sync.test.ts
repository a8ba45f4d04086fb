import { execFile, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import type { Vote } from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { withOtherPaths } from "../../src/fake-node.js";
import { formatTime } from "../../src/times.js";
import { block, change, changes, first, hour, ids, party } from "../support/changes.js";
import { readMetrics } from "../support/metrics.js";
import { add, addressWithGap, intercept, listing, type Node, startNode, withPaths } from "../support/nodes.js";
import { ended, equal, interruption, runCli, runUntil, useFolder } from "../support/run-cli.js";
import { query } from "../support/sqlite.js";

const path = useFolder();

const sync = (node: Node, ...args: string[]) => runCli(["sync", path("vega.db"), ...args], node);
const ofParties = (...parties: string[]) => ["balances", ...parties.flatMap((each) => ["--party", each])];

test.each([
  [[], { VEGA_NODE: "" }, "Expected --node URL"],
  [["--header", "secret"], {}, 'Expected --header to be "Name: value"'],
  [["--from-db", "missing.db"], {}, "there is no missing.db"],
  [["--from-db", "src/"], {}, "src/ has no copy"],
])("%j with %j makes no database", async (flags, env, message) => {
  expect(await runCli(["sync", path("vega.db"), ...flags], { env })).toMatchObject(ended(2, message));
  expect(await readdir(path("."))).toEqual([]);
});

test("a proposal that the node does not know ends the run, and is not stored as one without votes", async () => {
  const node = startNode({ votes: 30 });
  const run = (id: string, ...args: string[]) => sync(withOtherPaths(node), "votes", "--proposal", id, ...args);
  const [{ proposalId: known = "" } = {}] = node.records.votes;
  const mistyped = known.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
  expect(await run(mistyped)).toMatchObject(ended(1, `There is no proposal ${mistyped}.`));
  expect(await run(mistyped, "--check")).toMatchObject({ code: 2 });
  expect(await run(known)).toMatchObject({ code: 0 });
});

test("a node that has no block yet is not stored as one without records", async () => {
  const started = createFakeNode({ balances: [], block: { height: 0n, timestamp: 0n } });
  expect(await sync(started)).toMatchObject(
    ended(3, "The node is behind: it has no block yet, or sends no block headers."),
  );
  expect(await sync(startNode())).toMatchObject({ code: 0 });
});

test("a block with more votes than fit on a page ends the run, and the votes of a party can be stored", async () => {
  const vote = startNode({ votes: 1 }).records.votes[0] as Vote;
  const votes = ids(5001).map((partyId) => ({ ...vote, partyId }));
  const node = createFakeNode({ votes, block }, { defects: ["tied-vote-cursors"], rateLimit: false });
  const list = ["votes", "--proposal", vote.proposalId];
  const message = "One block has more than 5000 votes, and the node does not list all of them.";
  expect(await sync(node, ...list)).toMatchObject(ended(3, message));
  expect(await sync(node, ...list, "--party", "0".repeat(64))).toMatchObject(ended(0, ": 1 new vote,"));
});

test.runIf(process.platform !== "win32").each([
  ["sync", "vega.db"],
  ["nodes", "--node", "https://a.example", "--node", "https://b.example"],
  ["audit", "https://a.example", "https://b.example"],
])("%s reads a pipe with headers once, however often it connects", async (command, ...rest) => {
  await promisify(execFile)("mkfifo", [path("header")]);
  // Nothing is in the pipe the second time.
  const writer = spawn("sh", ["-c", "echo 'X-Key: 1' > header; while :; do : > header; done"], { cwd: path(".") });
  const node = startNode();
  const entered = rest.map((each) => (each === "vega.db" ? path(each) : each));
  const argv = [command, ...entered, "--header", `@${path("header")}`];
  expect(await runCli(argv, { fetch: node.fetch })).toMatchObject({ code: 0 });
  writer.kill();
  expect(node.requests.filter(({ headers }) => headers["x-key"] !== "1")).toEqual([]);
});

test("--follow --metrics has how far the lists are, and what nodes were asked, in the format of Prometheus", async () => {
  const node = startNode({ votes: 30 });
  const { proposalId = "" } = node.records.votes[0] ?? {};
  const { signal, interrupt } = interruption();
  let stderr = "";
  const argv = ["sync", path("vega.db"), "balances", "votes", "--proposal", proposalId, "--poll-interval", "5ms"];
  const syncing = runCli([...argv, "--follow", "--metrics", "0"], {
    fetch: node.fetch,
    signal,
    onErrorOutput: (text) => {
      stderr += text;
    },
  });
  const read = async () => {
    const [url = ""] = /http:\S+\/metrics/.exec(stderr) ?? [];
    return readMetrics(url && (await (await fetch(url)).text()));
  };
  const sample = async (name: string, list: string) =>
    (await read())(name).find(({ labels }) => labels?.["list"] === list)?.value;
  const stored = "sync_records_total";
  await expect.poll(() => sample(stored, "balances"), { timeout: 20_000 }).toBe("200");
  await expect.poll(() => sample(stored, "votes"), { timeout: 20_000 }).toBe("10");
  add(node, change(node.block.timestamp));
  await expect.poll(() => sample(stored, "balances"), { timeout: 20_000 }).toBe("201");
  await expect.poll(() => sample("sync_lag_seconds", "balances"), { timeout: 20_000 }).toBe("0");
  const end = Number(node.block.timestamp / 1_000_000n) / 1000;
  expect(await sample("sync_position_timestamp_seconds", "balances")).toBe(`${end}`);
  expect((await read())("node_requests_total").length).toBeGreaterThan(1);
  interrupt();
  expect((await syncing).code).toBe(130);
  expect(await runCli(["sync", "vega.db", "--metrics", "0"])).toMatchObject(ended(2, "--metrics requires --follow"));
});

test("stores the records of a filter that takes several requests, although they are more than a batch", async () => {
  // The first request has most records, the second one nothing, and the last one begins later.
  const parties = [party, ...ids(200)];
  const balances = Array.from({ length: 30_100 }, (_, index) => change(first + BigInt(index) * 1_000_000n, "7", party));
  // Another party has a record before.
  balances.push(change(first - hour), change(first + hour / 360n, "7", parties.at(-1)));
  const node = startNode({ balances });
  const found = `30,101 new balance changes, complete from ${formatTime(first)}`;
  expect(await sync(node, ...ofParties(...parties))).toMatchObject(ended(0, found));
  add(node, change(node.block.timestamp, "7", party));
  expect(await sync(node, ...ofParties(...parties))).toMatchObject(ended(0, "1 new balance change,"));
});

test("says that nothing is stored if no response proves the records of a filter that takes several requests", async () => {
  // No other party shows what the node keeps, and a page is too small for all records of this one.
  const balances = Array.from({ length: 5100 }, (_, index) => change(first + BigInt(index) * 1_000_000n, "7", party));
  const node = startNode({ balances });
  const list = ofParties(party, ...ids(100));
  // A follower takes over if the scan fails.
  const failing = intercept(node, (number) => number === 2 && new Response("", { status: 503 }));
  const unproved = /^Error: No response shows from when on the balance changes are complete: /m;
  expect(await sync(node, ...list)).toMatchObject(ended(3, unproved));
  const follow = ["--follow", "--poll-interval", "5ms", "--retries", "0", "--give-up-after", "2s"];
  expect(await sync(failing, ...list, ...follow)).toMatchObject(ended(3, unproved));
});

test("a query continues, although another one has stored records before its start and not those that follow them", async () => {
  const at = (hours: number) => first + BigInt(hours) * hour;
  const node = startNode({ balances: [change(first, "1", party)], block: { height: 1n, timestamp: at(1) } });
  const run = (...flags: string[]) => sync(node, "--party", party, ...flags);
  expect(await run()).toMatchObject({ code: 0 });
  node.nextBlock({ balances: [change(at(2), "2", party)], block: { height: 2n, timestamp: at(4) } });
  const later = ["--from", `${at(3)}`];
  expect(await run(...later)).toMatchObject(ended(0, ": 0 new balance changes,"));
  add(node, change(at(4), "3", party));
  expect(await run(...later)).toMatchObject(ended(0, ": 1 new balance change,"));
  expect(await run()).toMatchObject(ended(0, ": 1 new balance change,"));
  expect(await run("--check")).toMatchObject(equal(3));
});

test("a vote keeps its last version if a node that is behind responds to another query", async () => {
  const cast = startNode({ votes: 1 }).records.votes[0] as Vote;
  const { proposalId, partyId } = cast;
  const node = startNode({ votes: [{ ...cast, value: "VALUE_YES" }] });
  node.nextBlock({ votes: [{ ...cast, value: "VALUE_NO", timestamp: `${node.block.timestamp}` }] });
  node.nextBlock();
  const run = (...flags: string[]) => sync(node, "votes", ...flags);
  expect(await run("--proposal", proposalId)).toMatchObject({ code: 0 });
  node.configure({ lag: 2 });
  expect(await run("--party", partyId)).toMatchObject({ code: 0 });
  node.configure({ lag: 0 });
  const { stdout } = await runCli(["tally", "--db", path("vega.db"), "--proposal", proposalId]);
  expect(JSON.parse(stdout)).toMatchObject({ yes: { parties: 0 }, no: { parties: 1 } });
  expect(await run("--proposal", proposalId, "--check")).toMatchObject({ code: 0 });
});

test("a list whose next page no node shows ends with advice for the command line", async () => {
  const empty = startNode({ balances: [] });
  const node = intercept(startNode(), (_, request) => request.url.includes("pagination.after") && empty.fetch(request));
  const advice =
    /^Error: The node has further records, but no request leads to them after \d+ records \(gap\)\. Run the command again/m;
  expect(await sync(node, "--page-size", "20")).toMatchObject(ended(3, advice));
});

test("--follow waits for a response that shows what follows the stored records, and then gives up", async () => {
  const { position, ...node } = addressWithGap(15);
  const flags = ["--follow", "--party", party, "--poll-interval", "5ms", "--give-up-after", "3s"];
  const gap = `no response shows every record from ${formatTime(position)} on.`;
  expect(await sync(node, ...flags)).toMatchObject(ended(1, gap));
});

test("--follow warns if the records begin after --from, also if its first request for them fails", async () => {
  const { position, next, ...address } = addressWithGap(0);
  const begins = `${formatTime(next)} on, and the range begins at ${formatTime(position)}`;
  for (const failures of [0, 1]) {
    const isFailure = (number: number) => number > 1 && number <= 1 + failures;
    const failing = intercept(address, (number) => isFailure(number) && new Response("", { status: 503 }));
    const flags = ["--from", `${position}`, "--party", party, "--follow", "--poll-interval", "5ms", "--retries", "0"];
    const argv = ["sync", path(`vega-${failures}.db`), ...flags];
    const warning = `Warning: The records are complete from ${begins}.`;
    expect(await runUntil(({ requests }) => requests > 60, argv, failing)).toMatchObject(ended(130, warning));
  }
});

test.each([
  ["its newest records", "WHERE time > (SELECT time FROM account_changes LIMIT 1 OFFSET 9)"],
  ["all records", ""],
])("a backup that was restored without %s is not continued", async (_, lost) => {
  const node = startNode();
  expect(await sync(node)).toMatchObject({ code: 0 });
  await query(path("vega.db"), [`DELETE FROM account_changes ${lost}`]);
  const incomplete = "The stored records are incomplete: the node has a balance change at 2024-02-0";
  for (let run = 0; run < 2; run++) {
    expect(await sync(node)).toMatchObject(ended(1, incomplete));
    add(node, change(node.block.timestamp));
  }
});

test.each([
  ["without records", "ee".repeat(32), [0, 0, 0]],
  ["whose records the node has dropped", "dd".repeat(32), [1, 0, 0]],
])("a copy of a filter %s is up to date until the node has a new block", async (_, id, counts) => {
  const node = startNode({ balances: [...(counts[0] ? [change(first + 2n * hour, "1", id)] : []), ...changes] });
  const flags = ["--party", id, "--from", `${first + hour}`, "--catch-up", "0s"];
  for (const [run, count] of counts.entries()) {
    expect(await sync(node, ...flags)).toMatchObject(ended(0, `: ${count} new balance change`));
    node.configure({ history: first + 9n * hour });
    if (run > 0) add(node, change(node.block.timestamp));
  }
});

test("a backup that was restored without its votes reads them again", async () => {
  const node = startNode({ votes: 60 });
  const [{ proposalId = "" } = {}] = node.records.votes;
  const list = ["votes", "--proposal", proposalId];
  expect(await sync(node, ...list)).toMatchObject({ code: 0 });
  await query(path("vega.db"), ["DELETE FROM votes_history"]);
  node.nextBlock();
  for (const flags of [[], ["--check"]]) expect(await sync(node, ...list, ...flags)).toMatchObject({ code: 0 });
});

describe("--check", () => {
  const generated = createFakeNode({ signatures: 40, votes: 60 }).records;
  const { id = "" } = generated.signatures[0] ?? {};
  const { proposalId = "" } = generated.votes[0] ?? {};
  const signatures = generated.signatures.filter((each) => each.id === id);
  const votes = generated.votes.filter((each) => each.proposalId === proposalId);
  const nodeAt = (blocks: bigint, count: number) =>
    startNode({
      signatures: signatures.slice(0, count),
      votes: votes.slice(0, count),
      block: { height: block.height + blocks, timestamp: block.timestamp + blocks * 1_000_000_000n },
    });

  test("compares votes and signatures with a later node without new records, and with none that is behind", async () => {
    const lists = ["signatures", "--id", id, "votes", "--proposal", proposalId];
    await sync(nodeAt(0n, 3), ...lists);
    expect(await sync(nodeAt(1n, 3), ...lists, "--check")).toMatchObject({ code: 0 });
    const behind = ended(3, "Error: The node is behind: it has reached 2024-02-15T17:59:59.");
    expect(await sync(nodeAt(-1n, 2), ...lists, "--check")).toMatchObject(behind);
  });

  test.each(["vega.db", "vega/"])("tells a vote that is new from one that is missing: %s", async (name) => {
    const run = (node: Node | undefined, ...flags: string[]) =>
      runCli(["sync", path(name), "votes", "--proposal", proposalId, ...flags], node);
    const before = startNode({ votes: votes.slice(1), block });
    const newer = { ...votes[0], timestamp: `${block.timestamp}` as const };
    const next = { height: block.height + 1n, timestamp: block.timestamp + 1_000_000_000n };
    const [missing, isNew] = [votes, [newer, ...votes.slice(1)]].map((all) => startNode({ votes: all, block: next }));
    expect(await run(before)).toMatchObject({ code: 0 });
    expect(await run(isNew, "--check")).toMatchObject({ code: 0 });
    expect(await run(missing, "--check")).toMatchObject(ended(1, "1 missing"));
  });

  test("refuses a node that has none of the records, which is of another network", async () => {
    await sync(startNode());
    const balances = changes.map((each) => ({ ...each, partyId: "12".repeat(32) }));
    const refused = ended(
      1,
      "the node has none of its 200 balance changes since 2024-02-07T10:00:00.000000000Z, and 200",
    );
    expect(await sync(startNode({ balances }), "--check")).toMatchObject(refused);
  });

  test("names the only record of a copy if it was changed, instead of another network", async () => {
    const node = startNode({ balances: changes.slice(0, 1) });
    expect(await sync(node)).toMatchObject({ code: 0 });
    await query(path("vega.db"), ["UPDATE accounts SET market = 'changed'"]);
    const named =
      "balance_changes 2024-02-07: 1 record, 1 in the node: 1 missing, 0 changed, 1 that the node does not have.";
    expect(await sync(node, "--check")).toMatchObject(ended(1, named));
  });

  test("names a balance that another program has changed to a text that is no amount", async () => {
    const node = startNode();
    expect(await sync(node)).toMatchObject({ code: 0 });
    const newest = "time = (SELECT max(time) FROM account_changes)";
    await query(path("vega.db"), [`UPDATE account_changes SET balance = '2.0e+25' WHERE ${newest}`]);
    expect(await sync(node, "--check")).toMatchObject(ended(1, "balance is 2.0e+25, in the node 200"));
    expect(await sync(node)).toMatchObject({ code: 0 });
  });

  test("explains that a filter without records is not stored", async () => {
    const filter = ["--party", "12".repeat(32)];
    expect(await sync(startNode(), ...filter)).toMatchObject(ended(0, "0 new balance changes."));
    const text = "Run sync without --check first: a filter is stored once it has records";
    expect(await sync(startNode(), ...filter, "--check")).toMatchObject(ended(2, text));
  });

  test.each([
    [500, 3],
    [429, 5],
  ])("of a node that fails with %i is not complete: records do not differ", async (status, code) => {
    const node = startNode();
    expect(await sync(node)).toMatchObject({ code: 0 });
    for (const first of [0, 2]) {
      const failing = intercept(node, (number) => number > first && new Response("{}", { status }));
      expect(await sync(failing, "--check", "--retries", "0")).toMatchObject({ code, stdout: "" });
    }
  });

  test("does not miss an asset that is new", async () => {
    const node = startNode();
    const asset = (id: string) => ({ id: id.repeat(32), details: { symbol: id, name: id, decimals: "18" } });
    const withAssets = (...ids: string[]) => withPaths(node, listing(...ids.map(asset)));
    expect(await sync(withAssets("aa", "bb"))).toMatchObject({ code: 0 });
    expect(await sync(withAssets("aa", "bb", "cc"), "--check")).toMatchObject({ code: 0 });
    expect(await sync(withAssets("aa"), "--check")).toMatchObject(ended(1, "assets: 2 records, 1 in the node"));
  });

  test.each(["vega.db", "vega/"])("tells a signature that may be new from one that is missing: %s", async (name) => {
    const run = (node: Node, ...flags: string[]) =>
      runCli(["sync", path(name), "signatures", "--id", id, ...flags], node);
    await run(nodeAt(0n, 2));
    const later = "Only the signatures that the node shows were compared, 2, and they are equal. The node has 1 more.";
    expect(await run(nodeAt(1n, 3), "--check")).toMatchObject(ended(3, later));
    expect(await run(nodeAt(0n, 3), "--check")).toMatchObject(ended(1, "1 missing"));
  });
});

describe("profiles", () => {
  const parties = ids(12_000);
  const profiles = parties.map((partyId) => ({ partyId, alias: "", metadata: [] }));

  test.each([
    ["up to 10,000 are all stored, from both ends of the list", 9999, nodeDefects, 0, "9,999 profiles"],
    ["more are stored as far as the node shows them", 12_000, nodeDefects, 3, `between party ${parties[4999]} and`],
    ["all are stored from a node whose cursors work", 12_000, undefined, 0, "12,000 profiles"],
  ])("%s, and the other lists", async (_, count, defects, code, message) => {
    const data = { balances: changes, block, profiles: profiles.slice(0, count) };
    const { fetch } = createFakeNode(data, { rateLimit: false, ...(defects && { defects }) });
    const result = await runCli(["sync", path("vega/"), "balances", "profiles", "--partial-day"], { fetch });
    expect(result).toMatchObject(ended(code, message));
    expect(result.stderr).toContain("200 new balance changes");
  });

  test.each([
    ["no node has shown", nodeDefects, 3],
    ["another node has shown", [], 0],
  ])("in a gap that %s are not compared, and the others are", async (_, defects, code) => {
    expect(await sync(createFakeNode({ profiles }, { rateLimit: false, defects }), "profiles")).toMatchObject({ code });
    const check = (profiles: object[]) =>
      sync(createFakeNode({ profiles }, { rateLimit: false, defects: nodeDefects }), "profiles", "--check");
    const message = "10,000, and they are equal. The node shows the first and the last 5000 records only";
    expect(await check(profiles)).toMatchObject({ ...ended(3, message), stdout: "" });
    const others = profiles.map((each, index) => (index === 11_000 ? { ...each, alias: "other" } : each));
    expect(await check(others)).toMatchObject(ended(1, 'alias is "", in the node other'));
  });
});
