import { createClient } from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { withOtherPaths } from "../../src/fake-node.js";
import { formatTime } from "../../src/times.js";
import { complete, ended, readLines, runCli } from "../support/run-cli.js";

const data = { balances: 300, votes: 300, profiles: 50, signatures: 60, spamStatistics: 10 };
const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
const { fetch } = withOtherPaths(node);
const client = createClient({ baseUrl: "https://node.example", fetch });
const [{ partyId: party = "", proposalId: proposal = "" } = {}] = node.records.votes;
const [{ id = "" } = {}] = node.records.signatures;

/** The content of a page: its assets, its first record, and what it says of its range. */
async function pageOf(command: string, options = { fetch }) {
  const { code, stdout, stderr } = await runCli([...command.split(" "), "--format", "html"], options);
  const [, data = "{}"] = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(stdout) ?? [];
  const { assets, rows, about, notes } = JSON.parse(data);
  return { code, stderr, symbols: assets?.map(([, asset]: [string, object]) => asset), row: rows?.[0], about, notes };
}

test("pages have the decimals of the node, also for votes, which name no asset", async () => {
  const page = await pageOf(`votes --proposal ${proposal}`);
  expect(page).toMatchObject({ code: 0, stderr: "", symbols: [{ symbol: "VEGA", decimals: "18" }] });
  const chosen = await pageOf(`votes --proposal ${proposal} --decimals VEGA=3`);
  expect(chosen.symbols).toEqual([{ symbol: "VEGA", decimals: "3" }]);
  expect((await pageOf(`votes --proposal ${proposal} --raw`)).symbols).toEqual([]);
  const { symbols } = await pageOf("balances --limit 50");
  expect(symbols).toContainEqual({ symbol: "KSM", decimals: "12" });
});

test("pages have the range for which they are complete, and times instead of now", async () => {
  const block = { height: 100n, timestamp: BigInt(Date.now() + 3_600_000) * 1_000_000n };
  const page = await pageOf("balances --to now", withOtherPaths(createFakeNode({ balances: 10, block })));
  expect(page.about).toEqual([["to", expect.stringMatching(/^\d{19}$/)]]);
  const balances = await pageOf("balances --at now");
  expect(balances.about).toEqual([["at", String(node.block.timestamp - 1n)]]);
  for (const { notes } of [page, balances])
    expect(notes).toContainEqual(expect.stringMatching(/^The records are complete from \d{19} to \d{19}\.$/));
});

test("votes are printed with the decimals of the node if it is asked for them", async () => {
  const { stdout } = await runCli(["votes", "--proposal", proposal, "--decimals", "node", "-n", "1"], { fetch });
  expect(JSON.parse(stdout).totalGovernanceTokenBalance).toMatch(/^\d{1,9}(\.\d+)?$/);
});

describe("the command balances", () => {
  test("prints every record of a scan as NDJSON in a pipe", async () => {
    const { code, stdout, stderr } = await runCli(["balances", "--raw"], { fetch });
    expect([code, stderr]).toEqual([0, complete()]);
    expect(readLines(stdout)).toEqual(await client.scanBalanceChanges().toArray());
  });

  test("prints a table of the newest 30 records on a terminal, with short values, and says how to get all", async () => {
    const { code, stdout, stderr } = await runCli(["balances"], { fetch, terminal: 150 });
    const table = stdout.trimEnd().split("\n");
    expect([code, table.length]).toEqual([0, 31]);
    expect(table[0]).toMatch(/^.\[1mtimestamp +balance +unit +party +asset +market +type\S+$/);
    expect(table[1]).toMatch(
      /^2024-\d\d-\d\dT\d\d:\d\d:\d\dZ +[\d.]+ {2}(?:VEGA|DAI|KSM) +([0-9a-f]{4}…[0-9a-f]{4}|network) +[0-9a-f]{4}…[0-9a-f]{4} .* [a-z-]+$/,
    );
    const times = table.slice(1).map((line) => line.slice(0, 20));
    expect(times).toEqual([...times].sort().reverse());
    const newest = node.records.balances.map(({ timestamp }) => timestamp).sort();
    expect(times[0]).toBe(formatTime(newest.at(-1) ?? "").replace(/\.\d+/, ""));
    expect(stderr).toBe("The newest 30 records. For more: -n N, -o FILE, or --format ndjson|csv|json.\n");
  });

  test.each(["-n 300", "--format csv"])("prints every record on a terminal with %s", async (flags) => {
    const { code, stdout, stderr } = await runCli(["balances", ...flags.split(" ")], { fetch, terminal: 150 });
    const notes = flags === "-n 300" ? "" : complete();
    expect([code, stdout.trimEnd().split("\n").length, stderr]).toEqual([0, 301, notes]);
  });

  test("prints the newest records with --limit in every format, and otherwise exports the oldest ones first", async () => {
    const argv = ["balances", "--columns", "timestamp", "--raw"];
    const timesOf = (text: string) => [...text.matchAll(/\d{19,}/g)].map(([time]) => time);
    const print = async (...more: string[]) => timesOf((await runCli([...argv, ...more], { fetch })).stdout);
    const all = await print("--format", "csv");
    for (const format of ["table", "csv", "ndjson", "json"]) {
      const newest = await print("--format", format, "-n", "2");
      expect([newest, newest[0]]).toEqual([await print("--order", "newest-first", "-n", "2"), all.at(-1)]);
    }
    expect(await print("--order", "oldest-first", "-n", "2")).toEqual(all.slice(0, 2));
  });

  test.each([80, 0])("leaves out no column that tells rows apart on a terminal of %i columns", async (terminal) => {
    const { stdout, stderr } = await runCli(["balances"], { fetch, terminal, env: { NO_COLOR: "1" } });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^timestamp +balance +unit +party +asset +market +type\n/);
    expect(stderr).toMatch(/^The newest 30/);
    const chosen = await runCli(["balances", "-n", "1", "--columns", "partyId,assetId"], { fetch, terminal });
    expect(chosen.stdout).toMatch(/ {2}[0-9a-f]{64}\n$/);
  });

  test("prints amounts in the smallest unit on a terminal, and says so, if the node does not list assets", async () => {
    const options = { terminal: 150, env: { NO_COLOR: "1" } };
    const { stdout, stderr } = await runCli(["balances", "-n", "1"], { ...options, fetch: node.fetch });
    expect(stdout).toMatch(/^timestamp +balance +party .*\n\S+ +\d{10,} /);
    expect(stderr).toBe(
      "Amounts are in the smallest unit: the node does not list assets. Add --decimals ASSET=N, or --assets FILE.\n",
    );
    const respond = (status: number) => async (request: Request) =>
      request.url.includes("/assets") ? new Response("denied", { status }) : fetch(request);
    const denied = await runCli(["balances", "-n", "1"], { ...options, fetch: respond(403) });
    expect(denied).toEqual({ code: 0, stdout, stderr });
    const failed = ended(1, "Error: The node responded to /api/v2/assets with status 400.\n");
    expect(await runCli(["balances"], { ...options, fetch: respond(400) })).toMatchObject(failed);
    const limited = ended(5, "Error: The node responded to /api/v2/assets with status 429.\n");
    expect(await runCli(["balances", "--retries", "0"], { ...options, fetch: respond(429) })).toMatchObject(limited);
    expect(await runCli(["balances", "-n", "1", "--raw"], { ...options, fetch })).toMatchObject({ stderr: "" });
    const votes = await runCli(["votes", "--proposal", proposal, "-n", "1"], { ...options, fetch });
    expect(votes.stdout).toMatch(/ \d{1,9}(\.\d+)? /);
  });

  test("prints no control characters on a terminal that does not understand them", async () => {
    const options = { fetch, terminal: 80, errorTerminal: 80, env: { TERM: "dumb" } };
    for (const argv of [["balances"], ["balances", "--format", "csv"], ["balances", "--order", "x"], ["help"]]) {
      const { stdout, stderr } = await runCli(argv, options);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these would control the terminal.
      expect((stdout + stderr).replaceAll("\r\n", "\n")).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    }
  });

  test("says that there are no records, and nothing with --quiet", async () => {
    const argv = ["balances", "--to", "1971-01-01"];
    const note = "There are no records before 1971-01-01T00:00:00.000000000Z, or the node does not keep them.\n";
    const none = { code: 0, stdout: "", stderr: `${note}No records.\n` };
    for (const screen of [{ terminal: 80 }, {}]) expect(await runCli(argv, { fetch, ...screen })).toEqual(none);
    expect(await runCli([...argv, "--quiet"], { fetch, terminal: 80 })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("sends the filters, the range and the page size of its flags", async () => {
    node.requests.length = 0;
    const places = ["--asset", "fUSDC", "--market", "network", "--page-size", "7"];
    const types = ["--account-type", "general", "--account-type", "ACCOUNT_TYPE_BOND"];
    const range = ["--from", "2024-02-09T16:54:49.123456789Z", "--to", "2024-02-09T16:54:51Z"];
    await runCli(["balances", "--party", "network", "--party", party, ...places, ...types, ...range], { fetch });
    const requests = node.requests.map(({ url }) => new URL(url).searchParams);
    const parameters = requests.find((each) => each.get("pagination.first") === "7");
    expect(parameters?.getAll("filter.partyIds")).toEqual(["network", party]);
    expect(parameters?.getAll("filter.accountTypes")).toEqual(["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_BOND"]);
    expect(Object.fromEntries(parameters ?? [])).toMatchObject({
      "filter.assetId": "fUSDC",
      "filter.marketIds": "network",
      "dateRange.startTimestamp": "1707497689123457000",
      "dateRange.endTimestamp": `${BigInt(Date.parse("2024-02-09T16:54:51Z")) * 1_000_000n}`,
    });
  });
});

const newest = "pagination.newestFirst=true";
const oldest = "pagination.newestFirst=false";
test.each([
  [`votes --proposal ${proposal} -n 3`, `proposalId=${proposal}&pagination.first=3&${newest}`],
  [`votes --party ${party} --order oldest-first -n 3`, `partyId=${party}&pagination.first=3&${oldest}`],
  [`profiles --party ${party} --party network`, `parties=${party}&parties=network&pagination.first=5000&${oldest}`],
  [`signatures --id ${id}`, `id=${id}&pagination.first=1000&${newest}`],
])("a list sends the ids and the order of its flags: %s", async (line, search) => {
  node.requests.length = 0;
  expect(await runCli(line.split(" "), { fetch })).toMatchObject({ code: 0, stderr: "" });
  expect(node.requests.map(({ url }) => new URL(url).search)).toEqual([`?${search}`]);
});

describe("text of a node that would control a terminal", () => {
  const alias = "\u001b]0;x\u0007\u009b31mred\u202etxt\u2028\n";
  const hostile = async (request: Request) =>
    new URL(request.url).pathname.endsWith("/balance/changes")
      ? Response.json({ code: 3, message: alias, details: [] }, { status: 400 })
      : Response.json({
          profiles: {
            edges: [{ node: { partyId: "ab", alias, metadata: [{ key: alias, value: "" }] }, cursor: "c" }],
            pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: "c", endCursor: "c" },
          },
        });
  const control = /(?!\n)\p{Cc}|\p{Bidi_Control}|\u2028/u;

  test.each(["table", "csv", "json", "ndjson"])("does not reach it: --format %s", async (format) => {
    const argv = ["profiles", "--format", format];
    const options = { fetch: hostile, env: { NO_COLOR: "1" } };
    const { code, stdout } = await runCli(argv, { ...options, terminal: 80 });
    expect(code).toBe(0);
    expect(stdout.replaceAll("\r\n", "\n")).not.toMatch(control);
    expect(stdout).toContain("red");
    if (format.endsWith("json")) expect([JSON.parse(stdout)].flat()[0].alias).toBe(alias);
    const piped = (await runCli(argv, options)).stdout;
    if (format === "csv") expect(piped).toContain(alias);
    if (format.endsWith("json")) expect([JSON.parse(piped)].flat()[0].alias).toBe(alias);
  });

  test("does not reach it in errors, their causes and the lines of --verbose", async () => {
    for (const flags of [[], ["--verbose"]]) {
      const { code, stderr } = await runCli(["balances", ...flags], { fetch: hostile });
      expect(code).toBe(1);
      expect(stderr).toContain("red");
      expect(stderr).not.toMatch(control);
    }
  });
});

test("the command spam prints one JSON object in a pipe, and a row for each value on a terminal", async () => {
  const statistics = await client.getSpamStatistics({ partyId: party });
  const pipe = await runCli(["spam", "--party", party], { fetch });
  expect(pipe.stdout).toBe(`${JSON.stringify(statistics)}\n`);
  const terminal = await runCli(["spam", "--party", party], { fetch, terminal: 120, env: { NO_COLOR: "1" } });
  expect(terminal.stdout).toMatch(/^name +value\nchainId +vega-fake-0011\nstatistics\.proposals\.\w+ +\d\n/);
  expect(terminal.stdout).toMatch(/^statistics\.votes\.statistics\[0\]\.proposal +[0-9a-f]+$/m);
});
