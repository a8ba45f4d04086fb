import { readdir } from "node:fs/promises";
import { createClient } from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { useFolder } from "../support/folder.js";
import { runCli } from "../support/run-cli.js";

const node = createFakeNode(
  { balances: 300, votes: 300, profiles: 50, signatures: 60, spamStatistics: 10 },
  {
    defects: nodeDefects,
    rateLimit: false,
  },
);
const { fetch } = node;
const client = createClient({ baseUrl: "https://node.example", fetch });
const [vote] = node.records.votes;
const party = vote?.partyId ?? "";
const proposal = vote?.proposalId ?? "";
const [signature] = node.records.signatures;

const path = useFolder();

/** What a command requests, with its parameters decoded. */
async function requestsOf(argv: readonly string[]) {
  node.requests.length = 0;
  const result = await runCli(argv, { fetch });
  expect(result.stderr).toBe("");
  expect(result.code).toBe(0);
  return node.requests.map(({ url }) => decodeURIComponent(new URL(url).search));
}

describe("the command balances", () => {
  test("prints every record of a scan as NDJSON in a pipe", async () => {
    const { code, stdout, stderr } = await runCli(["balances", "--raw"], { fetch });
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(await client.scanBalanceChanges().toArray());
  });

  test("prints a table of the first 30 records on a terminal, with short ids, and says how to get all", async () => {
    const { code, stdout, stderr } = await runCli(["balances"], { fetch, terminal: 150 });
    const table = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(table[0]?.startsWith("\x1b[1m")).toBe(true);
    expect(table[0]).toMatch(/^\S+timestamp +balance +partyId +assetId +marketId +accountType\S+$/);
    expect(table).toHaveLength(31);
    expect(table[1]).toMatch(/^2024-\S+Z +\d+ {2}([0-9a-f]{4}…[0-9a-f]{4}|network) +[0-9a-f]{4}…[0-9a-f]{4} /);
    expect(stderr).toBe("The first 30 records. For more: -n N, -o FILE, or --format ndjson|csv|json.\n");
    const all = ["-n", "300"];
    expect((await runCli(["balances", ...all], { fetch, terminal: 150 })).stdout.trimEnd().split("\n")).toHaveLength(
      301,
    );
    const csv = await runCli(["balances", "--format", "csv"], { fetch, terminal: 150 });
    expect({ ...csv, stdout: csv.stdout.trimEnd().split("\r\n").length }).toEqual({ code: 0, stdout: 301, stderr: "" });
  });

  test.each([80, 0])(
    "leaves out columns that a terminal of %i columns has no room for, and names them",
    async (terminal) => {
      const { stdout, stderr } = await runCli(["balances"], { fetch, terminal, env: { NO_COLOR: "1" } });
      const lines = stdout.trimEnd().split("\n");
      expect(lines).toHaveLength(31);
      expect(lines.every((line) => line.length <= 80)).toBe(true);
      expect(stderr).toMatch(
        /^The terminal is too narrow for (marketId, )?accountType: choose with --columns\.\nThe first 30 records\./,
      );
      const chosen = await runCli(["balances", "-n", "1", "--columns", "partyId,assetId"], { fetch, terminal });
      expect(chosen.stdout).toMatch(/ {2}[0-9a-f]{64}\n$/);
    },
  );

  test("prints no control characters on a terminal that does not understand them", async () => {
    const options = { fetch, terminal: 80, errorTerminal: 80, env: { TERM: "dumb" } };
    for (const argv of [["balances"], ["balances", "--format", "csv"], ["balances", "--order", "x"], ["help"]]) {
      const { stdout, stderr } = await runCli(argv, options);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these would control the terminal.
      expect((stdout + stderr).replaceAll("\r\n", "\n")).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    }
  });

  test("says on a terminal that there are no records, and nothing in a pipe or with --quiet", async () => {
    const argv = ["balances", "--to", "1971-01-01"];
    expect(await runCli(argv, { fetch, terminal: 80 })).toEqual({ code: 0, stdout: "", stderr: "No records.\n" });
    expect(await runCli(argv, { fetch })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await runCli([...argv, "--quiet"], { fetch, terminal: 80 })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("sends the filters, the range and the page size of its flags", async () => {
    const [, second] = await requestsOf([
      ...["balances", "--party", "network", "--party", party, "--asset", "ab", "--market", "cd"],
      ...["--account-type", "general", "--account-type", "ACCOUNT_TYPE_BOND", "--account-type", "new-kind", "--any"],
      ...["--from", "2024-02-09T16:54:49.123456789Z", "--to", "2024-02-10", "--page-size", "7"],
    ]).catch(() => []);
    expect(second).toBeUndefined();
    const requests = node.requests.map(({ url }) => decodeURIComponent(new URL(url).search));
    const search = requests.find((each) => each.includes("pagination.first=7"));
    for (const parameter of [
      `filter.partyIds=network&filter.partyIds=${party}`,
      "filter.assetId=ab",
      "filter.marketIds=cd",
      "filter.accountTypes=ACCOUNT_TYPE_GENERAL&filter.accountTypes=ACCOUNT_TYPE_BOND&filter.accountTypes=ACCOUNT_TYPE_NEW_KIND",
      "dateRange.startTimestamp=1707497689123455000",
      `dateRange.endTimestamp=${BigInt(Date.parse("2024-02-10")) * 1_000_000n}`,
    ]) {
      expect(search).toContain(parameter);
    }
  });

  test("ends with an error as soon as one --decimals N would print amounts of a second asset", async () => {
    for (const output of [[], ["-o", path("decimals.csv")]]) {
      const { code, stderr } = await runCli(["balances", "--decimals", "18", ...output], { fetch });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("is for records of one asset") });
      expect(stderr).not.toContain("To continue");
    }
    expect(await readdir(path("."))).toEqual([]);
  });
});

describe("the commands of the other lists", () => {
  test("send the ids and the order of their flags", async () => {
    expect(await requestsOf(["votes", "--proposal", proposal, "--limit", "3"])).toEqual([
      `?proposalId=${proposal}&pagination.first=3&pagination.newestFirst=true`,
    ]);
    expect(await requestsOf(["votes", "--party", party, "--order", "oldest-first", "--limit", "3"])).toEqual([
      `?partyId=${party}&pagination.first=3&pagination.newestFirst=false`,
    ]);
    expect(await requestsOf(["profiles", "--party", party, "--party", "network"])).toEqual([
      `?parties=${party}&parties=network&pagination.first=5000&pagination.newestFirst=false`,
    ]);
    expect(await requestsOf(["signatures", "--id", signature?.id ?? ""])).toEqual([
      `?id=${signature?.id}&pagination.first=1000&pagination.newestFirst=true`,
    ]);
  });
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

describe("the command spam", () => {
  test("prints one JSON object in a pipe, and a row for each value on a terminal", async () => {
    const statistics = await client.getSpamStatistics({ partyId: party });
    const pipe = await runCli(["spam", "--party", party], { fetch });
    expect(pipe.stdout).toBe(`${JSON.stringify(statistics)}\n`);
    const terminal = await runCli(["spam", "--party", party], { fetch, terminal: 120, env: { NO_COLOR: "1" } });
    expect(terminal.stdout).toMatch(
      /^name +value\nchainId +vega-fake-0011\nstatistics\.proposals\.countForEpoch +\d\n/,
    );
    expect(terminal.stdout).toMatch(/^statistics\.votes\.statistics\[0\]\.proposal +[0-9a-f]+$/m);
  });
});
