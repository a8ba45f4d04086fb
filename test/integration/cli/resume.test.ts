import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codecOf, compressions, readContent } from "../../../src/cli/files/compression.js";
import { quoteWord } from "../../../src/cli/files/resume-command.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { interruption, runCli } from "../../support/run-cli.js";
import { runs } from "../../support/runs.js";

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
/** A clock that lets records be saved after every few times. */
const saveOften = () => {
  let now = 0;
  return () => (now += 200);
};

/** The files beside a file. */
const besides = async (name: string) =>
  (await readdir(folder))
    .filter((each) => each.startsWith(`${basename(name)}.`))
    .map((each) => each.slice(basename(name).length));

/** Runs an export, and interrupts it when so many requests were sent. */
async function interruptAfter(count: number, command: readonly string[], options: { now?: () => number } = {}) {
  const { signal, interrupt } = interruption();
  let requests = 0;
  return runCli(command, {
    ...options,
    signal,
    fetch: async (request) => {
      if (++requests === count) interrupt();
      return fetch(request);
    },
  });
}

describe("an export that is killed at any time", () => {
  const variants = [
    "csv",
    "ndjson",
    "csv --order newest-first",
    "ndjson --order newest-first --raw",
    "csv --decimals 18 --limit 700",
    "ndjson --columns balance,timestamp --limit 900",
    "csv.gz",
    "ndjson.gz --order newest-first",
    ...(codecOf("zst") === undefined ? [] : ["csv.zst"]),
  ];

  test.each(variants)("is continued with --resume to the same content and digest: %s", async (variant) => {
    const [suffix, ...flags] = variant.split(" ");
    const command = (name: string) => ["balances", ...flags, "--page-size", "50", "--concurrency", "1", "-o", name];
    const name = `${file}.${suffix}`;
    const compression = compressions.find((each) => suffix?.endsWith(`.${each}`));
    const content = async (path: string) => text(Readable.from(readContent(path, compression)));
    expect(await runCli(command(name), { fetch })).toMatchObject({ code: 0 });
    const [whole, manifest] = [await content(name), JSON.parse(await read(`${name}.manifest.json`))];
    const requests = fc.integer({ min: 2, max: 12 });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(requests, fc.string(), async (count, rest) => {
        // What a process that is killed leaves: at any time, the file has at least what its state says.
        const copy = `${file}-${++number}.${suffix}`;
        let sent = 0;
        await runCli([...command(name), "--force"], {
          now: saveOften(),
          fetch: async (request) => {
            if (++sent === count) {
              await copyFile(`${name}.partial.state`, `${copy}.partial.state`);
              await copyFile(`${name}.partial`, `${copy}.partial`);
              await writeFile(`${copy}.partial`, rest, { flag: "a" });
            }
            return fetch(request);
          },
        });
        expect(sent).toBeGreaterThanOrEqual(count);
        expect(await runCli([...command(copy), "--resume"], { fetch })).toMatchObject({ code: 0 });
        expect(await content(copy)).toBe(whole);
        const { records, sha256 } = JSON.parse(await read(`${copy}.manifest.json`));
        expect({ records, sha256 }).toEqual({ records: manifest.records, sha256: manifest.sha256 });
        expect(await besides(copy)).toEqual([".manifest.json"]);
      }),
      runs(2),
    );
  });

  test("has the same digest as a CSV file and as an NDJSON file, whatever the format of times and amounts is", async () => {
    const digests = new Set<string>();
    for (const flags of [["csv"], ["ndjson"], ["csv", "--raw"], ["ndjson.gz", "--decimals", "5"]]) {
      const [format, ...others] = flags;
      const name = `${file}-${flags.join("")}.${format}`;
      await runCli(["balances", ...others, "--output", name], { fetch });
      digests.add(JSON.parse(await read(`${name}.manifest.json`)).sha256);
    }
    expect(digests.size).toBe(1);
  });

  test("takes its name although it was killed between the last record and the end", async () => {
    const command = ["balances", "--output", file];
    await runCli(command, { fetch });
    const [whole, manifest] = [await read(file), await read(`${file}.manifest.json`)];
    const state = { flags: {}, size: 0, text: { bytes: 0, lines: 0, sha256: "", every: 1, marks: "" } };
    const complete = { ...state, end: "1", records: 0, first: null, next: null, manifest: JSON.parse(manifest) };
    for (const isRenamed of [false, true]) {
      await writeFile(`${file}.partial.state`, JSON.stringify(complete));
      await writeFile(isRenamed ? file : `${file}.partial`, whole);
      await writeFile(`${file}.manifest.json`, "{}");
      if (!isRenamed) await writeFile(file, "earlier");
      expect(await runCli([...command, "--resume"], { fetch })).toMatchObject({
        code: 0,
        stderr: `${file} is complete.\n`,
      });
      expect([await read(file), await read(`${file}.manifest.json`)]).toEqual([whole, manifest]);
      expect(await besides(file)).toEqual([".manifest.json"]);
    }
  });
});

describe("an interrupted export", () => {
  test("keeps its end, so that blocks that end meanwhile do not belong to it", async () => {
    const growing = createFakeNode({ balances: 500 }, { rateLimit: false });
    await runCli(["balances", "--output", `${file}.whole.csv`], { fetch: growing.fetch });
    const { signal, interrupt } = interruption();
    let requests = 0;
    const command = ["balances", "--page-size", "50", "--output", file];
    await runCli(command, {
      signal,
      fetch: async (request) => {
        if (++requests === 6) interrupt();
        return growing.fetch(request);
      },
    });
    growing.nextBlock({ balances: 50 });
    expect(await runCli([...command, "--resume"], { fetch: growing.fetch })).toMatchObject({ code: 0 });
    expect(await read(file)).toBe(await read(`${file}.whole.csv`));
  });

  test("prints the command to continue with, and continues to the bytes of an uninterrupted one", async () => {
    const command = ["balances", "--page-size", "100", "--header", "Authorization: secret", "--output", file];
    const first = await interruptAfter(12, command);
    expect(first.code).toBe(130);
    expect(first.stderr).toBe(
      `Interrupted by SIGINT.\nTo continue: vegaprotocol-client balances --page-size 100 --header … --output ${quoteWord(file)} --resume\n`,
    );
    expect(await isThere(file)).toBe(false);
    expect((await besides(file)).sort()).toEqual([".partial", ".partial.state"]);
    expect((await stat(`${file}.partial`)).size).toBeGreaterThan(1000);

    expect(await runCli([...command, "--resume"], { fetch })).toMatchObject({ code: 0 });
    const whole = await runCli(["balances", "--format", "csv"], { fetch });
    expect(await read(file)).toBe(whole.stdout);
  });

  test("is neither continued nor overwritten without --resume or --force", async () => {
    await interruptAfter(12, ["balances", "--page-size", "100", "--output", file]);
    const partial = await read(`${file}.partial`);
    const { code, stderr } = await runCli(["balances", "--output", file], { fetch });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `Error: The export to ${file} was interrupted. Use --resume to continue it, or --force to begin again.\n`,
    });
    const dead = await runCli(["balances", "--force", "--retries", "0", "--output", file], {
      fetch: async () => Promise.reject(new TypeError("refused")),
    });
    expect(dead.code).toBe(1);
    expect(await read(`${file}.partial`)).toBe(partial);
    expect(await runCli(["balances", "--force", "--output", file], { fetch })).toMatchObject({ code: 0 });
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
    const command = ["balances", "--page-size", "100", "--output", file];
    await interruptAfter(12, command);
    const other = ["--resume", "--node", "https://other.example"];
    expect(await runCli([...command, ...other], { fetch })).toMatchObject({ code: 0 });
    expect(await read(file)).toBe((await runCli(["balances", "--format", "csv"], { fetch })).stdout);
  });

  test("that has written no record leaves no file", async () => {
    const refused = await runCli(["balances", "--retries", "0", "--output", file], {
      fetch: async (request) => {
        if (request.url.includes("newestFirst=false")) throw new TypeError("refused");
        return fetch(request);
      },
    });
    expect(refused.code).toBe(1);
    expect([await isThere(file), await besides(file)]).toEqual([false, []]);
  });
});

describe("the part of an interrupted export that is continued", () => {
  const lineOf = (text: string, number: number) => text.split(/(?<=\n)/)[number - 1] ?? "";
  const replaceLine = (number: number, change: (line: string) => string) => (text: string) =>
    text
      .split(/(?<=\n)/)
      .map((line, index) => (index === number - 1 ? change(line) : line))
      .join("");

  const changes: [string, (text: string) => string, RegExp][] = [
    [
      "an edited amount",
      replaceLine(60, (line) => line.replace(/\d(?=[",])/, (digit) => String(9 - Number(digit)))),
      /line 60 differs/,
    ],
    ["a line that is missing", replaceLine(60, () => ""), /line 60 differs/],
    ["a line that is there twice", replaceLine(60, (line) => line + line), /line 61 differs/],
    ["two records on one line", replaceLine(60, (line) => line.trimEnd()), /line 60 is not a record/],
    ["garbage", replaceLine(60, (line) => `garbage${line}`), /line 60 is not a record/],
    ["zeros", replaceLine(60, (line) => line.replace(/./g, "\0")), /line 60 is not a record/],
    ["a changed head", replaceLine(1, (line) => line.replace("timestamp", "time")), /line 1/],
    [
      "an end that was cut off",
      (text) => text.slice(0, text.indexOf(lineOf(text, 80)) + 20),
      /it ends in line 80, and had \d+ lines/,
    ],
    [
      "lines that were cut off",
      (text) => text.slice(0, text.indexOf(lineOf(text, 80))),
      /it ends in line 80, and had \d+ lines/,
    ],
    ["a line behind the last one", (text) => text + lineOf(text, 60), /\d+ bytes behind line \d+/],
  ];

  test.each(["csv", "ndjson"])("is refused with the line that was changed: %s", async (format) => {
    const name = `${file}.${format}`;
    const command = ["balances", "--page-size", "100", "--concurrency", "1", "--output", name];
    await interruptAfter(8, command);
    const whole = await read(`${name}.partial`);
    expect(whole.split("\n").length).toBeGreaterThan(90);
    expect(whole.split("\n").length).toBeLessThan(250);
    const others: typeof changes = [
      [
        "line breaks of another system",
        (text) => text.replaceAll(/\r?\n/g, format === "csv" ? "\n" : "\r\n"),
        /line 1/,
      ],
    ];
    for (const [what, change, message] of [...changes, ...others]) {
      await writeFile(`${name}.partial`, change(whole));
      const { code, stderr } = await runCli([...command, "--resume"], { fetch });
      expect({ what, code, stderr }).toEqual({ what, code: 2, stderr: expect.stringMatching(message) });
      expect(stderr).toContain(`${name}.partial is not what was written`);
      expect(await read(`${name}.partial`)).toBe(change(whole));
    }
    await rm(`${name}.partial`);
    const missing = await runCli([...command, "--resume"], { fetch });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("it is missing") });
    await writeFile(`${name}.partial`, whole);
    expect(await runCli([...command, "--resume"], { fetch })).toMatchObject({ code: 0 });
  });

  test("of a compressed file is refused if it was changed or cut", async () => {
    const name = `${file}.gz`;
    const command = ["balances", "--page-size", "100", "--output", name];
    await interruptAfter(12, command, { now: saveOften() });
    const whole = await readFile(`${name}.partial`);
    for (const content of [
      whole.subarray(0, -9),
      Buffer.concat([whole.subarray(0, 2000), Buffer.from("x"), whole.subarray(2001)]),
    ]) {
      await writeFile(`${name}.partial`, content);
      const { code, stderr } = await runCli([...command, "--resume"], { fetch });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/is not what was written: .*line \d+/),
      });
    }
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

  test("refuses arguments that differ from those of a complete or an interrupted export, each with both values", async () => {
    const command = ["balances", "--page-size", "100", "--account-type", "general", "--output", file];
    const differing: [readonly string[], string][] = [
      [["--raw"], "expected no --raw, got --raw."],
      [
        ["--limit", "5", "--decimals", "2"],
        "expected no --decimals, got --decimals 2; expected no --limit, got --limit 5.",
      ],
      [["--party", "network"], "expected no --party, got --party network."],
      [["--to", "2024-02-09"], "expected no --to, got --to 2024-02-09T00:00:00.000000000Z."],
      [["--account-type", "bond"], "got --account-type ACCOUNT_TYPE_BOND,ACCOUNT_TYPE_GENERAL."],
      [["--columns", "timestamp,balance"], "got --columns timestamp,balance."],
      [["--order", "newest-first"], "expected --order oldest-first, got --order newest-first."],
    ];
    const refuse = async () => {
      for (const [flags, message] of differing) {
        const { code, stderr } = await runCli([...command, "--resume", ...flags], { fetch });
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
        expect(stderr).toContain(`${file} was exported with other arguments: expected `);
      }
    };
    await interruptAfter(4, command);
    await refuse();
    await runCli([...command, "--resume"], { fetch });
    await refuse();
  });

  test("refuses a file that no export has completed, and a partial file of another program", async () => {
    await writeFile(file, "mine");
    const missing = await runCli(["balances", "--output", file, "--resume"], { fetch });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}.manifest.json is missing`) });
    await rm(file);
    await writeFile(`${file}.partial`, "mine");
    for (const command of [["balances", "--resume"], ["profiles"]]) {
      const { code, stderr } = await runCli([...command, "--output", file], { fetch });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("no export has written it") });
    }
    expect(await read(`${file}.partial`)).toBe("mine");
  });

  test.each([
    [["balances"], "--resume needs --output FILE."],
    [["balances", "-o", "-"], "--resume needs --output FILE."],
    [["balances", "-o", "x.json"], "--resume works with the formats csv and ndjson, not with json."],
    [["balances", "-o", "x.csv", "--cursor"], "--resume does not work with --cursor"],
    [["balances", "-o", "x.csv", "--columns", "balance"], "--resume needs the column timestamp"],
    [["balances", "-o", "x.csv", "--force"], "--resume and --force cannot be combined."],
    [["votes", "--party", "a", "-o", "x.csv"], "--resume is for balances"],
  ])("is refused with the reason: %j", async (argv, reason) => {
    const { code, stderr } = await runCli([...argv, "--resume"], { fetch });
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});
