import { formatUnits } from "vegaprotocol-client";
import { balanceSeries, balancesAt, signatureBundle, statement, tallyVotes } from "vegaprotocol-client/reports";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { withOtherPaths } from "../../src/fake-node.js";
import { formatTime } from "../../src/times.js";
import { account, change, changes, first, hour, ids, party } from "../support/changes.js";
import { changed, startNode, withPaths } from "../support/nodes.js";
import { hasPostgres, usePostgres } from "../support/postgres.js";
import { ended, readLines, runCli, startServing, useFolder } from "../support/run-cli.js";

const data = { balances: 3000, votes: 300, signatures: 60, spamStatistics: 10 };
const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
const { fetch } = withOtherPaths(node);
const { balances, votes, signatures } = node.records;
const assets = [...new Set(balances.map(({ assetId }) => assetId ?? ""))];
const times = balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => (a < b ? -1 : 1));
const middle = times[times.length >> 1] ?? 0n;
const last = times.at(-1) ?? 0n;
const range = ["--from", String(middle), "--to", String(last)];
const proposal = votes[0]?.proposalId ?? "";
const resource = signatures[0]?.id ?? "";
const supply = `2${"0".repeat(26)}`;

const path = useFolder();

const withNulls = (value: object) => JSON.parse(JSON.stringify(value, (_, each) => each ?? null));
/** The contract ignores the order of signatures, which a database does not keep. */
const signaturesOf = (bundle: string) => [...bundle.slice(2).matchAll(/.{130}/g)].map(String).sort();

async function run(...argv: string[]) {
  const result = await runCli(argv, { fetch });
  expect(result.stderr).toBe("");
  expect(result.code).toBe(0);
  return result.stdout;
}

test("balances --at prints the last balance of each account, and since when the node has records", async () => {
  const { code, stdout, stderr } = await runCli(["balances", "--at", String(middle), "--raw"], { fetch });
  const before = balances.filter(({ timestamp }) => BigInt(timestamp) <= middle);
  expect([code, readLines(stdout)]).toEqual([0, await balancesAt(before, middle)]);
  expect(stderr).toMatch(/^The records begin at 2024-02-09T16:\d\d:\d\d\.\d{9}Z\. .* add --complete-history\.\n$/);
});

describe("with --complete-history, while only the node that is behind keeps all", () => {
  const at = (minutes: number) => first + BigInt(minutes) * (hour / 60n);
  const bond = { ...change(at(1), "777", party), accountType: "ACCOUNT_TYPE_BOND" };
  const balances = [change(at(0), "1000", party), bond, change(at(60), "1500", party), change(at(90), "1600", party)];
  const block = { height: 1000n, timestamp: at(70) };
  const whole = () => startNode({ balances: balances.filter(({ timestamp }) => BigInt(timestamp) < at(70)), block });
  const later = () => startNode({ balances, block: { height: 2000n, timestamp: at(120) }, history: at(30) });
  const report = ["balances", "--at", formatTime(at(100)), "--party", party, "--complete-history", "--raw"];
  const truth = ["777", "1600"];

  test("a pool has all balances", async () => {
    const nodes = [whole(), later()] as const;
    const urls = ["https://a.example", "https://b.example"];
    const fetch = async (request: Request) =>
      (request.url.startsWith("https://a.") ? nodes[0] : nodes[1]).fetch(request);
    const { code, stdout } = await runCli([...report, ...urls.flatMap((url) => ["--node", url])], { fetch });
    expect([code, readLines(stdout).map(({ balance }) => balance)]).toEqual([0, truth]);
  });

  test.each([0, 1, 2, 3])("nothing is left out without an error behind one address: %i", async (turn) => {
    const nodes = [whole(), later()] as const;
    let sent = turn;
    const fetch = async (request: Request) => (sent++ % 4 > 0 ? nodes[1] : nodes[0]).fetch(request);
    const { code, stdout } = await runCli(report, { fetch });
    const printed = readLines(stdout).map(({ balance }) => balance);
    expect([code, printed]).toEqual(code === 0 ? [0, truth] : [3, expect.anything()]);
  });
});

describe("statement", () => {
  test("prints openings, changes and closings as CSV, with the decimals of each asset", async () => {
    const decimals = assets.flatMap((asset, index) => ["--decimals", `${asset}=${index * 6}`]);
    const columns = ["--columns", "entry,change,balance,partyId,assetId"];
    const stdout = await run("statement", ...range, ...decimals, ...columns, "--complete-history", "--format", "csv");
    const statements = await statement(balances, { from: middle, to: last, isComplete: true });
    const rows = statements.flatMap(({ opening = "", closing = "", lines, partyId, assetId }) => {
      const units = (amount: string) => formatUnits(amount, assets.indexOf(assetId) * 6);
      return [
        ["opening", "", units(opening), partyId, assetId],
        ...lines.map(({ change = "", balance }) => ["change", units(change), units(balance), partyId, assetId]),
        ["closing", "", units(closing), partyId, assetId],
      ];
    });
    const [head, ...printed] = stdout.trimEnd().split("\r\n");
    expect(head).toBe("entry,change,balance,partyId,assetId");
    expect(printed.map((row) => row.split(","))).toEqual(rows);
  });

  test("has all that a node shows of a market without a record, although its oldest record proves nothing of markets", async () => {
    const others = changes.slice(1).map((each, index) => ({ ...each, marketId: String(index % 20).padStart(64, "0") }));
    const { fetch } = startNode({ balances: [changes[0] as (typeof changes)[number], ...others] });
    const query = ["--market", "ab".repeat(32), "--from", formatTime(first + 100n * hour)];
    for (const command of ["balances", "statement", "series"])
      expect(await runCli([command, ...query], { fetch })).toMatchObject({ code: 0, stdout: "" });
  });

  test("with --monthly, has the total of each month in a column of its own, so that the column of changes adds up", async () => {
    const at = (time: string) => BigInt(Date.parse(time)) * 1_000_000n;
    // In Berlin, the second one is of March.
    const balances = ["2024-02-10", "2024-02-29T23:30Z", "2024-03-10"].map((time, index) =>
      change(at(time), `${(index + 1) * 100}`, party),
    );
    const { fetch } = startNode({ balances, block: { height: 9n, timestamp: at("2024-03-11") } });
    const range = ["--from", "2024-02", "--to", "2024-03-10", "--complete-history", "--time-zone", "Europe/Berlin"];
    const argv = ["statement", ...range, "--format", "csv", "--raw"];
    const linesOf = async (...more: string[]) => (await runCli([...argv, ...more], { fetch })).stdout.split("\r\n");
    const columns = "timestamp,entry,month,change,total,balance";
    expect((await linesOf("--monthly"))[0]).toContain(`${columns},`);
    expect(await linesOf("--monthly", "--columns", columns)).toEqual([
      columns,
      `${at("2024-01-31T23:00Z")},opening,,,,0`,
      `${at("2024-02-10")},change,,100,,100`,
      `${at("2024-02-29T23:00Z")},month,2024-02,,100,100`,
      `${at("2024-02-29T23:30Z")},change,,100,,200`,
      `${at("2024-03-09T23:00Z")},month,2024-03,,100,200`,
      `${at("2024-03-09T23:00Z")},closing,,,,200`,
      "",
    ]);
    expect((await linesOf())[0]).toBe("timestamp,entry,change,balance,partyId,assetId,marketId,accountType");
  });

  test("fails with 3 if the node has not reached the end of the range", async () => {
    const reached =
      "^Error: The node is behind: it has reached 2024-\\S+, and the range ends at 2025-01-01T00:00:00\\.0{9}Z\\.";
    const reports = { "Leave out --to": "statement --from 2024 --to 2025", "Use --at now": "balances --at 2025" };
    for (const [advice, line] of Object.entries(reports)) {
      const { code, stdout, stderr } = await runCli([...line.split(" "), "--catch-up", "0s"], { fetch });
      const message = new RegExp(`${reached} ${advice} for the newest complete block\\.$`, "m");
      expect([code, stdout, stderr]).toEqual([3, "", expect.stringMatching(message)]);
    }
  });

  test("fails with 3 if it begins after the newest block", async () => {
    const message = /^Error: The node is behind: it has reached 2024-\S+Z, and the report begins at 2\S+Z\.$/m;
    expect(await runCli(["statement", "--from", "now"], { fetch })).toMatchObject(ended(3, message));
  });
});

describe("a report from a time on", () => {
  const begin = formatTime(first);

  test("has accounts that are younger", async () => {
    // The party has its first record an hour after the other one.
    const argv = ["statement", "--from", formatTime(first + 1n), "--party", party, "--raw"];
    const { code, stdout, stderr } = await runCli(argv, { fetch: startNode().fetch });
    const opening = { timestamp: `${first + 1n}`, entry: "opening", change: null, balance: null };
    expect([code, readLines(stdout)[0]]).toEqual([0, { ...opening, ...account, partyId: party }]);
    const series = ["series", ...argv.slice(1), "--to", formatTime(first + hour), "--every", "minute"];
    const [row] = readLines((await runCli(series, { fetch: startNode().fetch })).stdout);
    expect(row).toMatchObject({ balance: null });
    expect(stderr).toContain(`The records begin at ${begin}. Earlier balances are unknown`);
  });

  test("fails with 3 if it is for a time that the nodes do not keep", async () => {
    const result = await runCli(["balances", "--at", "2023"], { fetch: startNode().fetch });
    const late = `The records are complete from ${begin} on, and the range begins at 2023-01-01T00:00:00.000000000Z.`;
    expect(result).toMatchObject(ended(3, late));
    expect(result.stderr).toContain(`The records begin at ${begin}.`);
  });

  test("of a copy has what the copy has", async () => {
    const { fetch } = startNode();
    await runCli(["sync", path("vega.db"), "--party", party, "--from", "2024-02-10"], { fetch });
    const report = (from: string) =>
      runCli(["statement", "--party", party, "--from", from, "--to", "2024-02-11", "--db", path("vega.db")]);
    expect(await report("2024-02-10")).toMatchObject({ code: 0 });
    const late =
      /complete from 2024-02-10T0\S+ on, .* Use --from 2024-02-10T0\S+, or a copy that keeps a longer history\.$/m;
    expect(await report("2024-02-09")).toMatchObject(ended(3, late));
  });
});

test("a report of a record that a node has sent with a wrong value fails, and blames no flag", async () => {
  const { fetch } = changed(startNode(), (text) => text.replace(/"balance":"\d+"/, '"balance":"1.5"'));
  const message = 'Error: Expected `balance` of each record to be an integer in digits, got "1.5".\n';
  expect(await runCli(["balances", "--at", "now"], { fetch })).toMatchObject(ended(1, message));
  const { url } = await startServing(["serve", "--port", "0"], fetch);
  const response = await globalThis.fetch(`${url}/reports/balances?party=${party}`);
  const body = { code: 13, message: "A node sent no valid response.", details: [] };
  expect([response.status, await response.json()]).toEqual([500, body]);
});

test("a report from a node without block headers needs an end, which the error names", async () => {
  const { fetch } = createFakeNode({ balances }, { rateLimit: false, blockHeaders: false });
  const message = (option: string) => `so the report needs an end: pass ${option} with a time other than now,`;
  const report = (...argv: string[]) => runCli(argv, { fetch });
  expect(await report("balances", "--at", "now")).toMatchObject(ended(2, message("--at")));
  expect(await report("statement", "--from", String(middle))).toMatchObject(ended(2, message("--to")));
  const { code, stdout, stderr } = await report("balances", "--at", String(middle));
  expect([code, readLines(stdout).length > 0]).toEqual([3, true]);
  expect(stderr).toContain(`nothing shows that the node has reached ${formatTime(middle)}.`);
});

test("series takes more parties than fit a URL", async () => {
  const [partyId = ""] = balances.map(({ partyId }) => partyId);
  const parties = [partyId, ...ids(200)];
  const flags = ["--from", String(times[0]), "--every", "hour", "--complete-history", "--raw"];
  const ofOne = await run("series", ...flags, "--party", partyId);
  expect(await run("series", ...flags, ...parties.flatMap((each) => ["--party", each]))).toBe(ofOne);
});

test("series adds accounts by party and asset", async () => {
  // Two hours before the first record.
  const from = (times[0] ?? 0n) - 7_200_000_000_000n;
  const before = ["--from", String(from), "--to", String(middle)];
  const flags = ["--every", "hour", "--group-by", "party", "--complete-history", "--raw"];
  const options = { from, to: middle, every: "hour", groupBy: ["partyId"], isComplete: true } as const;
  const records = balances.filter(({ timestamp }) => BigInt(timestamp) <= middle);
  expect(readLines(await run("series", ...before, ...flags))).toEqual(await balanceSeries(records, options));
});

test("a series of more than ten thousand rows is one array of JSON", async () => {
  const range = ["--from", String(last - 691_200_000_000_000n), "--to", String(last)];
  const flags = ["--every", "minute", "--group-by", "asset", "--asset", balances[0]?.assetId ?? ""];
  const printed = await run("series", ...range, ...flags, "--complete-history", "--format", "json");
  expect(JSON.parse(printed).length).toBeGreaterThan(10_000);
});

describe("tally", () => {
  /** The node with a proposal. */
  const withProposal = (proposal: object, others = {}) =>
    withPaths({ fetch }, { "/api/v2/governance": { data: { proposal, ...others } } });

  test("prints the votes and the result by the rules", async () => {
    const rules = ["--required-majority", "0.5", "--required-participation", "0.1", "--total-supply", supply];
    const own = votes.filter(({ proposalId }) => proposalId === proposal);
    const options = { requiredMajority: "0.5", requiredParticipation: "0.1", totalSupply: supply };
    const tally = await tallyVotes(own, options);
    expect(tally.passes).toBeDefined();
    const given = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, { value, from: "given" }]));
    expect(JSON.parse(await run("tally", "--proposal", proposal, ...rules))).toEqual({
      ...withNulls(tally),
      state: expect.stringMatching(/^STATE_/),
      thresholds: given,
    });
  });

  test("shows a total supply as it was entered, if more tokens voted", async () => {
    const entered = "1000000000000000000";
    const { code, stderr } = await runCli(["tally", "--proposal", proposal, "--total-supply", entered], { fetch });
    expect(code).toBe(2);
    const refused = new RegExp(`in the smallest unit, and at least \\d+, the tokens that voted, got "${entered}"`);
    expect(stderr).toMatch(refused);
  });

  test("reads the thresholds of the proposal from the node, and says which number is missing", async () => {
    const tally = ["tally", "--proposal", proposal.toUpperCase(), "--required-majority"];
    const command = [...tally, "0.1"];
    const { stdout, stderr } = await runCli(command, { fetch });
    const thresholds = {
      requiredMajority: { value: "0.1", from: "given" },
      requiredParticipation: { value: "0.00001", from: "node" },
    };
    const unknown = { passes: null, participation: null, reason: null };
    expect(JSON.parse(stdout)).toMatchObject({ thresholds, missing: ["totalSupply"], ...unknown });
    const rowsOf = async (format: string) => (await runCli([...command, "--format", format], { fetch })).stdout;
    expect(await rowsOf("csv")).toContain("\r\npasses,\r\n");
    expect(await rowsOf("table")).not.toContain("passes");
    expect(stderr).toBe("Whether it passes is unknown without --total-supply.\n");
    const known = JSON.parse(await run(...command, "--total-supply", supply));
    expect(known).toMatchObject({ passes: true, participation: expect.any(String) });
    expect(JSON.parse(await run(...tally, "0.9"))).toMatchObject({ passes: false, reason: "majority", missing: [] });
  });

  test("takes the thresholds of a market in a batch, also those of liquidity providers", async () => {
    const market = "ab".repeat(32);
    const liquidity = {
      requiredLiquidityProviderMajority: "0.7",
      requiredLiquidityProviderParticipation: "0.1",
      terms: { updateMarket: { marketId: market } },
    };
    const proposals = [{ requiredMajority: "0.1" }, { requiredMajority: "0.5", ...liquidity }];
    const batch = withProposal({ requiredMajority: "0.6" }, { proposals });
    const { stdout } = await runCli(["tally", "--proposal", proposal, "--market", market], batch);
    expect(JSON.parse(stdout).thresholds).toEqual({
      requiredMajority: { value: "0.5", from: "node" },
      liquidityMajority: { value: "0.7", from: "node" },
      liquidityParticipation: { value: "0.1", from: "node" },
    });
    const decided = ["--total-supply", supply, "--required-participation", "1"];
    const other = "Expected --market to be a market of the batch, of which votes have a share";
    const refused = await runCli(["tally", "--proposal", proposal, "--market", market, ...decided], batch);
    expect(refused).toMatchObject(ended(2, other));
  });

  test("leaves the state of a market to the tokens: its thresholds of liquidity providers are without effect", async () => {
    const governance = {
      requiredMajority: "0.5",
      requiredParticipation: "1",
      requiredLiquidityProviderMajority: "0.7",
      requiredLiquidityProviderParticipation: "0.1",
      terms: { updateMarketState: { changes: { marketId: "ab".repeat(32) } } },
    };
    const command = ["tally", "--proposal", proposal, "--total-supply", supply];
    const { stdout } = await runCli(command, withProposal(governance));
    expect(JSON.parse(stdout)).toMatchObject({ passes: false, reason: "participation", decidedBy: "tokens" });
  });

  test.each([
    [["--liquidity-majority", "0.5"], "--liquidity-majority requires --liquidity-participation"],
    [["--market", "ab".repeat(32)], "--market requires --liquidity-majority and --liquidity-participation"],
  ])("refuses %j if the proposal has no thresholds of liquidity providers", async (flags, needed) => {
    const message = `${needed}: the node has no such threshold for the proposal.`;
    expect(await runCli(["tally", "--proposal", proposal, ...flags], { fetch })).toMatchObject(ended(2, message));
  });

  test.each(["tally", "votes"])("%s tells a proposal without votes from one that does not exist", async (command) => {
    const id = "ab".repeat(32);
    const none = { code: 1, stdout: "", stderr: `Error: There is no proposal ${id}.\n` };
    expect(await runCli([command, "--proposal", id], { fetch })).toEqual(none);
    const open = withProposal({ state: "STATE_OPEN", requiredMajority: "0.6" });
    const { code, stderr } = await runCli([command, "--proposal", id], open);
    expect([code, stderr.includes("Nobody has voted on the proposal.")]).toEqual([0, command === "tally"]);
    // A node that does not have the path cannot tell.
    expect(await runCli([command, "--proposal", id], { fetch: node.fetch })).toMatchObject({ code: 0 });
  });
});

test("limits prints what is left, and has the exit code 4 if nothing is", async () => {
  const [party = ""] = Object.keys(node.records.spamStatistics);
  const vote = ["limits", "--party", party, "--command", "vote", "--proposal", proposal];
  const { left } = JSON.parse(await run(...vote));
  const { code, stdout } = await runCli([...vote, "--sent-since", left], { fetch });
  expect([code, JSON.parse(stdout)]).toMatchObject([4, { isAllowed: false, reason: "quota", left: "0" }]);
  // The statistics of a party that has not voted have no minimum.
  const flags = ["--party", "ee".repeat(32), "--command", "vote", "--proposal", proposal, "--tokens", "0"];
  const least = "the party needs at least 1 governance tokens (in the smallest unit).\n";
  expect(await runCli(["limits", ...flags], { fetch })).toMatchObject(ended(4, least));
  const order = ["limits", "--party", party, "--command", "other"];
  const { blockHeight = "" } = JSON.parse(await run(...order)).proofOfWork;
  const own = ["--sent-by-block", `${blockHeight}=1`];
  const full = await runCli([...order, ...own, ...own], { fetch });
  expect([full.code, full.stderr]).toEqual([4, expect.stringContaining("wait for the next one")]);
  const unknown = { left: null, minTokens: null, bannedUntil: null, proofOfWork: null };
  expect(JSON.parse(full.stdout)).toEqual({ isAllowed: false, reason: "proof-of-work", ...unknown });
  const namesOf = (csv: string) => csv.split("\r\n").map((row) => row.split(",")[0]);
  const { stdout: csv } = await runCli([...order, ...own, ...own, "--format", "csv"], { fetch });
  expect(namesOf(csv)).toEqual(expect.arrayContaining(["isAllowed", "reason", ...Object.keys(unknown)]));
  expect(JSON.parse(await run("limits", "--party", party, "--command", "transfer"))).toHaveProperty("isAllowed");
  expect(JSON.parse(await run("limits", "--party", party, "--command", "node-announcement"))).toHaveProperty("left");
  const page = await run("limits", "--party", party, "--command", "transfer", "--format", "html");
  expect(page).toContain(`"title":"Limits of a party","about":[["party","${party}"],["command","transfer"]]`);
});

test("limits compares a ban with the block of the node: the clock of the machine can be ahead", async () => {
  const [[party = "", statistics] = []] = Object.entries(node.records.spamStatistics);
  const bannedAt = (time: bigint) => {
    const transfers = { ...statistics?.transfers, bannedUntil: String(time) };
    const spamStatistics = { [party]: { ...statistics, transfers } };
    const { fetch } = createFakeNode({ spamStatistics, block: node.block } as never);
    return runCli(["limits", "--party", party, "--command", "transfer"], { fetch });
  };
  const { timestamp } = node.block;
  expect(await bannedAt(timestamp + 1n)).toMatchObject({ code: 4, stdout: expect.stringContaining('"banned"') });
  expect(await bannedAt(timestamp)).toMatchObject({ code: 0 });
});

test("bundle prints the signatures of a resource", async () => {
  const { bundle } = JSON.parse(await run("bundle", "--id", resource));
  const own = signatures.filter(({ id }) => id === resource);
  expect(signaturesOf(bundle)).toEqual(signaturesOf(await signatureBundle(own)));
});

const postgres = usePostgres();
const destinations = [
  ["vega.db", () => path("vega.db"), []] as const,
  ...(hasPostgres ? [["postgres://…", () => postgres()?.url ?? "", []] as const] : []),
  ["vega/", () => path("vega/"), ["--partial-day"]] as const,
];

describe("a destination of sync", () => {
  test.each(destinations)("%s gives the reports of the node, also of a narrower filter", async (_, open, flags) => {
    const db = open();
    const lists = ["balances", "votes", "signatures", "--proposal", proposal, "--id", resource];
    expect((await runCli(["sync", db, ...lists, ...flags], { fetch })).code).toBe(0);
    const before = ["--from", String(times[0]), "--to", String(middle), "--complete-history"];
    for (const command of [
      ["balances", "--at", String(middle), "--quiet"],
      ["statement", ...before],
      ["series", ...before, "--every", "hour", "--asset", assets[0] ?? ""],
    ]) {
      expect(await run(...command, "--db", db)).toBe(await run(...command));
    }
    const shares = ["--required-majority", "0.5", "--required-participation", "0.1", "--total-supply", supply];
    const tally = ["tally", "--proposal", proposal, ...shares];
    const { state, ...ofNode } = JSON.parse(await run(...tally));
    const ofCopy = JSON.parse(await run(...tally, "--db", db));
    expect([state, ofCopy]).toEqual([expect.stringMatching(/^STATE_/), { ...ofNode, state: null }]);
    // A node has what the copy lacks.
    const node = ["--node", "https://node.example"];
    expect(await run(...tally, "--db", db, ...node)).toBe(await run(...tally));
    const bundleOf = async (...flags: string[]) =>
      signaturesOf(JSON.parse(await run("bundle", "--id", resource, ...flags)).bundle);
    expect(await bundleOf("--db", db)).toEqual(await bundleOf());
  });

  test.runIf(hasPostgres)("can be another schema of PostgreSQL", async () => {
    const target = [postgres()?.url ?? "", "--schema", "other"];
    expect((await runCli(["sync", ...target, "balances"], { fetch })).code).toBe(0);
    const report = ["balances", "--at", String(middle), "--quiet"];
    expect(await run(...report, "--db", ...target)).toBe(await run(...report));
    const { url } = await startServing(["explore", ...target, "--port", "0"], fetch);
    const { stored } = await (await globalThis.fetch(`${url}/explore/source`)).json();
    expect(stored).toMatchObject([{ list: "balances" }]);
    const at = `/reports/balances?asset=${assets[0]}&at=${middle}`;
    expect((await globalThis.fetch(url + at)).status).toBe(200);
  });

  test("fails if it does not have what a report needs", async () => {
    const db = path("part/");
    await runCli(["sync", db, "--partial-day", "--asset", assets[0] ?? ""], { fetch });
    const at = ["balances", "--at", String(middle), "--db"];
    const advice = `Error: ${db} does not have these balances: run vegaprotocol sync ${db} balances with these filters.\n`;
    expect(await runCli([...at, db], { fetch })).toMatchObject(ended(2, advice));
    expect(await runCli([...at, path("none/")], { fetch })).toMatchObject({ code: 2 });
    const later = ["balances", "--at", "2030", "--asset", assets[0] ?? "", "--db", db];
    const latest =
      "up to 2030-01-01T00:00:00.000000000Z yet. Run sync again. Use --at now for the newest complete block.";
    expect(await runCli(later, { fetch })).toMatchObject(ended(3, latest));
  });
});
