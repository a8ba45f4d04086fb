import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { interruption, runCli } from "../../support/run-cli.js";

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

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lists-"));
});
afterAll(() => rm(folder, { recursive: true }));

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

  test("prints a table on a terminal, and a block for each record if the terminal is too narrow", async () => {
    const argv = ["balances", "--limit", "5", "--columns", "timestamp,balance,accountType"];
    const table = (await runCli(argv, { fetch, terminal: 100 })).stdout.trimEnd().split("\n");
    expect(table[0]?.startsWith("\x1b[1m")).toBe(true);
    expect(table[0]).toMatch(/^\S+timestamp +balance {2}accountType\S+$/);
    expect(table).toHaveLength(6);
    expect(table.slice(1).every((row) => row.length <= 100)).toBe(true);
    const blocks = (await runCli(["balances", "--limit", "5"], { fetch, terminal: 80 })).stdout.trimEnd().split("\n");
    expect(blocks).toHaveLength(35);
    expect(blocks[0]).toMatch(/^-- 1 -+$/);
    expect(blocks[3]).toMatch(/^\S+partyId {4}\S+ {2}([0-9a-f]{64}|network)$/);
  });

  test("says on a terminal that there are no records, and nothing in a pipe or with --quiet", async () => {
    const argv = ["balances", "--to", "1971-01-01"];
    expect(await runCli(argv, { fetch, terminal: 80 })).toEqual({ code: 0, stdout: "", stderr: "No records.\n" });
    expect(await runCli(argv, { fetch })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await runCli([...argv, "--quiet"], { fetch, terminal: 80 })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("has no colors if NO_COLOR is set, and colors in a pipe if FORCE_COLOR is", async () => {
    const argv = ["balances", "--limit", "1", "--format", "table"];
    const plain = await runCli(argv, { fetch, terminal: 150, env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\x1b");
    expect((await runCli(argv, { fetch })).stdout).not.toContain("\x1b");
    expect((await runCli(argv, { fetch, env: { FORCE_COLOR: "1" } })).stdout).toContain("\x1b[1m");
  });

  test("prints CSV with CRLF, and a JSON array, also of no record", async () => {
    const none = ["balances", "--to", "1971-01-01"];
    expect((await runCli([...none, "--format", "csv"], { fetch })).stdout).toBe(
      "timestamp,balance,partyId,assetId,marketId,accountType\r\n",
    );
    expect((await runCli([...none, "--format", "json"], { fetch })).stdout).toBe("[]\n");
    const { stdout } = await runCli(["balances", "--limit", "3", "--format", "json", "--raw"], { fetch });
    expect(JSON.parse(stdout)).toEqual(await client.scanBalanceChanges({}, { maxItems: 3 }).toArray());
  });

  test("sends the filters, the range and the page size of its flags", async () => {
    const [, second] = await requestsOf([
      ...["balances", "--party", "network", "--party", party, "--asset", "ab", "--market", "cd"],
      ...["--account-type", "general", "--account-type", "ACCOUNT_TYPE_BOND", "--account-type", "new-kind"],
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

  test("reads the list page by page with --cursor, with the newest record first", async () => {
    const [first] = await requestsOf(["balances", "--cursor", "--page-size", "50", "--from", "2024-02-09T16:53:30Z"]);
    expect(first).toBe("?dateRange.startTimestamp=1707497610000000000&pagination.first=50&pagination.newestFirst=true");
    const { stdout } = await runCli(["balances", "--cursor", "--raw", "--page-size", "50"], { fetch });
    const listed = await client.listBalanceChanges().toArray();
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(listed);
  });

  test("prints amounts with --decimals and the columns of --columns", async () => {
    const argv = [
      "balances",
      "--limit",
      "2",
      "--decimals",
      "18",
      "--columns",
      "balance,accountType",
      "--format",
      "csv",
    ];
    const { stdout } = await runCli(argv, { fetch });
    expect(stdout).toMatch(
      /^balance,accountType\r\n\d+(\.\d+)?,ACCOUNT_TYPE_[A-Z]+\r\n\d+(\.\d+)?,ACCOUNT_TYPE_[A-Z]+\r\n$/,
    );
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
      `?parties=${party}&parties=network&pagination.first=5000&pagination.newestFirst=true`,
    ]);
    expect(await requestsOf(["signatures", "--id", signature?.id ?? ""])).toEqual([
      `?id=${signature?.id}&pagination.first=1000&pagination.newestFirst=true`,
    ]);
  });

  test("print nested members as JSON in a cell", async () => {
    const profile = node.records.profiles.find(({ metadata }) => metadata.length > 0);
    const argv = ["profiles", "--party", profile?.partyId ?? "", "--columns", "alias,metadata", "--format", "csv"];
    const { stdout } = await runCli(argv, { fetch });
    expect(stdout).toContain(JSON.stringify(profile?.metadata).replaceAll('"', '""'));
  });

  test("write a file with a manifest and nothing else, with the suffix as the format", async () => {
    const file = join(folder, "votes.csv");
    const { code, stdout, stderr } = await runCli(["votes", "--proposal", proposal, "-o", file], { fetch });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: `${file}: 100 records.\n` });
    expect(await readFile(file, "utf8")).toMatch(/^partyId,proposalId,timestamp,value,/);
    expect(JSON.parse(await readFile(`${file}.manifest.json`, "utf8"))).toMatchObject({
      version: expect.stringMatching(/^vegaprotocol-client \d+\.\d+\.\d+/),
      operation: "listVotes",
      query: { proposalId: proposal },
      order: "newest-first",
      format: "csv",
      records: 100,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      node: "https://node.example",
      firstBlock: { height: String(node.block.height), timestamp: String(node.block.timestamp) },
    });
    for (const name of [`${file}.partial`, `${file}.state`]) await expect(stat(name)).rejects.toThrow("ENOENT");
  });

  test("write ids into the manifest in lower case", async () => {
    const output = join(folder, "upper.csv");
    const argv = ["votes", "--proposal", proposal.toUpperCase(), "--output", output];
    expect(await runCli(argv, { fetch })).toMatchObject({ code: 0 });
    const manifest: unknown = JSON.parse(await readFile(`${output}.manifest.json`, "utf8"));
    expect(manifest).toMatchObject({ query: { proposalId: proposal }, records: 100 });
  });

  test("leave no file if they are interrupted", async () => {
    const file = join(folder, "interrupted.json");
    const { signal, interrupt } = interruption("SIGTERM");
    const { code, stderr } = await runCli(["votes", "--proposal", proposal, "-o", file, "--page-size", "60"], {
      signal,
      fetch: async (request) => {
        if (request.url.includes("after")) interrupt();
        return fetch(request);
      },
    });
    expect({ code, stderr }).toEqual({ code: 143, stderr: "Interrupted by SIGTERM.\n" });
    for (const name of [file, `${file}.partial`]) await expect(stat(name)).rejects.toThrow("ENOENT");
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
