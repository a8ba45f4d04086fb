import fs from "node:fs/promises";
import { join, normalize } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { beforeEach, describe, expect, test } from "vitest";
import { change, changes, first, hour, other, party } from "../support/changes.js";
import { testDestination } from "../support/destination-tests.js";
import { add, changed, intercept, type Node, startNode } from "../support/nodes.js";
import { ended, equal, isWindows, runCli, runUntil, useFolder } from "../support/run-cli.js";

const path = useFolder();
let folder: string;
beforeEach(() => {
  folder = path("vega");
});

const sync = (node: Node, ...args: string[]) =>
  runCli(["sync", `${folder}/`, "--catch-up", "10ms", ...args], { fetch: node.fetch });

/** A day of February 2024: of the changes, there are those from the 7th to the 15th, which is not over. */
const dateOf = (day: number) => `date=2024-02-${String(day).padStart(2, "0")}`;
const days = async () => (await fs.readdir(join(folder, "balance_changes"))).sort();
const fileOf = (day: number) => join(folder, "balance_changes", dateOf(day), "part.parquet");

/** The rows of all days, with exact amounts and times. */
async function rows(): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  const exact = (time: bigint) => time;
  const parsers = { timestampFromMicroseconds: exact, timestampFromNanoseconds: exact };
  for (const day of await days()) {
    const file = await asyncBufferFromFile(join(folder, "balance_changes", day, "part.parquet"));
    all.push(...(await parquetReadObjects({ file, parsers })));
  }
  return all;
}
const times = async () => (await rows()).map(({ time }) => time);
const microseconds = (records: typeof changes) => records.map(({ timestamp }) => BigInt(timestamp) / 1000n);

describe("a folder", () => {
  describe("like each destination", () => testDestination("vega/"));

  test("has a file for each complete day, with the columns of a database, and continues with the next run", async () => {
    const written =
      "182 new balance changes, complete from 2024-02-07T10:00:00.000000000Z up to 2024-02-15T00:00:00.000000000Z.";
    expect(await sync(startNode())).toMatchObject(ended(0, written));
    expect(await days()).toEqual([7, 8, 9, 10, 11, 12, 13, 14].map(dateOf));
    expect(await times()).toEqual(microseconds(changes.slice(0, 182)));
    const [row] = await rows();
    expect(Object.keys(row ?? {})).toEqual(["time", "party", "asset", "market", "account_type", "balance"]);
    expect(row).toMatchObject({ party: other, market: "", account_type: "ACCOUNT_TYPE_GENERAL" });
    const before = await fs.readFile(fileOf(7));
    const later = Array.from({ length: 100 }, (_, index) => change(first + BigInt(200 + index) * hour));
    const all = [...changes, ...later];
    const next = startNode({ balances: all, block: { height: 2000n, timestamp: first + 300n * hour } });
    const unfinished = "Not in the folder yet: the records of 2024-02-19, which is not over.";
    expect(await sync(next)).toMatchObject(ended(0, unfinished));
    expect(await times()).toEqual(microseconds(all.slice(0, 278)));
    expect(before.equals(await fs.readFile(fileOf(7)))).toBe(true);
    expect(await sync(next, "--check")).toMatchObject(equal(278));
  });

  test("has the day that is not over with --partial-day, which the next runs replace", async () => {
    const node = startNode();
    await sync(node, "--partial-day");
    expect(await rows()).toHaveLength(200);
    for (const more of [[], ["--partial-day"]]) expect(await sync(node, "--check", ...more)).toMatchObject(equal(200));
    add(node, change(node.block.timestamp + 1_000_000n));
    expect(await sync(node, "--partial-day")).toMatchObject({ code: 0 });
    expect(await rows()).toHaveLength(201);
    add(node, change(node.block.timestamp + 1_000_000n));
    const rest = "Not in the folder yet: the records from 2024-02-15T";
    expect(await sync(node)).toMatchObject(ended(0, rest));
    // The day ends without a further change.
    const balances = [...node.records.balances];
    const later = startNode({ balances, block: { height: 3000n, timestamp: first + 500n * hour } });
    expect(await sync(later)).toMatchObject({ code: 0 });
    expect(await sync(later, "--check")).toMatchObject(equal(202));
    expect(await rows()).toHaveLength(202);
  });

  test("has one file for each of the other lists, which a run with the same flags replaces", async () => {
    const node = startNode({ votes: 300 });
    const proposals = [...new Set(node.records.votes.map(({ proposalId }) => proposalId ?? ""))].slice(0, 2);
    const flags = proposals.flatMap((each) => ["--proposal", each]);
    for (let run = 0; run < 2; run++) expect(await sync(node, "votes", ...flags)).toMatchObject({ code: 0 });
    const path = join(folder, "votes/part.parquet");
    const found = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
    const votes = node.records.votes.filter(({ proposalId = "" }) => proposals.includes(proposalId));
    expect(found.map((row) => row["party"]).sort()).toEqual(votes.map(({ partyId }) => partyId).sort());
    const before = await fs.readFile(path);
    const [first, second] = [...proposals].sort().map((each) => `votes --proposal ${each}`);
    const own = `votes ${flags.slice(2).join(" ")}`;
    const queries = `its query is ${first}, ${second}, not ${own}.`;
    const refused = ended(2, normalize(`votes/part.parquet was written with other flags: ${queries}`));
    expect(await sync(node, "votes", ...flags.slice(2))).toMatchObject(refused);
    expect(before.equals(await fs.readFile(path))).toBe(true);
    // The next run reads all votes again.
    const dry = await sync(node, "votes", ...flags, "--dry");
    expect(dry).toEqual({ code: 0, stdout: expect.stringMatching(/^votes --proposal \w+: 100 records/), stderr: "" });
  });

  test("refuses a file of another list by its name", async () => {
    const node = startNode({ votes: 60 });
    await sync(node);
    await fs.mkdir(join(folder, "votes"));
    await fs.copyFile(fileOf(9), join(folder, "votes/part.parquet"));
    const result = await sync(node, "votes", "--proposal", node.records.votes[0]?.proposalId ?? "");
    expect(result).toMatchObject(ended(2, normalize("votes/part.parquet was written with other flags")));
  });

  test("holds one query: another filter or start is refused by name", async () => {
    const node = startNode();
    await sync(node, "--party", party);
    const before = await rows();
    const unused: Node = { fetch: () => Promise.reject(new Error("sent")) };
    const own = `balances --party ${party}`;
    for (const [flags, text] of [
      [[], `its query is ${own}, not all balances.`],
      [["--from", "2024-02-08"], `its query is ${own}, not ${own} --from 2024-02-08T00:00:00.000000000Z.`],
    ] as const) {
      const result = await sync(unused, ...flags, ...(flags.length > 0 ? ["--party", party] : []));
      expect(result).toMatchObject(ended(2, `part.parquet was written with other flags: ${text}`));
    }
    expect(await rows()).toEqual(before);
    expect(await sync(node, "--party", party.toUpperCase())).toMatchObject({ code: 0 });
  });

  test("refuses times in nanoseconds and longer amounts, and names a destination that has room for them", async () => {
    const [second, long] = [`${first + hour}`, "9".repeat(39)];
    for (const [from = "", to, expected] of [
      [second, `${second.slice(0, -1)}1`, "a time in microseconds"],
      [changes[1]?.balance, long, "an amount of at most 38 digits"],
    ] as const) {
      const node = changed(startNode(), (text) => text.replaceAll(`"${from}"`, `"${to}"`));
      const record = `got ${to} in the record ${to === long ? second : to} ${party} `;
      const { code, stderr } = await sync(node);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`Error: Expected ${expected}, ${record}`)]);
      expect(stderr).toContain("Use a database, such as vega.db.");
    }
  });

  test("that is a symbolic link stays one, as does the file of a day", async () => {
    const [real, file] = [path("disk"), path("open.parquet")];
    await fs.mkdir(real);
    await fs.symlink(real, folder);
    const node = startNode();
    await sync(node, "--partial-day");
    await fs.rename(fileOf(15), file);
    await fs.symlink(file, fileOf(15));
    add(node, change(node.block.timestamp + 1_000_000n));
    expect(await sync(node, "--partial-day")).toMatchObject({ code: 0 });
    expect([await fs.realpath(folder), await fs.realpath(fileOf(15))]).toEqual([real, file]);
    expect(await rows()).toHaveLength(201);
  });

  test("keeps an earlier day until the new one is complete, also if the node fails", async () => {
    const node = startNode();
    await sync(node, "--partial-day");
    const before = await rows();
    node.nextBlock();
    const failing = intercept(node, (number) => number > 2 && new Response("", { status: 500 }));
    const stderr = expect.not.stringContaining("complete from");
    const result = await sync(failing, "--partial-day", "--retries", "0", "--page-size", "5");
    expect(result).toMatchObject({ code: 1, stderr });
    expect(await rows()).toEqual(before);
    expect((await fs.readdir(folder, { recursive: true })).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test("is not said to have records that an interrupted run has not written", async () => {
    const argv = ["sync", `${folder}/`, "--follow", "--poll-interval", "5ms"];
    const stderr = expect.not.stringContaining("complete from");
    const result = await runUntil(({ requests }) => requests === 40, argv, { fetch: startNode().fetch });
    expect(result).toMatchObject({ code: 130, stderr });
  });

  test("can be without its first day, and is refused if one in the middle is missing", async () => {
    const node = startNode();
    await sync(node);
    await fs.rm(join(folder, "balance_changes", dateOf(7)), { recursive: true });
    expect(await sync(node, "--check")).toMatchObject(equal(168));
    await fs.rm(join(folder, "balance_changes", dateOf(10)), { recursive: true });
    for (const flags of [[], ["--check"]]) {
      const missing = ended(1, "from 2024-02-10T00:00:00.000000000Z to 2024-02-11T00:00:00.000000000Z");
      expect(await sync(node, ...flags)).toMatchObject(missing);
    }
  });

  // Windows moves no folder with an open file.
  test.skipIf(isWindows)("keeps its lock under another name, and a run ends whose folder was moved", async () => {
    const node = startNode();
    const moved = path("moved");
    await fs.mkdir(folder);
    const moving = intercept(node, async (number) => {
      if (number > 1) return;
      await fs.rename(folder, moved);
      const second = await runCli(["sync", `${moved}/`], node);
      expect(second).toMatchObject(ended(1, /^Error: Process \d+ on .* writes /));
    });
    const text = `Expected ${folder} to be the folder that this run has opened, but it was moved`;
    expect(await sync(moving)).toMatchObject(ended(1, text));
    expect(await fs.readdir(path("."))).toEqual(["moved"]);
    expect(await runCli(["sync", `${moved}/`], { fetch: node.fetch })).toMatchObject({ code: 0 });
    expect((await fs.readdir(moved)).sort()).toEqual(["balance_changes"]);
  });

  test("is created again if a run that has stored nothing removes it", async () => {
    let isDone = false;
    const removing = (async () => {
      while (!isDone) await fs.rmdir(folder).catch(() => {});
    })();
    const result = await sync(startNode());
    isDone = true;
    await removing;
    expect(result).toMatchObject({ code: 0 });
    expect(await fs.readdir(folder)).toEqual(["balance_changes"]);
  });

  test("has days without changes, which are not missing", async () => {
    const balances = changes.filter((_, index) => index < 20 || index > 80);
    const early = { balances: balances.slice(0, 20), block: { height: 500n, timestamp: first + 20n * hour } };
    for (const node of [startNode(early), startNode({ balances })]) {
      for (let run = 0; run < 2; run++) expect(await sync(node, "--partial-day")).toMatchObject({ code: 0 });
    }
    expect(await rows()).toHaveLength(balances.length);
  });
});

test("a folder with other files and without a copy is refused, and nothing is written to it", async () => {
  await fs.mkdir(join(folder, "src"), { recursive: true });
  const message = `Error: ${folder}/ has other files, such as src, and no copy. Choose a new folder.\n`;
  expect(await sync(startNode())).toMatchObject({ code: 2, stderr: message });
  expect(await fs.readdir(folder)).toEqual(["src"]);
  expect(await fs.readdir(path("."))).toEqual(["vega"]);
});

const commands = ["explore", "balances --at now --db", "sync --check"];
test.each(commands)("a folder without a copy is an error of %s", async (line) => {
  await fs.mkdir(folder);
  const stderr = `Error: ${folder}/ has no copy: run vegaprotocol sync first.\n`;
  const argv = [...line.split(" "), `${folder}/`];
  expect(await runCli(argv, { fetch: startNode().fetch })).toMatchObject({ code: 2, stderr });
});

test.skipIf(isWindows || process.getuid?.() === 0)("a folder that may not be read is refused by its name", async () => {
  expect(await sync(startNode())).toMatchObject({ code: 0 });
  await fs.chmod(folder, 0);
  const refused = await sync(startNode(), "--check");
  await fs.chmod(folder, 0o700);
  expect(refused).toMatchObject(ended(1, `Cannot read ${folder}/. Check that you may read it.`));
});

test("a file in the place of the folder is an error with the path of what cannot be written", async () => {
  await fs.writeFile(folder, "");
  const message = `Error: Cannot write ${folder}: a part of its path is a file, not a folder.\n`;
  expect(await sync(startNode())).toMatchObject({ code: 1, stderr: message });
});

const inFolder = (name: string) => join(folder, "balance_changes", name);
const isOther = "date=2024-02-09/part.parquet to be a Parquet file that sync has written";

test.each<[what: string, change: () => Promise<unknown>, message: string]>([
  ["a day of another export", foreign, "date=2024-02-09/part.parquet was written with other flags"],
  ["a day with another date", () => copyDay("date=2023-01-01"), "part.parquet to hold 2023-01-01, got 2024-02-09"],
  ["a second file of a day", () => copyFile("part-1"), "date=2024-02-09/part-1.parquet is not from this program"],
  ["a file with other bytes", () => damage(14), "date=2024-02-14/part.parquet to be as sync has written it"],
  ["a folder that is no day", () => fs.mkdir(inFolder("month=2024-02")), "month=2024-02 is not from this program"],
  ["a file that is no Parquet", () => fs.writeFile(fileOf(9), "PAR1 no PAR1"), isOther],
  ["a file without its query", forgetQuery, isOther],
  ["a file that ends early", () => fs.truncate(fileOf(9), 600), isOther],
])("a file in the folder that does not belong there is refused by name: %s", async (_, change, message) => {
  const node = startNode();
  await sync(node);
  await change();
  const files = (await fs.readdir(path("."), { recursive: true })).sort();
  for (const flags of [[], ["--check"]]) {
    const { code, stderr } = await sync(node, ...flags);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(normalize(message))]);
  }
  expect((await fs.readdir(path("."), { recursive: true })).sort()).toEqual(files);
});

async function forgetQuery() {
  const bytes = await fs.readFile(fileOf(9), "latin1");
  await fs.writeFile(fileOf(9), bytes.replace("vegaprotocol.queries", "vegaprotocol.another"), "latin1");
}

const copyDay = (name: string) => fs.cp(inFolder(dateOf(9)), inFolder(name), { recursive: true });
const copyFile = (name: string) => fs.copyFile(fileOf(9), inFolder(`${dateOf(9)}/${name}.parquet`));
const damage = async (day: number) => fs.writeFile(fileOf(day), (await fs.readFile(fileOf(day))).fill(0xff, 4, 400));

/** Puts the day of a folder with another filter in the place of one. */
async function foreign() {
  const own = fileOf(9);
  folder = path("other");
  await sync(startNode(), "--party", party);
  await fs.copyFile(fileOf(9), own);
  folder = path("vega");
}
