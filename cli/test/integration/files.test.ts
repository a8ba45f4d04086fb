import { chmod, chown, lstat, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { createFakeNode } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { run } from "../../../test/support/run.js";
import { changes, party } from "../support/changes.js";
import { intercept, startNode } from "../support/nodes.js";
import { ended, isWindows, runCli, runUntil, useFolder } from "../support/run-cli.js";

const node = createFakeNode({ balances: 400, votes: 60, profiles: 9 }, { rateLimit: false });
const { fetch } = node;
const large = createFakeNode({ balances: 3000, profiles: 9 }, { rateLimit: false });
const proposal = node.records.votes[0]?.proposalId ?? "";

const file = useFolder();
const read = (name: string) => readFile(name, "utf8");

/** Interrupts a command after a number of requests. */
const interruptAfter = (count: number, argv: readonly string[]) =>
  runUntil(({ requests }) => requests === count, argv, { fetch });

describe.each([
  [["balances"], "x.csv"],
  [["balances"], "x.json"],
  [["votes", "--proposal", proposal], "x.json"],
  [["profiles"], "x.csv.gz"],
])("the file of %j as %s", (command, base) => {
  const exportTo = (flags: readonly string[], options: Parameters<typeof runCli>[1] = { fetch }) =>
    runCli([...command, ...flags, "-o", file(base)], options);

  test("stays with --force if no node responds, or the export is interrupted", async () => {
    await writeFile(file(base), "earlier");
    const dead = { fetch: async () => Promise.reject(new TypeError("refused")) };
    expect((await exportTo(["--force", "--retries", "0"], dead)).code).toBe(1);
    expect((await interruptAfter(1, [...command, "--force", "-o", file(base)])).code).toBe(130);
    expect(await read(file(base))).toBe("earlier");
    expect(await readdir(file("."))).toEqual([base]);
  });

  test("is not replaced without --force, also if it appears while the export runs", async () => {
    const stderr = `Error: ${file(base)} exists. Use --force to replace it, or another --output.\n`;
    const late = intercept(node, () => writeFile(file(base), "earlier"));
    expect(await exportTo([], late)).toMatchObject({ code: 2, stderr });
    expect(await exportTo([])).toMatchObject({ code: 2, stderr });
    expect(await read(file(base))).toBe("earlier");
    expect(await readdir(file("."))).toEqual([base]);
  });
});

test("--dry says what an export would take from two pages of the list, and writes nothing", async () => {
  const list = createFakeNode({ balances: 3000, votes: 1500, seed: 3 }, { rateLimit: false });
  const dry = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runCli([...argv, "-o", file("x.csv"), "--dry"], { fetch: list.fetch });
    expect([code, stderr, list.requests.splice(0).length <= 2, await readdir(file("."))]).toEqual([0, "", true, []]);
    expect(stdout).toContain(`Nothing is written to ${file("x.csv")}.`);
    return stdout.split("\n")[0];
  };
  expect(await dry("balances")).toMatch(/: 3,000 records, about 3 requests in \ds$/);
  // Some blocks have more than a thousand records.
  const full = createFakeNode({ balances: 20_000 }, { rateLimit: false });
  const { stdout } = await runCli(["balances", "-o", file("x.csv"), "--dry"], { fetch: full.fetch });
  const [, records, requests] = /about ([\d,]+) records, about (\d+) requests in/.exec(stdout) ?? [];
  expect(Math.abs(Number(records?.replace(",", "")) - 20_000)).toBeLessThan(5000);
  expect(Math.abs(Number(requests) - 20)).toBeLessThan(5);
  expect(await dry("balances", "-n", "10")).toMatch(/: 10 records, about 1 request in \ds$/);
  const { partyId = "" } = list.records.votes[0] ?? {};
  expect(await dry("votes", "--party", partyId)).toMatch(/: \d+ records, about 1 request in \ds$/);
  await writeFile(file("y.csv"), "");
  expect(await runCli(["balances", "-o", file("y.csv"), "--dry"], { fetch })).toMatchObject({ code: 2 });
});

describe("an export of balance changes that is interrupted", () => {
  const flags = ["--page-size", "30", "--concurrency", "1"];

  test.each<[extension: string, order: string, flags?: string]>([
    ["csv", "oldest-first"],
    ["csv", "newest-first", "-n 100000"],
    ["csv.gz", "newest-first"],
    ["json", "oldest-first"],
    ["html", "oldest-first"],
    ["ndjson", "newest-first"],
  ])(
    "keeps its complete blocks, and says which command writes the rest: %s, %s",
    async (extension, order, given = `--order ${order}`) => {
      const [name, whole] = [file(`x.${extension}`), file(`whole.${extension}`)];
      const argv = ["balances", "--quiet", ...given.split(" "), ...flags];
      const { code, stderr } = await interruptAfter(8, [...argv, "-o", name]);
      expect(code).toBe(130);
      const side = order === "oldest-first" ? "--from" : "--to";
      const [, partial = "", count = "", time = ""] =
        new RegExp(
          `^Interrupted by SIGINT\\.\\n(${name.replaceAll(/\W/g, "\\$&")}\\.\\w{8}\\.partial) has the (\\d+) records (?:before|from) (\\S+Z)\\. ` +
            `To export the rest, use ${side} \\3 and another --output\\.\\n$`,
        ).exec(stderr) ?? [];
      expect(Number(count)).toBeGreaterThan(50);
      expect(await readdir(file("."))).toEqual([basename(partial)]);
      const rest = file(`x-rest.${extension}`);
      expect(await runCli([...argv, "-o", name, side, time, "--output", rest], { fetch })).toMatchObject({ code: 0 });
      await runCli([...argv, "-o", whole], { fetch });
      const rows = async (path: string) => {
        const bytes = await readFile(path);
        const text = (extension.endsWith("gz") ? gunzipSync(bytes) : bytes).toString();
        const [, json = text] = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(text) ?? [];
        if (extension === "html") return JSON.parse(json).rows;
        if (extension === "json") return JSON.parse(json);
        const lines = text.trimEnd().split(/\r?\n/);
        return extension.startsWith("csv") ? lines.slice(1) : lines;
      };
      expect(await rows(partial)).toHaveLength(Number(count));
      expect([...(await rows(partial)), ...(await rows(rest))]).toEqual(await rows(whole));
    },
  );

  test("keeps nothing if no block was complete, or if the list has no order of time", async () => {
    for (const argv of [["balances"], ["votes", "--proposal", proposal]]) {
      const { code, stderr } = await interruptAfter(2, [...argv, "--page-size", "10", "-o", file("x.csv")]);
      expect([code, stderr]).toEqual([130, "Interrupted by SIGINT.\n"]);
      expect(await readdir(file("."))).toEqual([]);
    }
  });
});

test("an export removes what one that was killed has left, and once it is complete, partial files; nothing else", async () => {
  const [killed, partial] = ["x.csv.0123abcd.tmp", "x.csv.0123abcd.partial"];
  const others = ["x.csv.89abcdef.tmp", "y.csv.0123abcd.tmp", "y.csv.0123abcd.partial", "x.csv.tmp", "x.csv.partial"];
  for (const name of [killed, partial, ...others]) await writeFile(file(name), "");
  const aDayAgo = Date.now() / 1000 - 86_401;
  for (const name of [killed, "y.csv.0123abcd.tmp", "x.csv.tmp"]) await utimes(file(name), aDayAgo, aDayAgo);
  const fails = async () => new Response("", { status: 400 });
  expect(await runCli(["profiles", "-o", file("x.csv")], { fetch: fails })).toMatchObject({ code: 1 });
  expect((await readdir(file("."))).sort()).toEqual([partial, ...others].sort());
  expect(await runCli(["profiles", "-o", file("x.csv")], { fetch })).toMatchObject({ code: 0 });
  expect((await readdir(file("."))).sort()).toEqual(["x.csv", ...others].sort());
});

test("an export of a part of the records keeps partial files, which can have the others", async () => {
  const partial = "x.csv.0123abcd.partial";
  const middle = String(node.records.balances[200]?.timestamp);
  await writeFile(file(partial), "");
  for (const part of [`--from ${middle}`, `--to ${middle}`, "-n 5"]) {
    const argv = ["balances", ...part.split(" "), "--force", "-o", file("x.csv")];
    expect(await runCli(argv, { fetch })).toMatchObject({ code: 0 });
    expect((await readdir(file("."))).sort()).toEqual(["x.csv", partial]);
  }
  expect(await runCli(["balances", "--force", "-o", file("x.csv")], { fetch })).toMatchObject({ code: 0 });
  expect(await readdir(file("."))).toEqual(["x.csv"]);
});

test("two exports to one file at the same time each write a whole one, also in processes with the same id", async () => {
  const argv = ["balances", "--quiet", "--force", "--page-size", "10", "-o", file("x.csv")];
  let isDone = false;
  const slow = intercept(node, async (_, { url }) => {
    if (isDone || !url.includes("pagination.after")) return;
    isDone = true;
    expect(await runCli([...argv, "-n", "20"], { fetch })).toMatchObject({ code: 0 });
    expect((await read(file("x.csv"))).split("\r\n")).toHaveLength(22);
  });
  expect(await runCli(argv, slow)).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await runCli(["balances", "--quiet", "--format", "csv"], { fetch });
  expect(await read(file("x.csv"))).toBe(stdout);
});

test.runIf(process.platform !== "win32")("a file that is replaced keeps its permissions", async () => {
  await writeFile(file("x.csv"), "earlier");
  for (const mode of [0o600, 0o664]) {
    await chmod(file("x.csv"), mode);
    expect(await runCli(["profiles", "--force", "-o", file("x.csv")], { fetch })).toMatchObject({ code: 0 });
    expect((await stat(file("x.csv"))).mode & 0o777).toBe(mode);
  }
});

test.runIf(process.getuid?.() === 0)("a file that root replaces keeps its owner", async () => {
  await writeFile(file("x.csv"), "earlier", { mode: 0o600 });
  await chown(file("x.csv"), 1234, 5678);
  expect(await runCli(["profiles", "--force", "-o", file("x.csv")], { fetch })).toMatchObject({ code: 0 });
  expect(await stat(file("x.csv"))).toMatchObject({ uid: 1234, gid: 5678, mode: 0o100600 });
});

test("a symbolic link in --output stays a link: the file behind it is replaced, in the format of the name of the link", async () => {
  for (const exists of [true, false]) {
    const [link, target] = [file(`link-${exists}.json`), file(`target-${exists}`)];
    await symlink(`target-${exists}`, link);
    if (exists) {
      await writeFile(target, "earlier");
      const refused = await runCli(["profiles", "-o", link], { fetch });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${link} exists`) });
    }
    expect(await runCli(["profiles", "--force", "-o", link], { fetch })).toMatchObject({ code: 0 });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await read(target))).toHaveLength(9);
  }
});

describe.runIf(process.platform !== "win32")("a pipe or a device in --output", () => {
  test.each(["balances", "profiles"])("has the format of its name, and stays what it is: %s", async (name) => {
    const fifo = file("pipe.csv");
    await run("mkfifo", [fifo]);
    const reader = run("cat", [fifo]);
    const { code, stderr } = await runCli([name, "-n", "9", "-o", fifo], { fetch });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`${fifo}: 9 records.\n`) });
    expect((await reader).stdout.trimEnd().split("\r\n")).toHaveLength(10);
    expect((await lstat(fifo)).isFIFO()).toBe(true);
    expect(await readdir(file("."))).toEqual(["pipe.csv"]);
    expect(await runCli([name, "-o", "/dev/null"], { fetch })).toMatchObject({ code: 0 });
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  test.runIf(process.platform === "linux")("reports a full device, also with compressed text", async () => {
    await symlink("/dev/full", file("x.csv.gz"));
    for (const name of ["/dev/full", file("x.csv.gz")]) {
      const result = await runCli(["balances", "-o", name], { fetch: large.fetch });
      expect(result).toMatchObject(ended(1, `Error: Cannot write ${name}: the disk is full.\n`));
    }
  });
});

test("a name without an extension is NDJSON, or --format, and so is an unknown one with --format", async () => {
  await runCli(["profiles", "-o", file("x")], { fetch });
  expect(await read(file("x"))).toMatch(/^(\{.*\}\n){9}$/);
  await runCli(["profiles", "-o", file("x.txt"), "--format", "csv"], { fetch });
  expect(await read(file("x.txt"))).toMatch(/^partyId,alias,metadata,derivedKeys\r\n/);
  await runCli(["profiles", "-o", file("table.txt"), "--format", "table"], { fetch });
  expect(await read(file("table.txt"))).toMatch(/^partyId +alias +metadata +derivedKeys\n[0-9a-f]{64} /);
});

test.each([
  ["none/x.csv", "its folder does not exist."],
  // Windows has one error for both.
  ["file/x.csv", isWindows ? "its folder does not exist." : "a part of its path is a file, not a folder."],
])("an error names the file that was given as %s", async (name, reason) => {
  await writeFile(file("file"), "");
  const before = large.requests.length;
  for (const command of [["profiles"], ["balances"], ["balances", "--at", "2024-02-09", "--raw"], ["nodes"]]) {
    const stderr = `Error: Cannot write ${file(name)}: ${reason}\n`;
    expect(await runCli([...command, "-o", file(name)], { fetch: large.fetch })).toMatchObject({ code: 1, stderr });
  }
  // Nothing is read for a file that cannot be written.
  expect(large.requests).toHaveLength(before);
});

describe("an export to a time that the node has not reached", () => {
  const command = (name: string) => ["balances", "--to", "2024-02-09T16:55:40Z", "--catch-up", "0", "-o", name];

  test("exits with 3, keeps what it has read, and says how to read the rest when the node is there", async () => {
    const result = await runCli(command(file("x.csv")), { fetch });
    const reached =
      "Error: The node is behind: it has reached 2024-\\S+, and the range ends at 2024-02-09T16:55:40\\S+ Leave out --to for the newest complete block\\.\n";
    const kept =
      ".*\\.partial has the \\d+ records before (\\S+Z)\\. To export the rest, use --from \\1 and another --output\\.\n";
    expect(result).toMatchObject(ended(3, new RegExp(`^${reached}${kept}$`)));
  });

  test("says from when the range is, if the node has not reached that", async () => {
    const { fetch } = createFakeNode({ balances: 4 }, { rateLimit: false });
    const reached = /: it has reached 2024-\S+, and the range begins at 2030-01-01T00:00:00\.000000000Z\.$/m;
    expect(await runCli(["balances", "--from", "2030", "--catch-up", "0"], { fetch })).toMatchObject(ended(3, reached));
  });

  test("says so if the start of the range is not proved either", async () => {
    const [others, own] = [changes.slice(0, 100), changes.slice(100).map((each) => ({ ...each, assetId: party }))];
    const { fetch } = startNode({ balances: [...others, ...own] });
    const flags = ["--asset", party, "--from", "2024-02-08", "--to", "2024-03-01", "--catch-up", "0"];
    const unproved = /The node is behind(?:.|\n)*complete from 2024-02-11T14:00:00\.000000000Z on/;
    const result = await runCli(["balances", ...flags, "-o", file("x.csv")], { fetch });
    expect(result).toMatchObject(ended(3, unproved));
  });
});

test("an export whose end nothing shows keeps its records in a file that can be read", async () => {
  const { fetch } = createFakeNode({ balances: 400 }, { rateLimit: false, blockHeaders: false });
  const result = await runCli(["balances", "--to", "2024-02-09T16:54:45Z", "-o", file("x.json")], { fetch });
  expect(result).toMatchObject(ended(3, / has the \d+ records that were read\.\n$/));
  const [partial = ""] = await readdir(file("."));
  expect(result.stderr).toContain(`${partial} has the ${JSON.parse(await read(file(partial))).length} records`);
});

test("an export without --from names no start if the node drops records meanwhile", async () => {
  const dropping = createFakeNode({ balances: 3000, seed: 3 }, { rateLimit: false });
  const times = dropping.records.balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => (a < b ? -1 : 1));
  const { fetch } = intercept(dropping, (number) => number === 8 && dropping.configure({ history: times[2500] ?? 0n }));
  const flags = ["--page-size", "100", "--concurrency", "1", "-o", file("dropped.csv")];
  const dropped =
    /^Error: The node dropped records during the reading\. The records are complete from \S+Z on\. Run the command again\.\n/;
  expect(await runCli(["balances", ...flags], { fetch })).toMatchObject(ended(3, dropped));
});

test("an export without --to says up to when it is complete, where the next one begins", async () => {
  const growing = createFakeNode({ balances: 400 }, { rateLimit: false });
  const exportTo = async (name: string, ...flags: string[]) => {
    const { stderr } = await runCli(["balances", ...flags, "-o", file(name)], { fetch: growing.fetch });
    const [, upTo = ""] = /^The records are complete(?: from \S+Z)? up to (\S+Z)\./.exec(stderr) ?? [];
    return { upTo, lines: (await read(file(name))).split("\r\n").slice(1, -1) };
  };
  const first = await exportTo("1.csv");
  growing.nextBlock({ balances: 50 });
  const second = await exportTo("2.csv", "--from", first.upTo);
  growing.nextBlock({ balances: 50 });
  const third = await exportTo("3.csv", "--from", second.upTo);
  const all = await exportTo("all.csv");
  expect([...first.lines, ...second.lines, ...third.lines]).toEqual(all.lines);
  expect(await runCli(["balances", "--from", first.upTo], { fetch: growing.fetch })).toMatchObject({ stderr: "" });
});
