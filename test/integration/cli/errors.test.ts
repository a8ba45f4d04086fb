import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOfDay } from "../../../src/source/history.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { overDays } from "../../support/over-days.js";
import { runCli } from "../../support/run-cli.js";

const node = createFakeNode({ balances: 300, votes: 600, profiles: 30 }, { defects: nodeDefects, rateLimit: false });
const { fetch } = node;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "errors-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("wrong usage exits with 2 and sends nothing", () => {
  test.each([
    ["balnces", "There is no command balnces. Did you mean balances?"],
    ["frobnicate", "There is no command frobnicate. vegaprotocol-client help lists all."],
    ["--node https://x balances", "Expected a command before --node, as in: vegaprotocol-client balances --node"],
    ["balances --ordr oldest-first", "balances has no flag --ordr. Did you mean --order?"],
    ["balances -x", "balances has no flag -x. vegaprotocol-client help balances lists all."],
    ["balances --order newest", 'Expected --order to be one of oldest-first, newest-first, got "newest".'],
    ["balances --format xml", 'Expected --format to be one of table, json, ndjson, csv, got "xml".'],
    ["balances --limit 0", 'Expected --limit to be an integer of at least 1, got "0".'],
    ["balances --limit", "Expected a value of --limit, as in --limit N."],
    ["balances --limit --raw", "Expected a value of --limit, as in --limit N."],
    ["balances --raw=yes", 'Expected --raw without a value, got "yes".'],
    ["balances --decimals 1.5", 'Expected --decimals to be an integer from 0 to 255, got "1.5".'],
    ["balances --from noon", "Expected --from to be a time such as 2024, 2024-02-01, 2024-02-01T12:00:00Z"],
    ["balances --from 2024-02-30", "Expected --from to be a time"],
    ["balances --from 2024-02-02 --to 2024-02-01", "Expected --to to be no earlier than --from"],
    ["balances --account-type other/kind", "Expected --account-type to be a name such as insurance"],
    ["balances --timeout soon", 'Expected --timeout to be a duration such as 30s, 500ms or 2m, got "soon".'],
    ["balances --header secret", "Expected --header to be 'Name: value' or @FILE"],
    ["balances --columns time", "There is no column time."],
    ["balances now", "Expected no arguments apart from flags after balances, got now."],
    ["balances --node a --node b", "Expected --node to be an address"],
    ["balances --node https://a --node https://a", "Expected --node to be an address that is not listed before"],
    ["follow", "Expected balances|votes|signatures after follow, got nothing."],
    ["follow vots --from now", "Expected balances|votes|signatures after follow, got vots. Did you mean votes?"],
    ["follow --verbose votes", "Expected flags after follow balances, follow votes or follow signatures."],
    ["follow votes", "Expected --party or --proposal."],
    ["follow votes --party ab --id x", "follow votes has no flag --id."],
    ["follow balances --from later", "Expected --from to be a time such as"],
    ["follow balances --resume", "--resume needs --output FILE."],
    ["follow balances --resume --force -o x", "--resume and --force cannot be combined."],
    ["follow balances --limit 3 -o x", "--limit does not work with --output"],
    ["follow signatures --id ab --columns id -o x", "--output needs the columns sig and kind"],
    ["balances --node ftp://x", "Expected --node to be an address"],
    ["votes", "Expected --party or --proposal."],
    ["signatures", "Expected --id ID: the resource whose signatures to list"],
    ["verify", "Expected FILE after verify, got nothing."],
    ["verify missing.csv", "missing.csv.manifest.json is missing."],
    ["completion fissh", "Expected bash or zsh or fish after completion, got fissh. Did you mean fish?"],
    [
      "balances --account-type genral",
      'Expected --account-type to be a name such as insurance, got "genral". Did you mean general?',
    ],
    ["balances --account-type ACCOUNT_TYPE_GENRAL", "Did you mean general?"],
    ["balances --format jsn", "Did you mean json?"],
    ["balances --order newest", "Did you mean newest-first?"],
  ])("%s", async (line, message) => {
    node.requests.length = 0;
    const { code, stdout, stderr } = await runCli(line.split(" "), { fetch });
    expect({ code, stdout, requests: node.requests.length }).toEqual({ code: 2, stdout: "", requests: 0 });
    expect(stderr).toMatch(/^Error: /);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("without the address of a node", async () => {
    const { code, stderr } = await runCli(["balances"], { fetch, env: { VEGAPROTOCOL_NODE: undefined } });
    expect(code).toBe(2);
    expect(stderr).toContain("Expected --node URL");
  });

  test("a wrong header is not repeated in the message, because it may be a secret", async () => {
    const file = join(folder, "headers");
    await writeFile(file, "Authorization: Bearer\0secret\n");
    for (const header of ["top-secret", `@${file}`]) {
      const { code, stderr } = await runCli(["balances", "--header", header], { fetch });
      expect(code).toBe(2);
      expect(stderr).not.toContain("secret");
    }
  });
});

test("headers come from flags and from the lines of a file", async () => {
  const file = join(folder, "two-headers");
  await writeFile(file, "X-One: 1\n\nX-Two:2\r\n");
  node.requests.length = 0;
  await runCli(["profiles", "--limit", "1", "--header", `@${file}`, "--header", "X-Three: a: b"], { fetch });
  expect(node.requests[0]?.headers).toMatchObject({ "x-one": "1", "x-two": "2", "x-three": "a: b" });
});

test("an error is divided between words on a terminal, and is one line elsewhere", async () => {
  const argv = ["balances", "-o", "x.xlsx"];
  const { stderr } = await runCli(argv, { fetch, errorTerminal: 60, env: { NO_COLOR: "1" } });
  expect(
    stderr
      .trimEnd()
      .split("\n")
      .every((line) => line.length <= 60),
  ).toBe(true);
  expect(stderr.replaceAll("\n", " ").trim()).toBe((await runCli(argv, { fetch })).stderr.trim());
});

describe("a failure exits with 1, an error on one line and the cause with --verbose", () => {
  const failing = async () =>
    Promise.reject(Object.assign(new TypeError("fetch failed"), { cause: new Error("no route") }));

  test("if no node responds", async () => {
    const argv = ["profiles", "--retries", "0"];
    const { code, stderr } = await runCli(argv, { fetch: failing });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: listPartiesProfiles received no response from [^\n]+\n$/);
    const verbose = await runCli([...argv, "--verbose"], { fetch: failing });
    expect(verbose.stderr).toMatch(/attempt 1: GET https:\/\/node\.example\/api\/v2\/parties\/profiles/);
    expect(verbose.stderr).toMatch(/Cause: .*no route\n$/);
  });

  test("if the address is not that of a node", async () => {
    const { code, stderr } = await runCli(["profiles"], {
      fetch: async () => new Response("<html>\nnot here\n</html>", { status: 404 }),
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: .*status 404.*Check that --node is the address of a node\.\n$/);
  });

  test("if the file cannot be written", async () => {
    const { code, stderr } = await runCli(["profiles", "-o", join(folder, "none/x.csv")], { fetch });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: ENOENT/);
  });

  test("if stdout cannot be written", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const { code, stderr } = await runCli(["profiles"], { fetch, onOutput: () => full });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "Error: ENOSPC: no space left on device, write\n" });
  });
});

test("a closed stdout, as of head, ends the program quietly with 0 and ends the requests", async () => {
  const closed = Object.assign(new Error("EPIPE"), { code: "EPIPE" });
  node.requests.length = 0;
  const { code, stderr } = await runCli(["balances", "--page-size", "10", "--concurrency", "1"], {
    fetch: async (request) => {
      await setTimeout(1);
      return fetch(request);
    },
    onOutput: () => closed,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(node.requests.length).toBeLessThan(10);
});

test("a rate limit and a ban exit with 5", async () => {
  const limited = createFakeNode({ profiles: 5 }, { rateLimit: { rate: 1, burst: 1, refusals: 1 } });
  const argv = ["profiles", "--no-pacing", "--retries", "0"];
  const codes: number[] = [];
  for (let number = 0; number < 4; number++) codes.push((await runCli(argv, { fetch: limited.fetch })).code);
  expect(codes).toEqual([0, 5, 5, 5]);
  expect((await runCli(argv, { fetch: limited.fetch })).stderr).toMatch(/^Error: .*Wait \d+ seconds/);
});

describe("missing records exit with 3", () => {
  const balances = overDays(node.records.balances);
  const history = startOfDay(BigInt(balances[150]?.timestamp ?? 0));
  const pruned = createFakeNode({ balances, history }, { rateLimit: false });
  const from = ["--from", "2024-02-01"];

  test("and nothing is printed if the node no longer keeps the whole range", async () => {
    const { code, stdout, stderr } = await runCli(["balances", ...from], { fetch: pruned.fetch });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(
      /^Error: The balance changes of the node begin at 2024-02-0[678]T0\S+Z, and the range begins at /,
    );
    expect(stderr).toContain("--allow-incomplete");
    const file = join(folder, "pruned.csv");
    expect((await runCli(["balances", ...from, "-o", file], { fetch: pruned.fetch })).code).toBe(3);
    for (const name of [file, `${file}.partial`, `${file}.partial.state`, `${file}.lock`])
      await expect(stat(name)).rejects.toThrow("ENOENT");
  });

  test("and what the node has is printed with --allow-incomplete, which the manifest says", async () => {
    const file = join(folder, "rest.ndjson");
    const argv = ["balances", ...from, "--allow-incomplete", "-o", file];
    const { code, stderr } = await runCli(argv, { fetch: pruned.fetch });
    expect(code).toBe(3);
    expect(stderr).toMatch(/rest\.ndjson: \d+ records\.\nError: The balance changes of the node begin at/);
    const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
    const kept = balances.filter(({ timestamp }) => BigInt(timestamp) >= history);
    expect(manifest).toMatchObject({ records: kept.length, incomplete: expect.stringContaining("begin at") });
    expect((await runCli([...argv, "--resume"], { fetch: pruned.fetch })).code).toBe(3);
  });

  test("and a file without records has its manifest, if the node has nothing of the range", async () => {
    const file = join(folder, "nothing.csv");
    const argv = ["balances", ...from, "--to", "2024-02-02", "--allow-incomplete", "-o", file];
    expect((await runCli(argv, { fetch: pruned.fetch })).code).toBe(3);
    expect(await readFile(file, "utf8")).toBe("timestamp,balance,partyId,assetId,marketId,accountType\r\n");
    expect(JSON.parse(await readFile(`${file}.manifest.json`, "utf8"))).toMatchObject({ records: 0 });
    await expect(stat(`${file}.partial.state`)).rejects.toThrow("ENOENT");
  });

  test("if a v0.74 node rejects the cursor of the next page of profiles", async () => {
    const argv = ["profiles", "--page-size", "20", "--format", "csv"];
    const { code, stderr } = await runCli(argv, { fetch });
    expect(code).toBe(3);
    expect(stderr).toMatch(/no request leads to them after 20 records \(status 500/);
    const file = join(folder, "profiles.csv");
    expect((await runCli([...argv, "-o", file], { fetch })).code).toBe(3);
    await expect(stat(file)).rejects.toThrow("ENOENT");
    expect((await runCli([...argv, "-o", file, "--allow-incomplete"], { fetch })).code).toBe(3);
    expect((await stat(file)).size).toBeGreaterThan(100);
  });

  test("if a v0.74 node repeats the votes of one block", async () => {
    const proposal = node.records.votes[0]?.proposalId ?? "";
    const argv = ["votes", "--proposal", proposal, "--page-size", "50"];
    const { code, stderr } = await runCli(argv, { fetch });
    expect(code).toBe(3);
    expect(stderr).toContain("(repeated-cursor)");
  });
});
