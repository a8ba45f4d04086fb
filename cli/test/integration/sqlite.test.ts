import fs from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { formatUnits, type Vote } from "vegaprotocol-client";
import { balancesAt, statement } from "vegaprotocol-client/reports";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { compareRecords } from "../../../src/scan/timeline.js";
import { withOtherPaths } from "../../src/fake-node.js";
import { canonicalJson } from "../../src/sync/destination.js";
import { openSqlite, sqliteDestination } from "../../src/sync/destinations/sqlite.js";
import { loadSqlite, lock } from "../../src/sync/sqlite.js";
import { change, changes, first, hour, other } from "../support/changes.js";
import { testDestination } from "../support/destination-tests.js";
import { add, intercept, type Node, startNode } from "../support/nodes.js";
import { hasPostgres, usePostgres } from "../support/postgres.js";
import { readDestination } from "../support/read-destination.js";
import { ended, isWindows, runCli, useFolder } from "../support/run-cli.js";
import { query } from "../support/sqlite.js";

const path = useFolder();
let file: string;
beforeEach(() => {
  file = path("vega.db");
});

const sync = (node: Node, ...args: string[]) => runCli(["sync", file, ...args], { fetch: node.fetch });

const postgres = usePostgres();
const { signal } = new AbortController();

describe("SQLite", () => {
  describe("like each destination", () => testDestination("vega.db"));

  test("a database with other tables is refused, and its file is not changed", async () => {
    await query(file, ["CREATE TABLE mine (value TEXT)", "CREATE TABLE sync_state (value TEXT)"]);
    const before = await fs.readFile(file);
    for (const args of [[], ["--check"]]) {
      const refused = ended(1, "has tables that sync has not created. Use another file.");
      expect(await sync(startNode(), ...args)).toMatchObject(refused);
    }
    expect(before.equals(await fs.readFile(file))).toBe(true);
    expect(await fs.readdir(path("."))).toEqual(["vega.db"]);
  });

  test("a node of another network that is behind stores no assets", async () => {
    const nodeAt = (time: bigint, assetId: string) => {
      const balances = [{ ...change(time), assetId: assetId.repeat(32) }];
      return withOtherPaths(createFakeNode({ balances, block: { height: 9n, timestamp: time + hour } }));
    };
    const [own, foreign] = [nodeAt(first + 9n * hour, "ef"), nodeAt(first, "aa")];
    expect(await sync(own)).toMatchObject({ code: 0 });
    expect(await sync(foreign, "--catch-up", "1ms")).toMatchObject({ code: 3 });
    expect(await sync(own, "--check")).toMatchObject({ code: 0 });
  });

  test("a database that is closed has all records in one file, which can be copied", async () => {
    await sync(startNode());
    await fs.copyFile(file, path("backup.db"));
    const [rows] = await query(path("backup.db"), ["SELECT count(*) AS count FROM balance_changes"]);
    expect(rows).toEqual([{ count: 200n }]);
  });

  test("a database with votes alone, of which a run reads the first, has all of them in one file", async () => {
    const node = startNode({ balances: [], votes: 3000 });
    const [vote] = node.records.votes;
    const argv = ["votes", "--proposal", vote?.proposalId ?? ""];
    expect(await sync(node, ...argv)).toMatchObject({ code: 0 });
    node.nextBlock({ votes: [{ ...vote, timestamp: `${node.block.timestamp}` } as Vote] });
    node.nextBlock();
    expect(await sync(node, ...argv)).toMatchObject(ended(0, ": 1 new vote,"));
    const log = await fs.stat(`${file}-wal`).catch(() => ({ size: 0 }));
    expect(log.size).toBe(0);
  });

  test("a database that is being written has its finished batches in one file", async () => {
    const destination = await openSqlite(file, { mode: "write", signal });
    const batch = { list: "balances", query: {}, records: [change(hour)], checkpoint: undefined } as const;
    await destination.store(batch);
    await fs.copyFile(file, path("backup.db"));
    // SQLite would apply a log to a backup that is put in place of the file.
    expect((await fs.stat(`${file}-wal`)).size).toBe(0);
    await destination.close();
    const [rows] = await query(path("backup.db"), ["SELECT count(*) AS count FROM balance_changes"]);
    expect(rows).toEqual([{ count: 1n }]);
  });

  test("a copy is compared with every table of its database", async () => {
    const node = createFakeNode({ balances: 300, votes: 60, signatures: 9, profiles: 7 }, { rateLimit: false });
    const { balances, votes, signatures } = node.records;
    const ids = ["--proposal", votes[0]?.proposalId ?? "", "--id", signatures[0]?.id ?? ""];
    await sync(node, "balances", "votes", "signatures", "profiles", ...ids);
    await sync(node, "--party", balances[0]?.partyId ?? "");
    const copy = () => runCli(["sync", path("copy.db"), "--from-db", file]);
    const own = votes.filter(({ proposalId }) => proposalId === votes[0]?.proposalId).length;
    const text = new RegExp(`: 300 balance changes, ${own} votes, \\d signatures?, 7 profiles, 0 assets\\.\n$`);
    expect(await copy()).toMatchObject({ code: 0, stdout: expect.stringMatching(text) });
    await query(path("copy.db"), ["DELETE FROM party_profiles"]);
    expect(await copy()).toMatchObject(ended(1, "The profiles of the copy differ. Copy to an empty destination."));
    await fs.link(file, path("link.db"));
    for (const name of [file, path("link.db")]) {
      const toItself = await runCli(["sync", name, "--from-db", file]);
      expect(toItself).toMatchObject(ended(2, "Expected --from-db to be another file than DESTINATION"));
    }
  });

  test("records that another query has stored are not counted as new", async () => {
    await sync(startNode());
    expect((await sync(startNode(), "--party", other)).stderr).toContain("vega.db: 0 new balance changes, ");
  });

  test.each([false, true])(
    "the first records of a filter come from a short part of the range, newest first: %s",
    async (isDown) => {
      await sync(startNode());
      const sqlite = (await loadSqlite())(file);
      const hours: bigint[] = [];
      /** Notes the range of each query. */
      function prepare(sql: string) {
        const statement = sqlite.prepare(sql);
        const iterate = (values: { 1?: string; 2?: string } = {}) => {
          if (values[1] && values[2]) hours.push((BigInt(values[2]) - BigInt(values[1])) / hour);
          return statement.iterate(values);
        };
        return { ...statement, get: (...values: object[]) => statement.get(...values), iterate };
      }
      const exec = (sql: string) => sqlite.exec(sql);
      const options = { name: file, mode: "read", signal } as const;
      const copy = await sqliteDestination({ exec, prepare, close: () => sqlite.close() }, options);
      const range = { start: first + 7n * hour, end: first + 190n * hour };
      const read = (filter: object) => copy.read(filter, range, isDown);
      const own = changes.slice(7, 190).filter(({ partyId }) => partyId === other);
      for await (const record of read({ partyIds: [other] })) {
        expect(record).toEqual(own.at(isDown ? -1 : 0));
        break;
      }
      expect(hours).toEqual([1n, 4n]);
      hours.length = 0;
      const found = await Readable.from(read({ partyIds: [other] })).toArray();
      expect(isDown ? found.reverse() : found).toEqual(own);
      expect(hours).toEqual([1n, 4n, 16n, 64n, 98n]);
      // All records are stored in this order.
      hours.length = 0;
      expect(await Readable.from(read({})).toArray()).toHaveLength(183);
      expect(hours).toEqual([183n]);
      await copy.close();
    },
  );

  test("a database of another version is refused, with advice", async () => {
    await sync(startNode());
    await query(file, ["UPDATE sync_version SET version = 1"]);
    expect(await sync(startNode())).toMatchObject(ended(1, "writes version 2. Sync again to another file."));
  });

  test.skipIf(isWindows || process.getuid?.() === 0)("a file that may not be read is refused by its name", async () => {
    await sync(startNode());
    await fs.chmod(file, 0);
    const refused = ended(1, `SQLite cannot open ${file}. Check that you may read it.`);
    expect(await sync(startNode(), "--check")).toMatchObject(refused);
  });

  test("a file that is no database is refused by its name", async () => {
    await fs.writeFile(file, "not a database ".repeat(100));
    const refused = ended(1, `Error: SQLite cannot use ${file}: file is not a database.\n`);
    expect(await sync(startNode())).toMatchObject(refused);
  });

  test("a lock file that is damaged is not taken for a damaged database", async () => {
    await fs.writeFile(`${file}.lock`, "not a lock ".repeat(100));
    const refused = `Error: The lock file ${file}.lock is damaged. Remove it if no other process writes ${file}.`;
    expect(await sync(startNode())).toMatchObject(ended(1, refused));
    await fs.rm(`${file}.lock`);
    expect(await sync(startNode())).toMatchObject({ code: 0 });
  });

  test("an empty file becomes a copy, with a notice: it may have been one", async () => {
    await fs.writeFile(file, "");
    expect(await sync(startNode(), "--check")).toMatchObject(ended(2, "has no copy: run vegaprotocol sync first."));
    expect(await sync(startNode())).toMatchObject(ended(0, `${file} is an empty file: a new copy begins in it.`));
    expect((await sync(startNode())).stderr).not.toContain("empty");
  });

  test.each([
    { code: "UNKNOWN_SQLITE_ERROR_1544", rawCode: 1544 },
    { code: "SQLITE_READONLY", rawCode: 8 },
    { code: "ERR_SQLITE_ERROR", errcode: 14 },
  ])("a database where nothing may be written is refused by its name, with advice: %j", async (members) => {
    const fail = () => {
      throw Object.assign(new Error("attempt to write a readonly database"), members);
    };
    const opened = sqliteDestination({ exec: fail, prepare: fail, close() {} }, { name: file, mode: "read", signal });
    await expect(opened).rejects.toThrow(
      `SQLite cannot use ${file}: attempt to write a readonly database. It creates a file next to a database that it reads: copy it`,
    );
  });

  const replace = async () => {
    await query(file, [`VACUUM INTO '${path("backup.db")}'`]);
    await fs.rename(path("backup.db"), file);
  };
  // Windows moves no file that is open.
  test.skipIf(isWindows).each([
    ["moved away", async () => fs.rename(file, path("old.db"))],
    ["replaced by a backup", replace],
  ])("a file that is %s ends a run, whose records would be in no file of that name", async (_, move) => {
    const node = startNode();
    const moving = intercept(node, async (number) => {
      if (number !== 8) return;
      await move();
      add(node, change(node.block.timestamp));
    });
    const result = await sync(moving, "--follow", "--poll-interval", "5ms");
    expect(result).toMatchObject(ended(1, "but it was moved, removed or replaced. Run sync again"));
    for (const suffix of ["-wal", "-shm"]) await fs.rm(file + suffix, { force: true });
    expect(await sync(node)).toMatchObject({ code: 0 });
    expect(await sync(node, "--check")).toMatchObject({ code: 0 });
  });

  test("a lock is that of the file behind a symbolic link, also of one that is not there yet", async () => {
    const release = await lock(file);
    const links = path("links");
    await fs.mkdir(links);
    await fs.symlink(file, join(links, "linked.db"));
    file = join(links, "linked.db");
    expect(await sync(startNode())).toMatchObject(ended(1, `Process ${process.pid} on `));
    await release();
    for (let run = 0; run < 2; run++) expect(await sync(startNode())).toMatchObject({ code: 0 });
    expect(await fs.readdir(links)).toEqual(["linked.db"]);
    expect(await fs.readdir(path("."))).not.toContain("vega.db.lock");
  });

  const numbers = (row: object = {}) => Object.values(row).map((value) => BigInt(value));

  test("balances of up to 78 digits are stored, and their sum is exact", async () => {
    const amounts = [2n ** 256n - 1n, 10n ** 60n - 1n, 10n ** 43n + 7n, 10n ** 42n - 1n, 12n];
    const balances = amounts.map((amount, index) => change(first + BigInt(index) * hour, `${amount}`));
    expect(await sync(startNode({ balances }))).toMatchObject({ code: 0 });
    const columns = ["highest", "higher", "high", "middle", "low"].map((name) => `sum(${name}) AS ${name}`);
    const [[row] = []] = await query(file, [`SELECT ${columns} FROM balance_changes`]);
    const [highest = 0n, higher = 0n, high = 0n, middle = 0n, low = 0n] = numbers(row);
    expect(highest * 10n ** 60n + higher * 10n ** 42n + high * 10n ** 24n + middle * 10n ** 12n + low).toBe(
      amounts.reduce((sum, amount) => sum + amount),
    );
  });

  test("the queries of the page find what the reports of the library say", async () => {
    const fake = createFakeNode({ balances: 5000, votes: 90 }, { defects: nodeDefects, rateLimit: false });
    const changes = [...fake.records.balances].sort(compareRecords);
    const { partyId: party = "", assetId: asset = "", timestamp: time = "0" } = changes[2500] ?? {};
    const end = changes[4000]?.timestamp ?? "0";
    const { proposalId: proposal = "" } = fake.records.votes[0] ?? {};
    await sync(withOtherPaths(fake), "balances", "votes", "--proposal", proposal);
    const page = await fs.readFile(new URL("../../../docs/sync.md", import.meta.url), "utf8");
    const statements = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql);
    expect(statements.length).toBeGreaterThanOrEqual(6);
    const found = await query(file, statements, { party, asset, time, end, proposal });
    const rowsOf = (text: string) => found[statements.findIndex((sql) => sql.includes(text))] ?? [];
    const balancesOf = (text: string) => rowsOf(text).map(({ balance }) => BigInt(balance ?? 0));
    const isComplete = true;
    const then = await balancesAt(changes, BigInt(time), { isComplete });
    const now = await balancesAt(changes, BigInt(changes.at(-1)?.timestamp ?? 0), { isComplete });
    /** The balances of accounts of a party or an asset, the largest first. */
    const amounts = (accounts: typeof now, id: string) =>
      accounts
        .filter(({ partyId, assetId }) => partyId === id || assetId === id)
        .map(({ balance = 0 }) => BigInt(balance))
        .sort((a, b) => (a < b ? 1 : -1));
    const sum = (all: readonly bigint[]) => all.reduce((a, b) => a + b, 0n);

    expect(amounts(then, party).length).toBeGreaterThan(0);
    expect(new Set(balancesOf("AND time <= CAST(:time AS INTEGER)"))).toEqual(new Set(amounts(then, party)));
    expect(new Set(balancesOf("FROM balances_now WHERE party"))).toEqual(new Set(amounts(now, party)));
    const [high = 0n, middle = 0n, low = 0n] = numbers(rowsOf("sum(high)")[0]);
    expect(high * 10n ** 24n + middle * 10n ** 12n + low).toBe(sum(amounts(now, asset)));
    expect(balancesOf("ORDER BY length(balance)")).toEqual(amounts(now, asset).slice(0, 10));
    expect(balancesOf(") AS held ORDER BY")).toEqual(amounts(then, asset).slice(0, 10));

    // All changes are of one day.
    const own = changes.filter(({ partyId }) => partyId === party);
    const accounts = await statement(own, { from: 0n, to: 2n ** 62n });
    const flows = new Map(rowsOf("sum(delta_units)").map(({ symbol, flow }) => [symbol, Number(flow)]));
    const { assets } = await (await withOtherPaths(fake).fetch("https://node.example/api/v2/assets")).json();
    for (const { node } of assets.edges) {
      const lines = accounts.filter(({ assetId }) => assetId === node.id).flatMap(({ lines }) => lines);
      const flow = formatUnits(sum(lines.map(({ change }) => BigInt(change ?? 0))), Number(node.details.decimals));
      expect(flows.get(node.details.symbol) ?? 0).toBeCloseTo(Number(flow), 4);
    }

    const inRange = changes.filter(({ timestamp }) => timestamp >= time && timestamp < end);
    expect(rowsOf("FROM account_changes\nWHERE time >=")).toEqual([{ changes: BigInt(inRange.length) }]);

    const votes = fake.records.votes.filter(({ proposalId }) => proposalId === proposal).map(({ value }) => value);
    const counts = new Map(votes.map((value) => [value, BigInt(votes.filter((each) => each === value).length)]));
    expect(new Map(rowsOf("FROM votes WHERE").map(({ value, parties }) => [value, parties]))).toEqual(counts);
  });

  test.skipIf(!hasPostgres)("a copy to PostgreSQL equals the database, and continues with the node", async () => {
    const url = postgres()?.url ?? "";
    const data = { balances: 5000, votes: 600, signatures: 20, profiles: 30 };
    const node = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
    const { balances, votes, signatures } = node.records;
    const flags = ["--proposal", votes[0]?.proposalId ?? "", "--id", signatures[0]?.id ?? ""];
    const lists = ["balances", "votes", "signatures", "profiles", ...flags];
    for (const args of [lists, ["--party", balances[0]?.partyId ?? ""]])
      expect(await sync(node, ...args)).toMatchObject({ code: 0 });
    const run = (...args: string[]) => runCli(["sync", url, ...args], { fetch: node.fetch });
    for (let runs = 0; runs < 2; runs++) {
      const { code, stdout } = await run("--from-db", file);
      const equal = /^postgres.* equals .*: 5,\d+ balance changes, \d+ votes, /;
      expect([code, stdout]).toEqual([0, expect.stringMatching(equal)]);
      expect(stdout).not.toContain("secret");
    }
    const sql = (schema: string) => `SELECT count(*) AS count FROM ${schema}votes_history`;
    expect([await postgres()?.sql(sql("vega."))]).toEqual(await query(file, [sql("")]));
    const contentOf = async (name: string) =>
      Object.values(await readDestination(name)).map((records: object[]) => records.map(canonicalJson).sort());
    expect(await contentOf(url)).toEqual(await contentOf(file));
    add(node, change(node.block.timestamp));
    expect(await run(...lists)).toMatchObject(ended(0, ": 1 new balance change"));
    expect(await run("--check")).toMatchObject({ code: 0 });
  });
});
