import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { interruption, runCli } from "../../support/run-cli.js";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "export-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach((context) => {
  file = join(folder, `${context.task.id}.csv`);
});

// Blocks with several changes, one of them with hundreds, and cursors that lose records.
const node = createFakeNode({ balances: 1200 }, { defects: nodeDefects, rateLimit: false });
const { fetch } = node;
const read = (name: string) => readFile(name, "utf8");
const isThere = (name: string) =>
  stat(name).then(
    () => true,
    () => false,
  );

/** Makes a complete export one that was interrupted. */
async function markInterrupted(name: string): Promise<void> {
  const state = JSON.parse(await read(`${name}.state`));
  await writeFile(`${name}.state`, JSON.stringify({ ...state, complete: false }));
}

describe("an export that is cut off at any byte", () => {
  const variants = [
    "csv",
    "ndjson",
    "csv --order newest-first",
    "ndjson --order newest-first --raw",
    "csv --decimals 18 --limit 700",
    "ndjson --columns balance,timestamp --limit 900",
  ];

  test.each(variants)("is continued with --resume to the same bytes and digest: %s", async (variant) => {
    const [format, ...flags] = variant.split(" ");
    const command = ["balances", ...flags, "--page-size", "400", "--output", `${file}.${format}`];
    const name = `${file}.${format}`;
    expect(await runCli(command, { fetch })).toMatchObject({ code: 0 });
    const [whole, manifest] = [await read(name), JSON.parse(await read(`${name}.manifest.json`))];
    const positions = fc.integer({ min: 0, max: whole.length });
    await fc.assert(
      fc.asyncProperty(positions, async (position) => {
        await truncate(name, position);
        await markInterrupted(name);
        await rm(`${name}.manifest.json`, { force: true });
        expect(await runCli([...command, "--resume"], { fetch })).toMatchObject({ code: 0 });
        expect(await read(name)).toBe(whole);
        const { records, sha256 } = JSON.parse(await read(`${name}.manifest.json`));
        expect({ records, sha256 }).toEqual({ records: manifest.records, sha256: manifest.sha256 });
        expect(JSON.parse(await read(`${name}.state`))).toMatchObject({ complete: true });
        await writeFile(name, whole);
      }),
      { numRuns: 6 },
    );
  });

  test("is continued to the same bytes if a crash of the machine left zeros, a part of a line or lines of an earlier time", async () => {
    const command = ["balances", "--output", file];
    await runCli(command, { fetch });
    const whole = await read(file);
    const start = whole.slice(0, whole.indexOf("\r\n", 50_000) + 2);
    const earlier = whole.slice(whole.indexOf("\r\n") + 2).slice(0, 20_000);
    for (const content of [start + earlier, start + earlier + whole.slice(start.length)]) {
      await writeFile(file, content);
      await markInterrupted(file);
      expect(await runCli([...command, "--resume"], { fetch })).toMatchObject({ code: 0 });
      expect(await read(file)).toBe(whole);
    }
    for (const rest of ["\0\0\0\0\n\0\0", ',"\n', 'a,"b\r\nc\r\n', "2024-02-09T16:54:49Z,1\r\n"]) {
      await writeFile(file, whole.slice(0, 50_000) + rest + whole.slice(50_500, 90_000));
      await markInterrupted(file);
      expect(await runCli([...command, "--resume"], { fetch })).toMatchObject({ code: 0 });
      expect(await read(file)).toBe(whole);
    }
  });

  test("has the same digest as a CSV file and as an NDJSON file, whatever the format of times and amounts is", async () => {
    const digests = new Set<string>();
    for (const flags of [["csv"], ["ndjson"], ["csv", "--raw"], ["ndjson", "--decimals", "5"]]) {
      const [format, ...others] = flags;
      const name = `${file}-${flags.join("")}.${format}`;
      await runCli(["balances", ...others, "--output", name], { fetch });
      digests.add(JSON.parse(await read(`${name}.manifest.json`)).sha256);
    }
    expect(digests.size).toBe(1);
  });
});

describe("an interrupted export", () => {
  test("keeps its end, so that blocks that end meanwhile do not belong to it", async () => {
    const growing = createFakeNode({ balances: 500 }, { rateLimit: false });
    await runCli(["balances", "--output", file], { fetch: growing.fetch });
    const whole = await read(file);
    await truncate(file, 5000);
    await markInterrupted(file);
    growing.nextBlock({ balances: 50 });
    await runCli(["balances", "--output", file, "--resume"], { fetch: growing.fetch });
    expect(await read(file)).toBe(whole);
  });

  test("prints the command to continue with, and continues to the bytes of an uninterrupted one", async () => {
    const { signal, interrupt } = interruption();
    let requests = 0;
    const command = ["balances", "--page-size", "100", "--header", "Authorization: secret", "--output", file];
    const first = await runCli(command, {
      signal,
      fetch: async (request) => {
        if (++requests === 12) interrupt();
        return fetch(request);
      },
    });
    expect(first.code).toBe(130);
    expect(first.stderr).toBe(
      `Interrupted by SIGINT.\nTo continue: vegaprotocol-client balances --page-size 100 --header … --output ${file} --resume\n`,
    );
    expect(JSON.parse(await read(`${file}.state`))).toMatchObject({ complete: false });
    expect(await isThere(`${file}.manifest.json`)).toBe(false);
    expect((await stat(file)).size).toBeGreaterThan(1000);

    expect(await runCli([...command, "--resume"], { fetch })).toMatchObject({ code: 0 });
    const whole = await runCli(["balances", "--format", "csv"], { fetch });
    expect(await read(file)).toBe(whole.stdout);
  });

  test("by cut connections and error responses is continued to the same bytes, however often that happens", async () => {
    const whole = await runCli(["balances", "--format", "csv"], { fetch });
    const command = ["balances", "--page-size", "100", "--retries", "0", "--output", file, "--resume"];
    let requests = 0;
    let runs = 0;
    for (let code = 1; code !== 0; runs++) {
      const result = await runCli(command, {
        fetch: async (request) => {
          if (++requests % 7 === 0) throw new TypeError("terminated");
          if (requests % 11 === 0) return new Response("<html>", { status: 502 });
          return fetch(request);
        },
      });
      code = result.code;
      expect([0, 1]).toContain(code);
    }
    expect(runs).toBeGreaterThan(3);
    expect(await read(file)).toBe(whole.stdout);
  });

  test("is continued from another node", async () => {
    const command = ["balances", "--output", file];
    await runCli(command, { fetch });
    const whole = await read(file);
    await truncate(file, 50_000);
    await markInterrupted(file);
    const other = ["--resume", "--node", "https://other.example"];
    expect(await runCli([...command, ...other], { fetch })).toMatchObject({ code: 0 });
    expect(await read(file)).toBe(whole);
  });

  test("that has written no record leaves no file", async () => {
    const refused = await runCli(["balances", "--retries", "0", "--output", file], {
      fetch: async (request) => {
        if (request.url.includes("newestFirst=false")) throw new TypeError("refused");
        return fetch(request);
      },
    });
    expect(refused.code).toBe(1);
    expect([await isThere(file), await isThere(`${file}.state`)]).toEqual([false, false]);
  });
});

describe("--resume", () => {
  test("begins an export if there is none, so that a scheduled command needs no other case", async () => {
    expect(await runCli(["balances", "--output", file, "--resume"], { fetch })).toMatchObject({ code: 0 });
    expect(JSON.parse(await read(`${file}.manifest.json`)).records).toBe(1200);
  });

  test("sends nothing and exits with 0 if the file is complete", async () => {
    await runCli(["balances", "--output", file], { fetch });
    const again = await runCli(["balances", "--output", file, "--resume"], {
      fetch: async () => Promise.reject(new Error("a request was sent")),
    });
    expect(again).toEqual({ code: 0, stdout: "", stderr: `${file} is complete.\n` });
  });

  test("refuses a file that was exported with other arguments", async () => {
    await runCli(["balances", "--output", file], { fetch });
    for (const flags of [["--raw"], ["--limit", "5"], ["--party", "network"], ["--to", "2024-01-01"]]) {
      const again = await runCli(["balances", "--output", file, "--resume", ...flags], { fetch });
      expect(again.code).toBe(2);
      expect(again.stderr).toContain("was exported with other arguments");
    }
  });

  test("refuses a file without a state, and one with another head", async () => {
    await runCli(["balances", "--output", file], { fetch });
    await markInterrupted(file);
    await writeFile(file, "date,amount\r\n1,2\r\n");
    const other = await runCli(["balances", "--output", file, "--resume"], { fetch });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('to begin with "timestamp,balance,') });
    await rm(`${file}.state`);
    const missing = await runCli(["balances", "--output", file, "--resume"], { fetch });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}.state is missing`) });
  });

  test.each([
    [["balances"], "Expected --output FILE beside --resume."],
    [["balances", "-o", "x.json"], "--resume works with the formats csv and ndjson, not with json."],
    [["balances", "-o", "x.csv", "--cursor"], "--resume does not work with --cursor"],
    [["balances", "-o", "x.csv", "--columns", "balance"], "--resume needs the column timestamp"],
    [["balances", "-o", "x.csv", "--force"], "Expected --resume or --force, got both."],
    [["votes", "--party", "a", "-o", "x.csv"], "--resume is for balances"],
  ])("is refused with the reason: %j", async (argv, reason) => {
    const { code, stderr } = await runCli([...argv, "--resume"], { fetch });
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});

describe("an existing file", () => {
  test("is not overwritten without --force, and is replaced with it", async () => {
    await writeFile(file, "mine");
    for (const command of [["balances"], ["profiles"]]) {
      const refused = await runCli([...command, "--output", file], { fetch });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} exists.`) });
      expect(await read(file)).toBe("mine");
    }
    expect(await runCli(["balances", "--output", file, "--force"], { fetch })).toMatchObject({ code: 0 });
    expect((await read(file)).split("\r\n")).toHaveLength(1202);
  });
});
