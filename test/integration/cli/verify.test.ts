import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BalanceChange } from "../../../src/index.js";
import { createFakeNode, nodeDefects } from "../../../src/testing/index.js";
import { overDays } from "../../support/over-days.js";
import { runCli } from "../../support/run-cli.js";

const balances = overDays(createFakeNode({ balances: 400 }).records.balances);
const { fetch, records, block } = createFakeNode({ balances }, { defects: nodeDefects, rateLimit: false });
const nodeWith = (balances: readonly BalanceChange[], history?: bigint) =>
  createFakeNode({ balances, block, history }, { rateLimit: false }).fetch;

const times = records.balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verify-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  "csv",
  "ndjson --order newest-first",
  "csv --raw --decimals 18",
  "ndjson --account-type general",
  "csv --limit 100",
])("verify of an export as %s", (variant) => {
  const [format, ...flags] = variant.split(" ");
  let file: string;
  let lines: string[];
  beforeAll(async () => {
    file = join(folder, `${variant.replaceAll(" ", "")}.${format}`);
    expect(await runCli(["balances", ...flags, "-o", file], { fetch })).toMatchObject({ code: 0 });
    lines = (await readFile(file, "utf8")).split(/(?<=\n)/);
  });

  test("exits with 0 and prints the digest if another node has the same records", async () => {
    const { code, stdout } = await runCli(["verify", file], { fetch: nodeWith(records.balances) });
    const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${file} equals https://node.example: ${manifest.records} records, SHA-256 ${manifest.sha256}.\n`,
    });
  });

  test("names the line of a record that is missing in the file, added, changed or damaged", async () => {
    const verify = async (changed: readonly string[]) => {
      const copy = `${file}.changed`;
      await writeFile(copy, changed.join(""));
      await writeFile(`${copy}.manifest.json`, await readFile(`${file}.manifest.json`));
      const { code, stdout, stderr } = await runCli(["verify", copy], { fetch });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      return stderr;
    };
    const at = 60;
    const replaceLine = (replace: (line: string) => string) =>
      lines.map((line, index) => (index === at ? replace(line) : line));
    const replaced = replaceLine((line) => line.replace(/ACCOUNT_TYPE_[A-Z_]+/, "ACCOUNT_TYPE_ZZZ"));
    expect(await verify(replaceLine(() => ""))).toMatch(
      new RegExp(`^Line ${at + 1}: before it, the file lacks the record of 2024-\\S+, partyId`),
    );
    expect(await verify(replaced)).toMatch(new RegExp(`^Line ${at + 1}`));
    const balance = /(?<=["Z\d][,:]"?)\d+(\.\d+)?(?=[",])/;
    const changed = replaceLine((line) => line.replace(balance, "7"));
    expect(await verify(changed)).toMatch(
      new RegExp(`^Line ${at + 1}, of 2024-\\S+Z, .*: balance is 70* in the file and \\d+ on https://node.example\\.`),
    );
    expect(await verify(replaceLine((line) => `garbage${line}`))).toBe(
      `Line ${at + 1} of the file is not a record of this export.\n`,
    );
    expect(await verify(lines.slice(0, -1))).toMatch(
      /^https:\/\/node\.example has a record that the file lacks at its end: /,
    );
    expect(await verify([...lines, lines.at(-1) ?? ""])).toMatch(
      new RegExp(`^Line ${lines.length + 1}: https://node.example does not have the record`),
    );
    expect(await verify([...lines, "x"])).toBe(
      `Line ${lines.length + 1} of the file is not a record of this export.\n`,
    );
    expect(await verify([lines.join("").trimEnd()])).toBe(
      `Line ${lines.length} of the file is not a record of this export.\n`,
    );
    expect(await verify(replaceLine((line) => line.replace(/\r?\n$/, format === "csv" ? "\n" : "\r\n")))).toBe(
      `Line ${at + 1} of the file is not a record of this export.\n`,
    );
  });
});

test("verify names a record that another node lacks", async () => {
  const file = join(folder, "lacking.csv");
  await runCli(["balances", "-o", file], { fetch });
  const missing = records.balances[77];
  const other = nodeWith(records.balances.filter((record) => record !== missing));
  const { code, stderr } = await runCli(["verify", file], { fetch: other });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Line \d+: https:\/\/node\.example does not have the record of 2024-/);
  expect(stderr).toContain(missing?.partyId ?? "");
});

test("verify exits with 3 and the first time that can be compared if the other node keeps a shorter history", async () => {
  const file = join(folder, "shorter.csv");
  await runCli(["balances", "-o", file], { fetch });
  const history = times[100];
  const { code, stderr } = await runCli(["verify", file], { fetch: nodeWith(records.balances, history) });
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /The balance changes of the node begin at 2024-\S+Z, .* Only records from then on can be compared/,
  );
});

test("verify exits with 3 on a v0.79 node that keeps a shorter history, and on one that is behind", async () => {
  const file = join(folder, "newer.csv");
  await runCli(["balances", "-o", file], { fetch });
  const date = () => Date.UTC(2026, 1, 10);
  const newer = (data: object) =>
    createFakeNode({ balances, block, ...data }, { version: "v0.79", date, rateLimit: false }).fetch;
  expect(await runCli(["verify", file], { fetch: newer({}) })).toMatchObject({ code: 0 });
  const pruned = await runCli(["verify", file], { fetch: newer({ history: times[100] }) });
  expect(pruned).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/^Error: The balance changes of the node begin at 2024-\S+Z, .* can be compared/),
  });
  const time = times[300] ?? 0n;
  const behind = newer({
    balances: balances.filter(({ timestamp }) => BigInt(timestamp) < time),
    block: { ...block, timestamp: time },
  });
  expect(await runCli(["verify", file, "--catch-up", "0"], { fetch: behind })).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/^Error: The node is behind: it has reached 2024-/),
  });
});

test("verify detects a manifest whose digest was changed", async () => {
  const file = join(folder, "manifest.csv");
  await runCli(["balances", "-o", file], { fetch });
  const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
  await writeFile(`${file}.manifest.json`, JSON.stringify({ ...manifest, sha256: "0".repeat(64) }));
  const { code, stderr } = await runCli(["verify", file], { fetch });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The file equals the node, but not the digest in ${file}.manifest.json: the manifest was changed.\n`,
  });
});

test("verify refuses the manifest of another list, and a file that is no manifest", async () => {
  const file = join(folder, "other.csv");
  for (const [content, message] of [
    ['{"operation":"listVotes"}', "Expected an export of balances, got one of listVotes"],
    ['{"operation":"scanBalanceChanges"}', "to be the manifest of an export as csv or ndjson"],
  ]) {
    await writeFile(`${file}.manifest.json`, content ?? "");
    const { code, stderr } = await runCli(["verify", file], { fetch });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  }
});

test("verify detects a manifest with another number of records", async () => {
  const file = join(folder, "count.csv");
  await runCli(["balances", "-o", file], { fetch });
  const manifest = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
  await writeFile(`${file}.manifest.json`, JSON.stringify({ ...manifest, records: 399 }));
  const { code, stderr } = await runCli(["verify", file], { fetch });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The file has 400 records, and ${file}.manifest.json says 399.\n`,
  });
});

test.each(["csv.gz", "ndjson.gz"])(
  "verify of a compressed file detects a change and garbage behind it: %s",
  async (suffix) => {
    const file = join(folder, `compressed.${suffix}`);
    await runCli(["balances", "-o", file], { fetch });
    expect(await runCli(["verify", file], { fetch })).toMatchObject({ code: 0 });
    const whole = await readFile(file);
    const text = gunzipSync(whole).toString();
    for (const [content, message] of [
      [gzipSync(text.replace("ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_BOND")), /^Line \d+: /],
      [gzipSync(`${text}x`), /^Line \d+ of the file is not a record/],
      [Buffer.concat([whole, Buffer.alloc(8)]), /compressed as its name says/],
      [whole.subarray(0, -4), /compressed as its name says/],
    ] as const) {
      await writeFile(file, content);
      const { code, stderr } = await runCli(["verify", file], { fetch });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    }
  },
);

describe("verify on a node that is behind the end of the file", () => {
  /** A node with the records before a time, and the block of that time. */
  const nodeAt = (time: bigint) =>
    createFakeNode(
      {
        balances: records.balances.filter(({ timestamp }) => BigInt(timestamp) < time),
        block: { ...block, timestamp: time },
      },
      { rateLimit: false },
    ).fetch;

  test.each(["oldest-first", "newest-first"])("exits with 3 and says so: %s", async (order) => {
    const file = join(folder, `behind-${order}.csv`);
    await runCli(["balances", "-o", file, "--order", order], { fetch });
    for (const time of [times[200] ?? 0n, (times[399] ?? 0n) + 1000n]) {
      const { code, stdout, stderr } = await runCli(["verify", file, "--catch-up", "0"], { fetch: nodeAt(time) });
      expect({ code, stdout, stderr }).toEqual({
        code: 3,
        stdout: "",
        stderr: expect.stringMatching(
          /^Error: The node is behind: it has reached 2024-\S+Z, and the range leads to 2024-\S+Z\.\n$/,
        ),
      });
    }
  });

  test("exits with 1 if a record differs that the node has", async () => {
    const file = join(folder, "behind-different.csv");
    await runCli(["balances", "-o", file], { fetch });
    await writeFile(file, (await readFile(file, "utf8")).replace("ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_ZZZ"));
    expect((await runCli(["verify", file, "--catch-up", "0"], { fetch: nodeAt(times[200] ?? 0n) })).code).toBe(1);
  });
});

describe("verify of an export with missing records", () => {
  test("compares the range that a pruned node has all records of", async () => {
    const history = BigInt(records.balances[150]?.timestamp ?? 0);
    const pruned = nodeWith(records.balances, history);
    const file = join(folder, "incomplete.ndjson");
    await runCli(["balances", "--from", "2024-02-01", "--allow-incomplete", "-o", file], { fetch: pruned });
    for (const fetch of [pruned, nodeWith(records.balances)]) {
      const { code, stdout } = await runCli(["verify", file], { fetch });
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(
          / equals https:\/\/node\.example in the range that it has all records of: \d+ records/,
        ),
      });
    }
    const lines = (await readFile(file, "utf8")).split(/(?<=\n)/);
    await writeFile(file, lines.slice(1).join(""));
    expect(await runCli(["verify", file], { fetch: pruned })).toMatchObject({ code: 1 });
  });

  test.each(["oldest-first", "newest-first"])(
    "leaves out the records after a time that no request can read: %s",
    async (order) => {
      // A block has more records than a page, and no cursor leads through them.
      const dense = createFakeNode({ balances: 1200 }, { defects: nodeDefects, rateLimit: false });
      const withoutCursors = async (request: Request) => {
        const text = await (await dense.fetch(request)).text();
        return new Response(text.replace(/"endCursor":"[^"]*"/, '"endCursor":""'), {
          headers: { "X-Block-Height": String(dense.block.height), "X-Block-Timestamp": String(dense.block.timestamp) },
        });
      };
      const file = join(folder, `dense-${order}.csv`);
      const flags = ["--allow-incomplete", "--page-size", "100", "--order", order, "-o", file];
      const { code, stderr } = await runCli(["balances", ...flags], { fetch: withoutCursors });
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("too-dense") });
      const { records } = JSON.parse(await readFile(`${file}.manifest.json`, "utf8"));
      expect(records).toBeGreaterThan(50);
      expect(records).toBeLessThan(1100);
      expect(await runCli(["verify", file], { fetch: dense.fetch })).toMatchObject({ code: 0 });
    },
  );
});
