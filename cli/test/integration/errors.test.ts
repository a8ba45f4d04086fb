import { readdir, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { ids } from "../support/changes.js";
import { ended, readLines, runCli, useFolder } from "../support/run-cli.js";

const node = createFakeNode({ balances: 300, votes: 600, profiles: 30 }, { defects: nodeDefects, rateLimit: false });
const { fetch } = node;

const path = useFolder();

test("profiles of more parties than fit in one URL are refused with how many do", async () => {
  const parties = ids(119).flatMap((id) => ["--party", id]);
  const message = "fit in one URL and needs 2 requests. Run the command for about 80 of them at a time.";
  expect(await runCli(["profiles", ...parties], { fetch })).toMatchObject(ended(2, message));
});

describe("wrong usage exits with 2 and sends nothing", () => {
  test.each([
    ["balnces", "Error: Unknown command 'balnces'. Did you mean balances? Use --help for a list.\n"],
    ["--node https://x balances", "Flags follow the command, such as vegaprotocol balances --node URL."],
    ["balances --ordr oldest-first", "Unknown flag '--ordr'. Did you mean --order?"],
    ["balances --order newest", 'one of oldest-first, newest-first, got "newest". Did you mean newest-first?'],
    ["balances --format xml", 'Expected --format to be one of table, json, ndjson, csv, html, got "xml".'],
    ["profiles --format svg", 'csv, html, got "svg".'],
    ["statement --from 2024 -o x.svg", 'a file without .svg: only series and tally draw a chart, got "x.svg".'],
    ["help balnces", "Unknown command 'balnces'. Did you mean balances?"],
    ["balances --\u001b[31m", "Unknown flag '--�[31m'. Use --help for a list."],
    ["balances --json", "Unknown flag '--json'. Did you mean --format json?"],
    ["balances --limit ../5", 'Expected --limit to be an integer of at least 1, got "../5".'],
    ["balances --asset DAI --asset VEGA", 'Expected --asset once, got it again with "VEGA".'],
    ["balances --page-size 5001", 'Expected --page-size to be an integer from 1 to 5000, got "5001".'],
    ["balances -n", "Expected --limit to be followed by a value."],
    ["balances --header @../nope", 'Cannot read ../nope: there is no such file. Pass another one, such as --header "@'],
    ["check ../nope", "Cannot read ../nope: there is no such file. Pass another one, such as check transaction.json."],
    ["balances --node ../5", 'Expected --node to be an address such as "https://node.example", got "../5".'],
    ["balances --decimals 18", 'Expected --decimals to be node, or ASSET=N with an N from 0 to 255, got "18".'],
    ["balances --from noon", "Expected --from to be a time such as 2024, 2024-02-01, 2024-02-01T12:00:00Z"],
    ["balances --from 2024-02-30", 'a time before now such as 24h or 7d, got "2024-02-30".'],
    ["balances --from 2024-02-02 --to 2024-02-01", 'no earlier than --from, got "2024-02-01" and "2024-02-02".'],
    ["balances --from 2024-02-02 --to 2024-02-02", "--to, 2024-02-02. For the whole day, use --to 2024-02-03."],
    ["audit https://a https://b --from 1707495900 --to 1707495900", "is empty: it does not include --to, 1707495900"],
    ["balances --account-type genral", 'Unknown name "genral" in --account-type. Did you mean general?'],
    ["balances --timeout 9999999m", "Expected --timeout to be "],
    ["nodes --watch 600h", 'Expected --watch to be a duration of at most 596h, got "600h".'],
    ["balances --party network --node ftp://x", "Expected --node to be "],
    ["balances --node ::1", 'Expected --node to have brackets around an IPv6 address, such as [::1]:8080, got "::1".'],
    ["balances --node https://me:x@a", 'without credentials. Use --header "Authorization: Basic BASE64".'],
    ["balances --timeout soon", 'Expected --timeout to be a duration such as 30s, 500ms or 2m, got "soon".'],
    ["balances --timeout 0s", "Expected --timeout to be a duration of more than 0, such as 30s, 500ms or 2m, got"],
    ["audit https://a", "Expected at least two nodes, such as https://a.example https://b.example."],
    ["fake-node --lag 1,2", 'Expected --lag to have one number, got "1,2".'],
    ["fake-node --nodes 2 --lag 1,2,3", 'Expected --lag to have at most 2 numbers, one for each node, got "1,2,3".'],
    ["balances --header secret", 'Expected --header to be "Name: value" or "@FILE"'],
    ["balances --columns time", "There is no column time."],
    ["balances now", 'Expected no arguments, got "now". Use vegaprotocol balances --help.'],
    ["votes network", 'got "network". Pass it with --party or --proposal.'],
    ["nodes http://a", 'got "http://a". Pass it with --node.'],
    ["check a b", 'Expected no further arguments, got "b".'],
    ["balances --account-type general,bond", 'Unknown name "general,bond" in --account-type. Repeat the flag'],
    ["balances --party aa,bb", 'got "aa,bb". Repeat the flag for several.'],
    ["balances --node https://a --node https://a", "Expected --node to be an address that is not listed before"],
    ["balances -o x.parquet", "For a folder of Parquet files: vegaprotocol sync FOLDER/"],
    ["balances -o x.xlsx", "to end with .csv, .ndjson, .jsonl, .json, .html, or one of them and .gz, got"],
    ["statement --from 2024 -o x.xlsx", "Expected --output to end with .csv"],
    ["balances --at 2024 -o x.xlsx", "Expected --output to end with .csv"],
    ["spam --party network -o x.xlsx", "Expected --output to end with .csv"],
    ["bundle --id network -o x.xlsx", "Expected --output to end with .csv"],
    ["limits --party network --command other -o x.xlsx", "Expected --output to end with .csv"],
    ["check package.json -o x.xlsx", "Expected --output to end with .csv"],
    ["sync vega.db --partial-day", "--partial-day requires a folder"],
    ["sync vega.db --schema mine", "--schema requires a PostgreSQL database, such as postgres://localhost/vega"],
    ["sync vega/ --partial-day --follow", "Error: --follow cannot be used with --partial-day."],
    ["sync vega.db --follow --check", "Error: --follow cannot be used with --check."],
    ["sync vega.db votes", "The list votes requires --proposal or --party."],
    ["sync vega.db signatures", "The list signatures requires --id."],
    ["sync vega.db --proposal network", "--proposal requires the list votes after DESTINATION."],
    ["sync vega.db votes --proposal network --id network", "--id requires the list signatures after DESTINATION."],
    ["sync vega.db profiles --party network", "--party requires the list balances or votes after DESTINATION."],
    ["sync vega.db profiles --account-type bond", "--account-type requires the list balances after DESTINATION."],
    ["sync vega.db --from-db copy.db --party network", "--from-db copies a whole database: leave out --party."],
    ["sync vega.db balances --from-db copy.db", "--from-db copies a whole database: leave out the names of lists."],
    ["sync vega/ profiles --follow", "Error: A folder follows balance changes only: its other lists are files"],
    ["sync vega.db --poll-interval 1s", "--poll-interval requires --follow."],
    ["sync vega.db orders", "Expected names of lists after DESTINATION (balances, votes, signatures, profiles), got"],
    ["sync vega.parquet", "Expected an SQLite database such as vega.db or vega.sqlite, a folder such as vega/, or"],
    ["sync s3://key:secret@bucket/vega/", 'such as postgres://localhost/vega, got "s3://key:…@bucket/vega/".'],
    ["sync postgres//me:secret@host/vega", 'got "postgres//me:…@host/vega".'],
    ["sync me:secret@host/vega", 'got "me:…@host/vega".'],
    ["sync host=h;password=secret", 'got "host=h;password=…".'],
    ["sync vega.db postgres://me:secret@host/vega", 'got "postgres://me:…@host/vega".'],
    ["serve https://me:secret@host", 'Expected no arguments, got "https://me:…@host". Pass it with --node.'],
    ["sync postgres:vega.db", "Expected an address of PostgreSQL such as postgres://user@localhost/vega, got"],
    ["sync vega.db --from 24h", 'to be a time that is the same in each run, such as 2024-02-01, got "24h".'],
    ["sync vega.db --from now", 'to be a time that is the same in each run, such as 2024-02-01, got "now".'],
    ["follow balances --from 2099", 'Expected --from to be a time in the past, such as 2024-02-01, got "2099".'],
    ["statement --from 2024 --schema mine", "--schema requires --db."],
    ["balances --schema mine", "--schema requires --db."],
    ["explore --schema mine", "--schema requires COPY."],
    ["explore --total-supply x", 'Expected --total-supply to be digits, and not negative, got "x".'],
    ["explore --total-supply -3", 'Expected --total-supply to be digits, and not negative, got "-3".'],
    ["statement --from 2024 --schema mine --db vega.db", "--schema requires a PostgreSQL database, such as postgres:"],
    ["follow vots --from now", "Unknown command 'vots'. Did you mean votes?"],
    ["follow votes", "Expected --party or --proposal."],
    [
      "follow signatures --id network --from start",
      "Error: Unknown flag '--from'. This command has no range of time.\n",
    ],
    ["follow balances --from end", "Expected --from to be start, or a time such as 2024,"],
    ["follow balances --format json", 'Expected --format to be one of table, ndjson, csv, got "json".'],
    ["signatures", "Expected --id ID, such as --id 2f166fdafb0e"],
    ["sync", "Expected DESTINATION, such as vega.db."],
    ["balances -o x.csv --format json", 'Expected --output to end with an extension of --format json, got "x.csv".'],
    ["nodes --watch 1s -o x.csv", "Error: --watch cannot be used with --output."],
    ["balances --at 2024 --from 1d", "Error: --at cannot be used with --from."],
    ["audit https://a https://b --from 2024-02-09 --to 2024-02-08", "Expected --to to be no earlier than --from"],
    ["balances --db vega.db", "--db requires --at."],
    ["audit https://a https://a", 'Expected nodes that differ, got "https://a" twice.'],
    ["tally --proposal VOTE --total-supply 1e26", "Expected --total-supply to be digits, and not negative, got"],
    ["statement", "Expected --from TIME, such as --from 2024-02-01."],
    ["series --from 2024 --every dya", 'day, week, month, got "dya". Did you mean day?'],
    ["series --from 2024 --group-by party,color", 'names of party, asset, market, account-type, got "color".\n'],
    ["check package.json --retries 1", "Unknown flag '--retries'. Use --help for a list."],
    ["series --from 2024 --group-by type", 'got "type". Did you mean account-type?'],
    ["limits --party network --command nodeAnnouncement", "Did you mean node-announcement?"],
    ["tally --proposal VOTE --required-majority 66", "Expected --required-majority to be a decimal number from 0 to 1"],
    [
      "limits --party network --command other --sent-by-block 7",
      'Expected --sent-by-block to be the height of a block and the number sent on it, such as 1234567=2, got "7".',
    ],
    ["balances --decimals node --columns time", "There is no column time. --columns takes timestamp, balance, unit,"],
    ["limits --party network --command vote", "--command vote requires --proposal."],
    [
      "limits --party network --command transfer --tokens 1000000000000000000.5",
      'Expected --tokens to be digits, and not negative, got "1000000000000000000.5"',
    ],
    ["limits --party network --command transfer --proposal network", "--proposal requires --command vote."],
    ["limits --party xx --command vote", "Expected --party to be the 64 hexadecimal digits of an id, or a name that"],
    ["sync vega.db votes --proposal NETWORK", 'such as network, got "NETWORK".'],
    ["fake-node --fault 503=200%", 'or 503=5%, got "503=200%".'],
    ["fake-node --fault slow", "Expected --fault to have latency=200ms, a status, or one of reset, html"],
    ["fake-node --fault latency=fast", 'got "latency=fast"'],
    ["fake-node --fault latency=0ms", 'got "latency=0ms"'],
    ["serve --cors evil", "Expected --cors to be an origin such as https://page.example, or *, got"],
    ["serve --cors https://page.example/", 'got "https://page.example/".'],
    ["fake-node --lag 1,x", 'Expected --lag to be an integer of at least 0, got "1,x".'],
  ])("%s", async (line, message) => {
    node.requests.length = 0;
    const { code, stdout, stderr } = await runCli(line.split(" "), { fetch });
    expect({ code, stdout, requests: node.requests.length }).toEqual({ code: 2, stdout: "", requests: 0 });
    expect(stderr).toMatch(/^Error: /);
    expect(stderr).toContain(message);
    // It names flags, and not the options of the client.
    expect(stderr).not.toContain("`");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("without the address of a node", async () => {
    const result = await runCli(["balances"], { fetch, env: { VEGA_NODE: undefined } });
    expect(result).toMatchObject(ended(2, "Expected --node URL"));
  });

  test("a wrong address in VEGA_NODE is blamed on it", async () => {
    const result = await runCli(["nodes"], { env: { VEGA_NODE: "localhost:8080;localhost:8081" } });
    const advice = "credentials. Separate addresses with spaces or commas.\n";
    expect(result).toMatchObject(ended(2, advice));
    expect(result.stderr).toMatch(/^Error: Expected VEGA_NODE to be an address /);
  });

  test("a wrong header is not repeated in the message, because it may be a secret", async () => {
    const file = path("headers");
    await writeFile(file, "Authorization: Bearer\0secret\n");
    for (const header of ["top-secret", `@${file}`]) {
      const stderr = expect.not.stringContaining("secret");
      expect(await runCli(["balances", "--header", header], { fetch })).toMatchObject({ code: 2, stderr });
    }
  });
});

test("headers come from flags and from the lines of a file", async () => {
  const file = path("two-headers");
  await writeFile(file, "X-One: 1\n\nX-Two:2\r\n");
  node.requests.length = 0;
  await runCli(["profiles", "--limit", "1", "--header", `@${file}`, "--header", "X-Three: a: b"], { fetch });
  expect(node.requests[0]?.headers).toMatchObject({ "x-one": "1", "x-two": "2", "x-three": "a: b" });
});

describe("a failure exits with 1, an error on one line and the cause with --verbose", () => {
  const failing = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("no route") }));

  test("if no node responds", async () => {
    const argv = ["profiles", "--retries", "0"];
    const stderr = expect.stringMatching(/^Error: Received no response from [^\n]+\n$/);
    expect(await runCli(argv, { fetch: failing })).toMatchObject({ code: 1, stderr });
    const verbose = await runCli([...argv, "--verbose"], { fetch: failing });
    expect(verbose.stderr).toMatch(/attempt 1 on \S+: GET https:\/\/node\.example\/api\/v2\/parties\/profiles/);
    expect(verbose.stderr).toMatch(/Cause: .*no route\n$/);
  });

  test("if the address is not that of a node", async () => {
    const fetch = async () => new Response("<html>\nnot here\n</html>", { status: 404 });
    const stderr = expect.stringMatching(/^Error: .*status 404.*Check that --node is the address of a node\.\n$/);
    expect(await runCli(["profiles"], { fetch })).toMatchObject({ code: 1, stderr });
  });

  test("if the server asks for a longer wait than a retry takes, which no flag changes", async () => {
    const fetch = async () => new Response("", { status: 503, headers: { "Retry-After": "120" } });
    const stderr = expect.stringMatching(/Not retried: the server asks for a wait of 120 s\n$/);
    expect(await runCli(["profiles"], { fetch })).toMatchObject({ code: 1, stderr });
  });

  test("if stdout cannot be written", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const stderr = "Error: Cannot write stdout: the disk is full.\n";
    expect(await runCli(["profiles"], { fetch, onOutput: () => full })).toMatchObject({ code: 1, stderr });
  });
});

test.each(["EPIPE", "EOF"])("a closed stdout, as of head, ends the program quietly with 0: %s", async (code) => {
  const closed = Object.assign(new Error(code), { code });
  node.requests.length = 0;
  const slow = (request: Request) => setTimeout(1).then(() => fetch(request));
  const argv = ["balances", "--page-size", "10", "--concurrency", "1"];
  expect(await runCli(argv, { fetch: slow, onOutput: () => closed })).toMatchObject({ code: 0, stderr: "" });
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

const parties = ids(10_500);
const profiles = parties.map((partyId) => ({ partyId, alias: "", metadata: [] }));

test("a list of which the node shows no more than the ends exits with 3, unless the limit is within an end", async () => {
  const { fetch } = createFakeNode({ profiles }, { defects: nodeDefects, rateLimit: false });
  const message = /first and the last 5000 records only.* Pass --party for some of them, or -n with at most 5000\.\n/;
  for (const flags of [[], ["-n", "5001"]]) {
    const result = await runCli(["profiles", "-o", path("profiles.csv"), ...flags], { fetch });
    expect(result).toMatchObject(ended(3, message));
    expect(await readdir(path("."))).toEqual([]);
  }
  const print = async (...flags: string[]) => {
    const { code, stdout } = await runCli(["profiles", "--format", "csv", "--columns", "partyId", ...flags], { fetch });
    return [code, ...stdout.trimEnd().split(/\s+/).slice(1)];
  };
  expect(await print("-n", "3")).toEqual([0, ...parties.slice(-3).reverse()]);
  expect(await print("-n", "5000", "--order", "oldest-first")).toEqual([0, ...parties.slice(0, 5000)]);
  expect(await runCli(["profiles"], { fetch, terminal: 200 })).toMatchObject(ended(0, "The newest"));
});

test("a list that the node shows from both ends is whole and in order", async () => {
  const all = createFakeNode({ profiles: profiles.slice(0, 7000) }, { defects: nodeDefects, rateLimit: false });
  const print = async (order: string) => {
    const { stdout } = await runCli(["profiles", "--order", order], { fetch: all.fetch });
    return readLines(stdout).map(({ partyId }) => partyId);
  };
  expect(await print("oldest-first")).toEqual(parties.slice(0, 7000));
  expect(await print("newest-first")).toEqual(parties.slice(0, 7000).reverse());
});
