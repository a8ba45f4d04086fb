import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { change, changes, first, hour, party, startNode } from "../support/changes.js";
import { runCli } from "../support/run-cli.js";

const lastDay = "date=2024-02-15";

let root: string;
let folder: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "parquet-")));
  folder = join(root, "vega");
});
afterEach(() => rm(root, { recursive: true }));

const sync = (node: { fetch(request: Request): Promise<Response> }, ...args: string[]) =>
  runCli(["sync", `${folder}/`, "--catch-up", "10ms", ...args], { fetch: node.fetch });

const days = () => readdir(join(folder, "balance_changes"));
const fileOf = (day: string) => join(folder, "balance_changes", day, "part.parquet");

/** The rows of all days, with exact amounts. */
async function rows(): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  for (const day of (await days()).sort()) {
    const file = await asyncBufferFromFile(fileOf(day));
    const parsers = {
      timestampFromMicroseconds: (time: bigint) => time,
      timestampFromNanoseconds: (time: bigint) => time,
    };
    all.push(...(await parquetReadObjects({ file, parsers })));
  }
  return all;
}

const microseconds = (records: readonly { timestamp: string }[]) =>
  records.map(({ timestamp }) => BigInt(timestamp) / 1000n);

describe("a folder", () => {
  test("has a file for each complete day, and continues with the next run", async () => {
    const node = startNode();
    const { code, stderr } = await sync(node);
    expect([code, stderr]).toEqual([0, expect.stringContaining("200 balances stored")]);
    expect(stderr).toContain("Not in the folder yet: the records of 2024-02-15, which is not over.");
    expect((await days()).sort()).toEqual(
      [7, 8, 9, 10, 11, 12, 13, 14].map((day) => `date=2024-02-${String(day).padStart(2, "0")}`),
    );
    expect((await rows()).map(({ time }) => time)).toEqual(microseconds(changes.slice(0, 182)));
    const seventh = await readFile(fileOf("date=2024-02-07"));
    const later = Array.from({ length: 100 }, (_, index) => change(first + BigInt(200 + index) * hour));
    const all = [...changes, ...later];
    const next = startNode({ balances: all, block: { height: 2000n, timestamp: first + 300n * hour } });
    expect(await sync(next)).toMatchObject({ code: 0 });
    expect((await rows()).map(({ time }) => time)).toEqual(microseconds(all.slice(0, 278)));
    expect(seventh.equals(await readFile(fileOf("date=2024-02-07")))).toBe(true);
    expect(await sync(next, "--check")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("278 balance changes"),
    });
  });

  test("has the columns of a database, with exact amounts, times in microseconds and the names of types", async () => {
    await sync(startNode());
    const [row] = await rows();
    expect(Object.keys(row ?? {})).toEqual(["time", "party", "asset", "market", "account_type", "balance"]);
    expect(row).toMatchObject({
      time: first / 1000n,
      party: "cd".repeat(32),
      market: "",
      account_type: "ACCOUNT_TYPE_GENERAL",
    });
  });

  test("has the day that is not over with --partial-day, which the next runs replace", async () => {
    const node = startNode();
    expect(await sync(node, "--partial-day")).toMatchObject({ code: 0 });
    expect(await rows()).toHaveLength(200);
    expect(await sync(node, "--check")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("182 balance changes"),
    });
    expect(await sync(node, "--check", "--partial-day")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("200 balance"),
    });
    node.nextBlock({ balances: [change(node.block.timestamp + 1_000_000n)] });
    node.nextBlock();
    expect(await sync(node, "--partial-day")).toMatchObject({ code: 0 });
    expect(await rows()).toHaveLength(201);
    // The day ends without a further change, or with one of a later day.
    const later = startNode({
      balances: [...node.records.balances],
      block: { height: 3000n, timestamp: first + 500n * hour },
    });
    expect(await sync(later)).toMatchObject({ code: 0 });
    expect(await sync(later, "--check")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("201 balance changes"),
    });
    expect(await rows()).toHaveLength(201);
  });

  test("has one file for each of the other lists, which a run replaces", async () => {
    const node = startNode({ votes: 300, profiles: 40, signatures: 30 });
    const proposals = [...new Set(node.records.votes.map(({ proposalId }) => proposalId ?? ""))].slice(0, 2);
    const id = node.records.signatures[0]?.id ?? "";
    const lists = ["votes", "profiles", "signatures", ...proposals.flatMap((each) => ["--proposal", each]), "--id", id];
    for (let run = 0; run < 2; run++) expect(await sync(node, ...lists)).toMatchObject({ code: 0 });
    const read = async (list: string) =>
      parquetReadObjects({ file: await asyncBufferFromFile(join(folder, list, "part.parquet")) });
    const votes = node.records.votes.filter(({ proposalId = "" }) => proposals.includes(proposalId));
    expect((await read("votes")).map(({ party }) => party).sort()).toEqual(votes.map(({ partyId }) => partyId).sort());
    expect(await read("party_profiles")).toHaveLength(40);
    expect(await read("node_signatures")).toHaveLength(node.records.signatures.filter((each) => each.id === id).length);
    const before = await readFile(join(folder, "votes/part.parquet"));
    const { code, stderr } = await sync(node, "votes", "--proposal", proposals[0] ?? "");
    expect([code, stderr]).toEqual([2, expect.stringContaining("votes/part.parquet was written with other flags")]);
    expect(before.equals(await readFile(join(folder, "votes/part.parquet")))).toBe(true);
  });

  test("loses nothing behind one address with a node that has dropped what follows the stored records of the filter", async () => {
    const args = ["balances", "--party", party];
    const block = { height: 500n, timestamp: first + 60n * hour };
    const [whole, pruned] = [startNode(), startNode({ history: first + 130n * hour })];
    for (let pattern = 0; pattern < 32; pattern++) {
      await rm(folder, { recursive: true, force: true });
      await sync(startNode({ balances: changes.slice(0, 60), block }), ...args);
      const stored = (await rows()).length;
      let requests = 0;
      const nodeOf = () => ((pattern >> (requests++ % 5)) & 1 ? whole : pruned);
      const { code } = await sync({ fetch: (request) => nodeOf().fetch(request) }, ...args);
      expect([code, (await rows()).length], `pattern ${pattern}`).toEqual(code === 0 ? [0, 91] : [3, stored]);
    }
  });

  test("has each record once if a run that has stored some ends with a gap", async () => {
    const like = change(first);
    const balances = Array.from({ length: 6000 }, (_, index) => {
      const marketId = String(index % 30).padStart(64, "0");
      return { ...like, marketId, timestamp: `${first + BigInt(Math.floor(index / 30)) * hour}` as const };
    });
    const early = { balances: balances.slice(0, 1800), block: { height: 500n, timestamp: first + 60n * hour } };
    const [whole, pruned] = [startNode({ balances }), startNode({ balances, history: first + 190n * hour })];
    for (let count = 2; count < 10; count += 2) {
      await rm(folder, { recursive: true, force: true });
      await sync(startNode(early), "--page-size", "500");
      let requests = 0;
      const nodeOf = () => (requests++ >= count && requests < count + 5 ? pruned : whole);
      await sync({ fetch: (request) => nodeOf().fetch(request) }, "--page-size", "500", "--concurrency", "1");
      const stored = (await rows()).map((row) => `${row["time"]} ${row["market"]}`);
      expect(new Set(stored).size, `${count} requests`).toBe(stored.length);
    }
  });

  test("holds one query: another filter, start, unit of times or form of amounts is refused by name", async () => {
    const node = startNode();
    await sync(node, "--party", party);
    const before = await rows();
    const others = [
      [],
      ["--party", party, "--from", "2024-02-08"],
      ["--party", party, "--timestamps", "nanos"],
      ["--party", party, "--text-amounts"],
    ];
    for (const flags of others) {
      const { code, stderr } = await sync({ fetch: () => Promise.reject(new Error("sent")) }, ...flags);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^Error: \S+part\.parquet was written with other flags: its /),
      ]);
    }
    expect(await rows()).toEqual(before);
    expect(await sync(node, "--party", party.toUpperCase())).toMatchObject({ code: 0 });
  });

  test("takes times in nanoseconds and long amounts only with flags, which the errors name", async () => {
    const node = startNode();
    const time = changes[5]?.timestamp ?? "";
    const fine = {
      fetch: async (request: Request) => {
        const response = await node.fetch(request);
        return new Response((await response.text()).replaceAll(time, `${BigInt(time) + 1n}`), response);
      },
    };
    expect(await sync(fine)).toMatchObject({ code: 1, stderr: expect.stringContaining("--timestamps nanos") });
    const long = startNode({
      balances: [{ ...change(first), balance: "9".repeat(39) }, ...changes.slice(1)],
    });
    expect(await sync(long)).toMatchObject({ code: 1, stderr: expect.stringContaining("--text-amounts") });
    for (const node of [fine, long]) {
      await rm(folder, { recursive: true, force: true });
      const flags = ["--timestamps", "nanos", "--text-amounts"];
      expect(await sync(node, ...flags)).toMatchObject({ code: 0, stderr: expect.stringContaining("balances stored") });
      expect(await sync(node, ...flags, "--check")).toMatchObject({ code: 0 });
    }
    expect((await rows())[0]).toMatchObject({ time: first, balance: "9".repeat(39) });
  });

  test("that is a symbolic link stays one, as does the file of a day", async () => {
    const [real, other] = [join(root, "disk"), join(root, "open.parquet")];
    await mkdir(real);
    await symlink(real, folder);
    const node = startNode();
    await sync(node, "--partial-day");
    await rename(fileOf(lastDay), other);
    await symlink(other, fileOf(lastDay));
    node.nextBlock({ balances: [change(node.block.timestamp + 1_000_000n)] });
    node.nextBlock();
    expect(await sync(node, "--partial-day")).toMatchObject({ code: 0 });
    expect(await realpath(fileOf(lastDay))).toBe(other);
    expect(await realpath(folder)).toBe(real);
    expect(await rows()).toHaveLength(201);
  });

  test("keeps an earlier day until the new one is complete, also if the node fails", async () => {
    const node = startNode();
    await sync(node, "--partial-day");
    const before = await rows();
    let requests = 0;
    const failing = {
      fetch: async (request: Request) => (++requests > 2 ? new Response("", { status: 500 }) : node.fetch(request)),
    };
    node.nextBlock();
    expect((await sync(failing, "--partial-day", "--retries", "0", "--page-size", "5")).code).not.toBe(0);
    expect(await rows()).toEqual(before);
    const files = await readdir(folder, { recursive: true });
    expect(files.filter((name) => name.includes("partial"))).toEqual([]);
  });
});

describe("a check of a folder", () => {
  test.each([
    ["the first day", "date=2024-02-07"],
    ["a day in the middle", "date=2024-02-10"],
  ])("finds %s without a file", async (_, day) => {
    const node = startNode();
    await sync(node);
    await rm(join(folder, "balance_changes", day), { recursive: true });
    const { code, stderr } = await sync(node, "--check");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^${day.slice(5)}: 0 records, \\d+ in the node`)),
    ]);
  });
});

describe("a file in the folder that does not belong there is refused by name:", () => {
  test.each<[what: string, change: () => Promise<unknown>, message: string]>([
    [
      "a day of another export",
      () => foreign("--party", party),
      "date=2024-02-09/part.parquet was written with other flags",
    ],
    [
      "a day with another date",
      () =>
        cp(join(folder, "balance_changes/date=2024-02-09"), join(folder, "balance_changes/date=2023-01-01"), {
          recursive: true,
        }),
      "date=2023-01-01/part.parquet to hold 2023-01-01, got 2024-02-09",
    ],
    [
      "a second file of a day",
      () => copyFile(fileOf("date=2024-02-09"), join(folder, "balance_changes/date=2024-02-09/part-1.parquet")),
      "date=2024-02-09/part-1.parquet is not from this program",
    ],
    [
      "a folder that is no day",
      () => mkdir(join(folder, "balance_changes/month=2024-02")),
      "month=2024-02 is not from this program",
    ],
    [
      "a file that is no Parquet",
      () => writeFile(fileOf("date=2024-02-09"), "PAR1 no PAR1"),
      "date=2024-02-09/part.parquet to be a Parquet file that sync has written",
    ],
    [
      "a file that ends early",
      async () => writeFile(fileOf("date=2024-02-09"), (await readFile(fileOf("date=2024-02-09"))).subarray(0, 600)),
      "date=2024-02-09/part.parquet to be a Parquet file that sync has written",
    ],
  ])("%s", async (_, change, message) => {
    const node = startNode();
    await sync(node);
    await change();
    const files = (await readdir(root, { recursive: true })).sort();
    for (const flags of [[], ["--check"]]) {
      const { code, stderr } = await sync(node, ...flags);
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
    }
    expect((await readdir(root, { recursive: true })).sort()).toEqual(files);
  });

  /** Puts the day of another folder in the place of one. */
  async function foreign(...flags: string[]) {
    const own = folder;
    folder = join(root, "other");
    await sync(startNode(), ...flags);
    const other = fileOf("date=2024-02-09");
    folder = own;
    await copyFile(other, fileOf("date=2024-02-09"));
  }
});
