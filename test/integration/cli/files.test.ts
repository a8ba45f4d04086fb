import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codecOf } from "../../../src/cli/files/compression.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { interruption, runCli } from "../../support/run-cli.js";

const run = promisify(execFile);
const node = createFakeNode({ balances: 400, votes: 60, profiles: 9 }, { rateLimit: false });
const { fetch } = node;
const proposal = node.records.votes[0]?.proposalId ?? "";
const refused = async () => Promise.reject(new TypeError("refused"));

let folder: string;
beforeAll(async () => {
  // The folder for temporary files is a link on macOS.
  folder = await realpath(await mkdtemp(join(tmpdir(), "files-")));
});
afterAll(() => rm(folder, { recursive: true }));
let file: (name: string) => string;
beforeEach(async (context) => {
  const own = join(folder, context.task.id);
  await mkdir(own, { recursive: true });
  file = (name) => join(own, name);
});
const read = (name: string) => readFile(name, "utf8");
const namesIn = async (name: string) => (await readdir(join(name, ".."))).sort();

/** Each command that writes a file, and the suffix of the file. */
const writers: [readonly string[], string][] = [
  [["balances"], "csv"],
  [["balances"], "json"],
  [["balances", "--cursor"], "ndjson"],
  [["votes", "--proposal", proposal], "json"],
  [["profiles"], "csv.gz"],
  [["follow", "balances", "--from", "start", "--poll-interval", "5ms"], "ndjson"],
];

describe.each(writers)("the file of %j as %s", (command, suffix) => {
  test("and its manifest stay with --force if no node responds", async () => {
    const name = file(`x.${suffix}`);
    await writeFile(name, "earlier");
    await writeFile(`${name}.manifest.json`, "its manifest");
    await writeFile(`${name}.state`, "its state");
    const flags = ["--force", "--retries", "0", "-o", name];
    const { signal, interrupt } = interruption();
    const dead = await runCli([...command, ...flags], {
      signal,
      fetch: async () => {
        // A follower waits for its node.
        setImmediate(interrupt);
        return refused();
      },
    });
    expect([1, 130]).toContain(dead.code);
    expect(await read(name)).toBe("earlier");
    expect(await read(`${name}.manifest.json`)).toBe("its manifest");
    expect(await read(`${name}.state`)).toBe("its state");
    expect(await namesIn(name)).toHaveLength(3);
  });

  test("has one writer: another one is refused, and leaves the first alone", async () => {
    const name = file(`x.${suffix}`);
    const { signal, interrupt } = interruption();
    let second: ReturnType<typeof runCli> | undefined;
    const first = await runCli([...command, "-o", name], {
      signal,
      fetch: async (request) => {
        second ??= runCli([...command, "--force", "-o", name], { fetch });
        await second;
        if (command[0] === "follow") setImmediate(interrupt);
        return fetch(request);
      },
    });
    expect([0, 130]).toContain(first.code);
    const { code, stderr } = (await second) ?? {};
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(
        `^Error: Process ${process.pid} on \\S+, started at 20\\S+Z, writes ${name}\\. Wait for it to end; if it is gone, remove ${name}\\.lock\\.\\n$`,
      ),
    );
    expect(await namesIn(name)).not.toContain(`x.${suffix}.lock`);
  });

  test("is refused if it is a folder", async () => {
    const name = file(`x.${suffix}`);
    await mkdir(name);
    const { code, stderr } = await runCli([...command, "--force", "-o", name], { fetch });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `Error: Expected --output to be a file, and ${name} is a folder.\n`,
    });
  });
});

describe("a symbolic link in --output", () => {
  test("stays a link: the file behind it is replaced", async () => {
    for (const exists of [true, false]) {
      const [link, target] = [file(`link-${exists}.json`), file(`target-${exists}.json`)];
      await symlink(`target-${exists}.json`, link);
      if (exists) {
        await writeFile(target, "earlier");
        const refused = await runCli(["profiles", "-o", link], { fetch });
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${target} exists`) });
      }
      expect(await runCli(["profiles", "--force", "-o", link], { fetch })).toMatchObject({ code: 0 });
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect(JSON.parse(await read(target))).toHaveLength(9);
      expect(JSON.parse(await read(`${target}.manifest.json`)).records).toBe(9);
    }
  });

  test("is refused by an export that --resume could continue", async () => {
    await symlink("target.csv", file("link.csv"));
    const { code, stderr } = await runCli(["balances", "--force", "-o", file("link.csv")], { fetch });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `Error: Expected --output to be a regular file, which --resume can continue, got a link to ${file("target.csv")}. Use --output ${file("target.csv")}.\n`,
    });
  });
});

describe.runIf(process.platform !== "win32")("a pipe or a device in --output", () => {
  const fifo = async () => {
    await run("mkfifo", [file("fifo")]);
    return file("fifo");
  };

  test.each([
    ["profiles", "csv"],
    ["follow balances --from start --limit 5", "ndjson"],
  ])("is written, and stays what it is: %s", async (line, format) => {
    const name = await fifo();
    const reader = run("cat", [name]);
    const { code, stderr } = await runCli([...line.split(" "), "--format", format, "-o", name], { fetch });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = (await reader).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(format === "csv" ? 10 : 5);
    expect((await lstat(name)).isFIFO()).toBe(true);
    expect(await namesIn(name)).toEqual(["fifo"]);
    expect(await runCli(["profiles", "-o", "/dev/null"], { fetch })).toMatchObject({ code: 0 });
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  test.runIf(process.platform === "linux")("reports a device that cannot be written", async () => {
    const { code, stderr } = await runCli(["profiles", "-o", "/dev/full"], { fetch });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "Error: ENOSPC: no space left on device, write\n" });
  });

  test("is refused by an export that --resume could continue, and by --resume of follow", async () => {
    const name = await fifo();
    const exported = await runCli(["balances", "--format", "csv", "-o", name], { fetch });
    expect(exported).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("got a pipe or a device. Use --output -"),
    });
    const followed = await runCli(["follow", "balances", "--resume", "-o", name], { fetch });
    expect(followed).toMatchObject({ code: 2, stderr: expect.stringContaining("and FILE must be a regular file.") });
  });
});

test("--output - is stdout", async () => {
  for (const command of [["balances"], ["profiles"], ["follow", "balances", "--from", "start", "--limit", "5"]]) {
    const { code, stdout } = await runCli([...command, "--format", "csv", "-o", "-"], { fetch });
    expect({ code, head: stdout.split("\r\n")[0] }).toEqual({ code: 0, head: expect.stringMatching(/^\w+(,\w+)+$/) });
  }
});

describe("the name of a file", () => {
  test.each(["csv", "ndjson", "jsonl", "json", "csv.gz", "ndjson.gz", "jsonl.gz", "json.gz", "CSV.GZ"])(
    "says what is inside: .%s",
    async (suffix) => {
      const name = file(`x.${suffix}`);
      expect(await runCli(["balances", "-o", name], { fetch })).toMatchObject({ code: 0 });
      const bytes = await readFile(name);
      const text = (suffix.toLowerCase().endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
      const format = suffix.toLowerCase().split(".")[0];
      const records =
        {
          csv: () => text.trimEnd().split("\r\n").length - 1,
          json: () => JSON.parse(text).length,
        }[format ?? ""] ??
        (() =>
          text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line)).length);
      expect(records()).toBe(400);
    },
  );

  test("ends with .zst for Zstandard, which newer versions of Node.js have", async () => {
    const name = file("x.csv.zst");
    const { code, stderr } = await runCli(["balances", "-o", name], { fetch });
    if (codecOf("zst") === undefined) {
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("Use the extension .gz.") });
      return;
    }
    expect(code).toBe(0);
    expect(await runCli(["verify", name], { fetch })).toMatchObject({ code: 0 });
  });

  test.each([
    [
      ["-o", "x.txt"],
      "Expected --output to end with .csv, .ndjson, .jsonl, .json, each also with .gz or .zst behind it, got x.txt.",
    ],
    [["-o", "x.csv.bz2"], "Expected --output to end with .csv"],
    [["-o", "x.tar.gz"], "Expected --output to end with .csv"],
    [["-o", "x.gz"], "Expected --output to end with .csv"],
    [
      ["-o", "x.csv", "--format", "ndjson"],
      "Expected --output to end with an extension of --format ndjson, got x.csv.",
    ],
    [
      ["-o", "x.json.gz", "--format", "csv"],
      "Expected --output to end with an extension of --format csv, got x.json.gz.",
    ],
  ])("that does not fit is refused: %j", async (flags, message) => {
    for (const command of [["balances"], ["profiles"], ["follow", "balances"]]) {
      const { code, stderr } = await runCli([...command, ...flags], { fetch: refused });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    }
  });

  test("can be any other one with --format, and one without a suffix is NDJSON", async () => {
    await runCli(["profiles", "--format", "csv", "-o", file("x.txt")], { fetch });
    expect(await read(file("x.txt"))).toMatch(/^partyId,alias,metadata,derivedKeys\r\n/);
    await runCli(["profiles", "-o", file("x")], { fetch });
    expect(
      (await read(file("x")))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toHaveLength(9);
  });
});

describe("an export to a time that the node has not reached", () => {
  const command = (name: string) => ["balances", "--to", "2024-02-09T16:55:40Z", "--catch-up", "0", "-o", name];

  test("exits with 3 and keeps what it has read, which --resume completes when the node is there", async () => {
    const growing = createFakeNode({ balances: 400 }, { rateLimit: false });
    const name = file("x.csv");
    for (let round = 0; round < 3; round++) {
      const { code, stderr } = await runCli([...command(name), "--resume"], { fetch: growing.fetch });
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringMatching(
          /^Error: The node is behind: it has reached 2024-02-09T16:\S+, and the range leads to 2024-02-09T16:55:40\S+\nTo continue: .* --resume\n$/,
        ),
      });
      expect(await namesIn(name)).toEqual(["x.csv.partial", "x.csv.partial.state"]);
      for (let block = 0; block < 10; block++) growing.nextBlock({ balances: 7 });
    }
    while (growing.block.timestamp < BigInt(Date.parse("2024-02-09T16:55:41Z")) * 1_000_000n)
      growing.nextBlock({ balances: 1 });
    expect(await runCli([...command(name), "--resume"], { fetch: growing.fetch })).toMatchObject({ code: 0 });
    const whole = file("whole.csv");
    expect(await runCli(command(whole), { fetch: growing.fetch })).toMatchObject({ code: 0 });
    expect(await read(name)).toBe(await read(whole));
    expect(await runCli(["verify", name], { fetch: growing.fetch })).toMatchObject({ code: 0 });
  });

  test("is continued later, if the next node is further behind", async () => {
    const growing = createFakeNode({ balances: 400 }, { rateLimit: false });
    const earlier = createFakeNode({ balances: 400 }, { rateLimit: false });
    for (let block = 0; block < 10; block++) growing.nextBlock({ balances: 7 });
    const name = file("x.csv");
    expect((await runCli(command(name), { fetch: growing.fetch })).code).toBe(3);
    const [partial, state] = [await read(`${name}.partial`), await read(`${name}.partial.state`)];
    const { code, stderr } = await runCli([...command(name), "--resume"], { fetch: earlier.fetch });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("The node is behind") });
    expect([await read(`${name}.partial`), await read(`${name}.partial.state`)]).toEqual([partial, state]);
  });

  test("waits for the time of --catch-up, and is complete if the node gets there", async () => {
    const growing = createFakeNode({ balances: 400 }, { rateLimit: false });
    let requests = 0;
    const name = file("x.csv");
    const { code } = await runCli(["balances", "--to", "2024-02-09T16:54:58Z", "--catch-up", "10m", "-o", name], {
      fetch: async (request) => {
        if (++requests === 3) for (let block = 0; block < 10; block++) growing.nextBlock({ balances: 3 });
        return growing.fetch(request);
      },
    });
    const end = BigInt(Date.parse("2024-02-09T16:54:58Z")) * 1_000_000n;
    const { length } = growing.records.balances.filter(({ timestamp }) => BigInt(timestamp) < end);
    expect({ code, records: JSON.parse(await read(`${name}.manifest.json`)).records }).toEqual({
      code: 0,
      records: length,
    });
    expect(length).toBeGreaterThan(400);
  });

  test("is never complete with --allow-incomplete either, so that --resume can continue it", async () => {
    const name = file("x.csv");
    for (const flag of ["--force", "--resume"]) {
      const { code } = await runCli([...command(name), "--allow-incomplete", flag], { fetch });
      expect(code).toBe(3);
      expect(await namesIn(name)).toEqual(["x.csv.partial", "x.csv.partial.state"]);
    }
  });

  test("writes nothing if the newest record comes first", async () => {
    const name = file("x.csv");
    const { code } = await runCli([...command(name), "--order", "newest-first"], { fetch });
    expect(code).toBe(3);
    expect(await readdir(join(name, ".."))).toEqual([]);
  });

  test("is not complete on stdout either", async () => {
    const { code, stdout, stderr } = await runCli(["balances", "--to", "2024-02-09T16:55:40Z", "--catch-up", "0"], {
      fetch,
    });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("The node is behind") });
    expect(stdout.trimEnd().split("\n")).toHaveLength(400);
  });
});

test("a range that begins in the future of the node is not complete", async () => {
  for (const flags of [[], ["-o", file("x.csv")]]) {
    const { code, stderr } = await runCli(["balances", "--from", "2026-01", "--catch-up", "0", ...flags], { fetch });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("The node is behind") });
  }
  expect(await readdir(file("."))).toEqual([]);
});
