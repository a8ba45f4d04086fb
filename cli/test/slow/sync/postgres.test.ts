import { readFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { withOtherPaths } from "../../../src/fake-node.js";
import { formatTime } from "../../../src/times.js";
import { account, change, changes, first, hour, other, party } from "../../support/changes.js";
import { testDestination } from "../../support/destination-tests.js";
import { add, intercept, type Node, startNode } from "../../support/nodes.js";
import { hasPgBouncer, hasPostgres, startPgBouncer, startPostgres } from "../../support/postgres.js";
import { listening } from "../../support/proxy.js";
import { type CliOptions, ended, interruption, runCli } from "../../support/run-cli.js";

describe.skipIf(!hasPostgres)("PostgreSQL (skipped if it is not installed)", () => {
  describe("like each destination", () => testDestination("PostgreSQL"));
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.close(), 60_000);
  beforeEach(async () => {
    await server.sql("DROP SCHEMA IF EXISTS vega CASCADE");
  });

  const sync = (node: Node, ...args: string[]) =>
    runCli(["sync", server.url, "--catch-up", "10ms", ...args], { fetch: node.fetch });
  const select = async (sql: string) => (await server.sql(sql)).map((row) => Object.values(row));

  test("has every version of a vote, and the last one", async () => {
    const node = startNode({ votes: 300 });
    const [vote] = node.records.votes;
    const { proposalId = "", partyId } = vote ?? {};
    const votes = BigInt(node.records.votes.filter((each) => each.proposalId === proposalId).length);
    const run = () => sync(node, "votes", "--proposal", proposalId);
    for (let runs = 0; runs < 2; runs++) expect(await run()).toMatchObject({ code: 0 });
    const counts = "SELECT (SELECT count(*) FROM vega.votes), (SELECT count(*) AS versions FROM vega.votes_history)";
    expect(await select(counts)).toEqual([[votes, votes]]);
    node.nextBlock({ votes: [{ ...vote, value: "VALUE_NO", timestamp: `${node.block.timestamp}` } as never] });
    node.nextBlock();
    expect(await run()).toMatchObject({ code: 0 });
    expect(await select(counts)).toEqual([[votes, votes + 1n]]);
    expect(await select(`SELECT value FROM vega.votes WHERE party = '${partyId}'`)).toEqual([["VALUE_NO"]]);
  });

  test("has the queries of the page in its own forms", async () => {
    const node = startNode({ votes: 30 });
    const [{ proposalId: proposal = "" } = {}] = node.records.votes;
    const run = await sync(withOtherPaths(node), "balances", "votes", "--proposal", proposal);
    expect(run).toMatchObject({ code: 0 });
    const page = await readFile(new URL("../../../../docs/sync.md", import.meta.url), "utf8");
    const [, text = ""] = /^```sql no-run\n(-- [\s\S]*?)^```$/m.exec(page) ?? [];
    const [time, end] = [90, 95].map((hours) => formatTime(first + BigInt(hours) * hour));
    const values: Readonly<Record<string, string | undefined>> = { party, asset: account.assetId, time, end, proposal };
    const found: unknown[][][] = [];
    for (const sql of text.split(/;\n/).filter((each) => each.trim() !== ""))
      found.push(await select(sql.replaceAll(/:'(\w+)'/g, (_, name) => `'${values[name]}'`)));
    const [then, flows, number, holders, largest, totals, voters] = found;
    const amount = (index: number) => changes[index]?.balance;
    expect(then).toEqual([[account.assetId, "", account.accountType, amount(89)]]);
    expect(flows).toHaveLength(9);
    expect(number).toEqual([[5n]]);
    const own = (index: number, id: string) => [id, account.accountType, amount(index)];
    expect(holders).toEqual([
      [party, amount(199)],
      [other, amount(198)],
    ]);
    expect(largest).toEqual([own(90, other), own(89, party)]);
    expect(totals).toEqual([[account.assetId, String(BigInt(amount(199) ?? 0) + BigInt(amount(198) ?? 0))]]);
    const amounts = (voters ?? []).map(([, , balance]) => BigInt(String(balance)));
    expect(amounts.length).toBeGreaterThan(0);
    expect(amounts).toEqual([...amounts].sort((a, b) => (a > b ? -1 : 1)));
  });

  test("keeps the tables of a schema of its own, which --schema names", async () => {
    const node = startNode();
    // Also one that is a word of SQL.
    for (const schema of ["copy_2", "user"]) {
      expect(await sync(node, "--schema", schema)).toMatchObject({ code: 0 });
      expect(await select(`SELECT count(*) FROM "${schema}".balance_changes`)).toEqual([[200n]]);
    }
    expect(await sync(node, "--schema", "a; b")).toMatchObject(ended(2, "--schema"));
    await server.sql("CREATE SCHEMA vega; CREATE TABLE vega.mine (value text)");
    for (const flags of [[], ["--check"]]) {
      const refused = ended(1, "has tables that sync has not created. Use another --schema");
      expect(await sync(node, ...flags)).toMatchObject(refused);
    }
  });

  test("names what is wrong with a user who only reads, and with a server that is not there", async () => {
    const node = startNode();
    await sync(node);
    await server.sql("CREATE ROLE reader LOGIN IN ROLE pg_read_all_data");
    add(node, change(node.block.timestamp));
    const run = (url: string, ...flags: string[]) => runCli(["sync", url, ...flags], { fetch: node.fetch });
    const url = server.url.replace("owner:secret", "reader:hidden");
    const denied = await run(url);
    expect(denied).toMatchObject(ended(1, "permission denied"));
    expect(denied.stderr).toContain("Use a user who may create and write tables there.");
    expect(denied.stderr).not.toContain("hidden");
    expect(await run(url, "--check")).toMatchObject({ code: 0 });
    const absent = "owner:…@127.0.0.1:1/vega: no server listens there";
    expect(await run("postgres://owner:secret@127.0.0.1:1/vega")).toMatchObject(ended(1, absent));
    for (const password of ["se/cret", "se?cret", "se#cret", "s@e:cret", "se/c@ret/x?y"]) {
      const { code, stderr } = await run(`postgres://owner:${password}@127.0.0.1:1/vega`);
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("owner:…@127.0.0.1:1/vega")]);
    }
  });

  test.each([
    ["SIGQUIT", "url"],
    ["SIGINT", "url"],
    ["SIGINT", "socketUrl"],
  ] as const)("continues when the server restarts after %s: %s", async (signal, address) => {
    const node = intercept(startNode(), (number) => number === 5 && server.restart(signal));
    const run = await runCli(["sync", server[address], "--page-size", "20", "--catch-up", "10ms"], node);
    expect(run).toMatchObject(ended(0, "Trying again for five minutes."));
    const times =
      "SELECT (extract(epoch FROM time) * 1000000)::bigint, balance::text FROM vega.balance_changes ORDER BY time";
    expect(await select(times)).toEqual(changes.map(({ timestamp, balance }) => [BigInt(timestamp) / 1000n, balance]));
  });

  /** Runs sync through a proxy, which gets each message of both sides, and drops it if the function returns false. */
  async function syncThrough(
    onMessage: (text: string, end: (code?: string) => void) => boolean,
    flags: readonly string[] = [],
    options: CliOptions = {},
  ) {
    const { port } = new URL(server.url);
    const proxy = createServer((client) => {
      const target = connect(Number(port), "127.0.0.1");
      target.on("error", () => {}).on("close", () => client.destroy());
      client.on("error", () => {}).on("close", () => target.destroy());
      // A server that ends says so, perhaps in place of the result that it was about to send.
      const end = (code = "57P01") => client.end(`E\0\0\0\x13C${code}\0Mended\0\0`);
      client.on("data", (data: Buffer) => onMessage(data.toString("latin1"), end) && target.write(data));
      target.on("data", (data: Buffer) => onMessage("", end) && client.write(data));
    });
    const url = server.url.replace(port, String(await listening(proxy)));
    return runCli(["sync", url, "--catch-up", "10ms", ...flags], { fetch: startNode().fetch, ...options });
  }

  test("stores everything if the server ends at any message, from the first one on", async () => {
    const runEnding = async (last: number) => {
      const schema = `ends_${last}`;
      let messages = 0;
      const onMessage = (_: string, end: () => void) => {
        if (++messages === last) end();
        return messages !== last;
      };
      const { code, stderr } = await syncThrough(onMessage, ["--schema", schema]);
      expect([last, code, stderr]).toEqual([last, 0, expect.stringContaining("200 new balance changes")]);
      expect(await select(`SELECT count(*) FROM ${schema}.balance_changes`)).toEqual([[200n]]);
      return messages;
    };
    const all = await runEnding(0);
    expect(all).toBeGreaterThan(30);
    await Promise.all(Array.from({ length: all }, (_, index) => runEnding(index + 1)));
  });

  /** A code of PostgreSQL in place of the result of the nth message with a text. */
  type Refusal = [text: string, nth: number, code: string];
  const insert = "INSERT INTO account_changes";
  test.each([
    ["has no free connection when it has restarted", [insert, 1, "57P01"], ["application_name", 2, "53300"]],
    ["is a standby for a moment, which accepts no writes", [insert, 1, "25006"]],
  ] satisfies [string, ...Refusal[]][])("continues when the server %s", async (_, ...refusals: Refusal[]) => {
    const refused = new Map<string, number>();
    const onMessage = (message: string, end: (code?: string) => void) => {
      const found = refusals.find(([text, nth]) => {
        const count = (refused.get(text) ?? 0) + Number(message.includes(text));
        refused.set(text, count);
        return message.includes(text) && count === nth;
      });
      if (found) end(found[2]);
      return found === undefined;
    };
    expect(await syncThrough(onMessage)).toMatchObject({ code: 0 });
    expect(await select("SELECT count(*) FROM vega.balance_changes")).toEqual([[200n]]);
    for (const [text, nth] of refusals) expect(refused.get(text)).toBeGreaterThan(nth);
  });

  test.skipIf(!hasPgBouncer)(
    "works through PgBouncer, unless it shares the session (skipped if it is not installed)",
    async () => {
      const node = startNode();
      for (const mode of ["transaction", "statement", "session"] as const) {
        const pooler = await startPgBouncer(server.url, mode);
        onTestFinished(pooler.close);
        const run = (...flags: string[]) =>
          runCli(["sync", pooler.url, "--catch-up", "10ms", ...flags], { fetch: node.fetch });
        const shared = "got one that a pooler shares between transactions. Set pool_mode = session in PgBouncer";
        expect(await run()).toMatchObject(mode === "session" ? { code: 0 } : ended(1, shared));
        if (mode === "session") expect(await run("--check")).toMatchObject({ code: 0 });
        expect(await select("SHOW search_path")).toEqual([['"$user", public']]);
      }
      const locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
      await expect.poll(() => select(locks)).toEqual([[0n]]);
    },
  );

  test("needs no right but those to its schema", async () => {
    const node = startNode();
    await server.sql("CREATE ROLE tenant LOGIN; CREATE SCHEMA tenant AUTHORIZATION tenant");
    const target = server.url.replace("owner:secret", "tenant:hidden");
    const run = (...flags: string[]) => runCli(["sync", target, "--schema", "tenant", ...flags], { fetch: node.fetch });
    for (const flags of [[], ["--check"]]) expect(await run(...flags)).toMatchObject({ code: 0 });
    await server.sql("DROP OWNED BY tenant CASCADE");
    await sync(node);
    const unusable = ended(1, "Use a user with the right USAGE on the schema.");
    expect(await run("--schema", "vega", "--check")).toMatchObject(unusable);
    await server.sql("GRANT USAGE ON SCHEMA vega TO tenant");
    const denied = ended(1, "permission denied for table sync_version. Use a user who may read all tables there.");
    expect(await run("--schema", "vega", "--check")).toMatchObject(denied);
  });

  test("names the process that writes to the same database, and no other one", async () => {
    await server.sql("CREATE DATABASE other");
    const lock = async (database: string, name: string) => {
      const connectionString = server.url.replace(/postgres$/, database);
      const client = new pg.Client({ connectionString, application_name: name });
      await client.connect();
      await client.query("SELECT pg_advisory_lock(hashtextextended('vegaprotocol vega', 0))");
      return client;
    };
    const one = await lock("other", "vegaprotocol 1 on first");
    const two = await lock("postgres", "vegaprotocol 2 on second");
    expect(await sync(startNode())).toMatchObject(ended(1, "Process 2 on second, connected since "));
    for (const client of [one, two]) await client.end();
  });

  test.each([
    [
      "postgres://owner@127.0.0.1:1/vega?host=/nowhere",
      "Cannot reach schema vega of postgres://owner@127.0.0.1:1/vega?host=/nowhere: connect ENOENT",
    ],
    ["?sslmode=require", "/postgres?sslmode=require: The server does not support SSL connections."],
  ])("names the server that it cannot use: %s", async (address, message) => {
    const url = address.startsWith("?") ? server.url + address : address;
    expect(await runCli(["sync", url], { fetch: startNode().fetch })).toMatchObject(ended(1, message));
  });

  test.each([
    ["a new connection", "application_name"],
    ["a statement", "CREATE TABLE"],
  ])("is interrupted while the server does not respond to %s", async (_, message) => {
    const { signal, interrupt } = interruption("SIGTERM");
    const hangs = (text: string) => {
      if (text.includes(message)) interrupt();
      return !text.includes(message);
    };
    expect(await syncThrough(hangs, [], { signal })).toMatchObject({ code: 143 });
  });

  test("has no connection after it was interrupted at any message", async () => {
    const runUntil = async (last: number) => {
      const { signal, interrupt } = interruption("SIGTERM");
      let messages = 0;
      const onMessage = () => {
        if (++messages === last) interrupt();
        return true;
      };
      const { code } = await syncThrough(onMessage, ["--schema", `until_${last}`], { signal });
      expect([last, [0, 143]]).toEqual([last, expect.arrayContaining([code])]);
      return messages;
    };
    const all = await runUntil(0);
    await Promise.all(Array.from({ length: all }, (_, index) => runUntil(index + 1)));
    const own = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'vegaprotocol%'";
    await expect.poll(() => select(own)).toEqual([[0n]]);
  });
});
