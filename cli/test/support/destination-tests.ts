import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "vegaprotocol-client";
import { createFakeNode } from "vegaprotocol-client/testing";
import { beforeEach, expect, test } from "vitest";
import { withOtherPaths } from "../../src/fake-node.js";
import { checkSync } from "../../src/sync/check.js";
import { type Destination, type OpenMode, syncLists } from "../../src/sync/destination.js";
import { openDestination } from "../../src/sync/open.js";
import { rowOf, tables } from "../../src/sync/rows.js";
import { syncTo } from "../../src/sync/sync.js";
import { formatTime } from "../../src/times.js";
import { changeParquet, changeSql } from "./change-value.js";
import { account, block, change, changes, first, hour, ids, other, party } from "./changes.js";
import { add, changed, intercept, type Node, startNode } from "./nodes.js";
import { usePostgres } from "./postgres.js";
import { readDestination } from "./read-destination.js";
import { ended, equal, gate, runCli, runUntil, useFolder } from "./run-cli.js";
import { query } from "./sqlite.js";

/** How a destination keeps what is synchronized to it. */
export function testDestination(kind: "vega/" | "vega.db" | "PostgreSQL"): void {
  const path = useFolder();
  const server = kind === "PostgreSQL" ? usePostgres() : () => undefined;
  beforeEach(async () => void (await server()?.sql("DROP SCHEMA IF EXISTS vega CASCADE")));
  const isFolder = kind === "vega/";
  const target = () => (kind === "PostgreSQL" ? (server()?.url ?? "") : path(kind));
  const usual = ["--catch-up", "10ms", ...(isFolder ? ["--partial-day"] : [])];
  const sync = ({ fetch }: Node, ...args: string[]) => runCli(["sync", target(), ...usual, ...args], { fetch });
  const content = () => readDestination(target());
  const stored = async () => (await content()).balances;

  test("has every balance change with its exact time and amount, and continues with the next run", async () => {
    const node = startNode();
    const { code, stderr } = await sync(node);
    expect([code, stderr]).toEqual([0, expect.stringContaining("200 new balance changes, complete from 2024-02-07T")]);
    expect(stderr).not.toContain("secret");
    expect(await stored()).toEqual(changes);
    const later = change(node.block.timestamp);
    add(node, later);
    expect(await sync(node)).toMatchObject(ended(0, ": 1 new balance change"));
    expect(await stored()).toEqual([...changes, later]);
    expect(await sync(node, "--check")).toMatchObject(equal(201));
  });

  test("says at the first run that the node lists no assets, and refuses symbols", async () => {
    const text = "no assets, because the node lists none";
    expect(await sync(startNode())).toMatchObject(ended(0, text));
    expect((await sync(startNode())).stderr).not.toContain(text);
    for (const line of ["balances --at now", "statement --from 2024-02-08"]) {
      const report = (asset: string) => runCli([...line.split(" "), "--asset", asset, "--db", target()]);
      const refused = 'Expected --asset to be an id, got "VEGA": no assets are listed';
      expect(await report("VEGA")).toMatchObject(ended(2, refused));
      expect(await report(account.assetId)).toMatchObject({ code: 0 });
    }
  });

  test("has votes, signatures and profiles", async () => {
    const node = startNode({ votes: 300, profiles: 40, signatures: 30 });
    const [proposal, id] = [node.records.votes[0]?.proposalId ?? "", node.records.signatures[0]?.id ?? ""];
    const lists = ["balances", "votes", "profiles", "signatures", "--proposal", proposal, "--id", id];
    for (const flags of [[], [], ["--check"]])
      expect(await sync(withOtherPaths(node), ...lists, ...flags)).toMatchObject({ code: 0 });
    const votes = node.records.votes.filter(({ proposalId }) => proposalId === proposal);
    const found = await content();
    expect(new Set(found.votes)).toEqual(new Set(votes));
    expect(new Set(found.signatures)).toEqual(new Set(node.records.signatures.filter((each) => each.id === id)));
    expect(found.profiles).toHaveLength(40);
  });

  test("has votes on many proposals, of which a run and a comparison read each once", async () => {
    const node = startNode({ balances: changes, votes: 300 });
    const client = createClient({ baseUrl: "http://node.example", fetch: node.fetch });
    const ids = [...new Set(node.records.votes.map(({ proposalId }) => proposalId))];
    expect(ids.length).toBeGreaterThan(2);
    const { signal } = new AbortController();
    const plan = { votes: ids.map((proposalId) => ({ proposalId })), signal };
    /** How many rows a task reads. */
    async function rowsOf(mode: OpenMode, task: (destination: Destination) => Promise<void>): Promise<number> {
      const destination = await openDestination(target(), mode, signal);
      let rows = 0;
      async function* read(...selection: Parameters<Destination["rows"]>) {
        for await (const row of destination.rows(...selection)) {
          rows++;
          yield row;
        }
      }
      await task({ ...destination, rows: read }).finally(destination.close);
      return rows;
    }
    const run = () => rowsOf("write", (destination) => syncTo(destination, client, plan));
    await run();
    node.nextBlock({ votes: [] });
    // One vote shows that a proposal has some, and the first one that the node is of the same network.
    expect(await run()).toBeLessThanOrEqual(ids.length + 1);
    const compare = async (destination: Destination) => {
      for await (const { different } of checkSync(destination, client, plan)) expect(different).toEqual([]);
    };
    expect(await rowsOf("read", compare)).toBe(node.records.votes.length);
  });

  test("is compared with a node, record by record, from where it begins", async () => {
    await sync(startNode({ balances: changes.slice(10) }));
    const added = change(first + 100n * hour + 999_000n);
    const balances = [...changes, added]
      .map((each, index) => (index === 30 ? { ...each, balance: "1" } : each))
      .filter((_, index) => index !== 60);
    const { code, stderr } = await sync(startNode({ balances }), "--check");
    const [from, file] = [join(target(), "balance_changes/date="), "/part.parquet"];
    const named = stderr.replaceAll(from, "balance_changes ").replaceAll(file, "");
    const firstAt = (time: string) =>
      `First: time 2024-02-${time}Z, party ${other}, asset ${account.assetId}, account_type ${account.accountType}`;
    const balance = `0 missing, 1 changed, 0 that the node does not have. ${firstAt("08T16:00:00.000000000")}: balance is `;
    expect([code, named.trimEnd().split("\n")]).toEqual([
      1,
      [
        `08: 24 records, 24 in the node: ${balance}${changes[30]?.balance}, in the node 1.`,
        `09: 24 records, 23 in the node: 0 missing, 0 changed, 1 that the node does not have. ${firstAt("09T22:00:00.000000000")}: the node does not have it.`,
        `11: 24 records, 25 in the node: 1 missing, 0 changed, 0 that the node does not have. ${firstAt("11T14:00:00.000999000")}: missing.`,
      ].map((line) => `balance_changes 2024-02-${line}`),
    ]);
    const same = startNode({ balances: changes.slice(10) });
    expect(await sync(same, "--check", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  const columns = syncLists.flatMap((list) => Object.keys(tables[list].columns).map((name) => [list, name] as const));
  test.each(columns)("of %s is compared value by value: %s", async (list, column) => {
    const own = startNode({ balances: changes.slice(-30), votes: 60, profiles: 4, signatures: 20 });
    const node = withOtherPaths(own);
    const { votes, profiles, signatures } = own.records;
    // Assets come with the balances.
    const named = list === "assets" ? "balances" : list;
    const selected: Readonly<Record<string, readonly string[]>> = {
      votes: ["--proposal", votes[0]?.proposalId ?? ""],
      signatures: ["--id", signatures[0]?.id ?? ""],
    };
    const flags = [named, ...(selected[named] ?? [])];
    expect(await sync(node, ...flags)).toMatchObject({ code: 0 });
    const assets = { id: account.assetId, symbol: "DAI", name: "DAI", decimals: "18" };
    const [vote, profile, signature, change] = [votes[0], profiles[1], signatures[0], changes.at(-1)];
    const records = { balances: change, votes: vote, signatures: signature, profiles: profile, assets };
    const record = { timestamp: undefined, partyId: "", sig: "", ...records[list] };
    const row = rowOf(list, record);
    const sql = changeSql(list, column, row, kind === "PostgreSQL");
    const date = list === "balances" ? "2024-02-15" : undefined;
    if (isFolder) await changeParquet(target(), list, column, row, { date });
    else if (kind === "PostgreSQL") await server()?.sql(`SET search_path TO vega; ${sql}`);
    else await query(target(), [sql]);
    const result = await sync(node, "--check", ...flags);
    const { timestamp, partyId, sig } = record;
    if (timestamp) expect(result.stderr).toContain(formatTime(BigInt(timestamp)).slice(0, 10));
    expect(result.stderr).toContain(partyId || sig);
    const isKey = Object.keys(tables[list].columns).indexOf(column) < tables[list].keySize;
    expect(result).toMatchObject(ended(1, tables[list].name));
    expect(result.stderr).toMatch(isKey ? /: (?:missing|the node does not have it)\.\n/ : ` ${column} is `);
  });

  test.runIf(isFolder)("is compared with the newest vote, also if its time was changed to an earlier one", async () => {
    const node = startNode({ votes: 60 });
    const [newest] = node.records.votes;
    const { proposalId = "", partyId = "" } = newest ?? {};
    await sync(node, "votes", "--proposal", proposalId);
    await changeParquet(target(), "votes", "time", rowOf("votes", newest ?? {}), { step: -hour });
    expect(await sync(node, "--check", "votes", "--proposal", proposalId)).toMatchObject(ended(1, partyId));
  });

  test("is not called equal if the node no longer keeps all of it", async () => {
    await sync(startNode(), "--party", party);
    for (const [node, count, next] of [
      [startNode({ history: first + 134n * hour }), 67, ended(0, "0 new balance changes")],
      [startNode({ balances: [], block: { ...block, timestamp: block.timestamp + hour } }), 100, ended(3)],
    ] as const) {
      const result = await sync(node, "--check", "--party", party);
      expect(result).toMatchObject({ ...ended(3, `does not keep the ${count} before`), stdout: "" });
      expect(await sync(node, "--party", party)).toMatchObject(next);
    }
  });

  const until = (count: number, ...rare: (typeof changes)[number][]) => ({
    balances: [...changes.slice(0, count), ...rare],
    block: { ...block, timestamp: first + BigInt(count) * hour },
  });
  /** A node of another network, whose records are later or earlier by some hours. */
  const shifted = (hours: bigint) =>
    startNode({
      balances: changes.map((each) => ({ ...each, timestamp: `${BigInt(each.timestamp) + hours * hour}` as const })),
      block: { ...block, timestamp: block.timestamp + hours * hour },
    });

  const silent = () => createFakeNode({ balances: changes.slice(0, 99) }, { blockHeaders: false });
  /** Its history begins on the day of the newest stored record. */
  const later = () => startNode({ balances: changes.slice(196) });

  test.each([
    ["another network", () => shifted(1n), 1, "Expected a node of the network"],
    ["a network that ended before", () => shifted(-2400n), 3, "The node is behind: it has reached 2023-"],
    ["a network that began later", () => shifted(2400n), 3, "The node does not keep the next records of"],
    ["its network that lags and names no block", silent, 3, "The response does not begin with the newest stored"],
    ["its network that keeps only later records", later, 3, "The node does not keep the next records of"],
  ])("keeps what it has with a node of %s", async (_, open, code, reason) => {
    await sync(startNode(until(191)));
    expect(await sync(open())).toMatchObject(ended(code, reason));
    if (code === 1) expect(await sync(open(), "--check")).toMatchObject({ code });
    expect(await sync(startNode())).toMatchObject(ended(0, "9 new balance changes"));
    expect(await stored()).toEqual(changes);
  });

  test("that is new names the time from which the node keeps balance changes, if --from is earlier", async () => {
    const from = (time: string) => sync(startNode(), "--from", time);
    const message =
      /The node does not keep the balance changes since --from: its history begins at (\S+)\. .*, or use --from \1\.\n$/;
    const { code, stderr } = await from("2024-01-01");
    expect([code, stderr]).toEqual([3, expect.stringMatching(message)]);
    expect(await from(message.exec(stderr)?.[1] ?? "")).toMatchObject({ code: 0 });
    expect(await stored()).toEqual(changes);
  });

  test("keeps its range if the node has dropped its newest record, and no response shows what follows", async () => {
    const assetId = "12".repeat(32);
    const rareAt = (hours: bigint) => ({ ...change(first + hours * hour), assetId });
    const [early, later] = [rareAt(150n), rareAt(190n)];
    const flags = ["--asset", assetId];
    await sync(startNode(until(183, early)), ...flags);
    const before = await content();
    const history = first + 155n * hour;
    for (const data of [until(188), until(200, later)]) {
      const node = startNode({ ...data, history });
      for (const mode of [["--quiet"], ["--follow"]]) {
        const result = await runCli(["sync", target(), ...flags, ...mode], { fetch: node.fetch });
        expect(result).toMatchObject(ended(3, "does not show what follows the stored records"));
        expect(await content()).toEqual(before);
      }
    }
    expect(await sync(startNode(until(200, early, later)), ...flags)).toMatchObject(ended(0, "1 new balance change,"));
    expect(await sync(startNode(until(200, early, later)), ...flags, "--check")).toMatchObject(equal(2));
  });

  test("is not moved back by a node that is behind", async () => {
    const flags = ["--party", party];
    await sync(startNode(), ...flags);
    const before = await content();
    // It has all records of the party.
    const node = startNode({ block: { ...block, timestamp: block.timestamp - hour / 2n } });
    expect(await sync(node, ...flags)).toMatchObject(ended(3, "The node is behind: it has reached 2024-"));
    expect(await content()).toEqual(before);
    const follow = ["--follow", "--poll-interval", "5ms", "--give-up-after", "20ms", "--catch-up", "10ms"];
    expect(await runCli(["sync", target(), ...flags, ...follow], { fetch: node.fetch })).toMatchObject({ code: 1 });
    expect(await content()).toEqual(before);
  });

  test("ends with the error of a list once the batch of another one is stored", async () => {
    const node = startNode({ votes: 60 });
    const [{ proposalId = "" } = {}] = node.records.votes;
    const [storing, failed] = [gate(), gate()];
    const { fetch } = intercept(node, async (number, { url, signal }) => {
      if (url.includes("signatures")) {
        signal.addEventListener("abort", failed.open);
        await failed.opened;
        throw signal.reason;
      }
      // The first request reads the newest block.
      if (!url.includes("balance") || number === 1) return undefined;
      await storing.opened;
      return Response.json({ code: 3, message: "refused", details: [] }, { status: 400 });
    });
    const client = createClient({ baseUrl: "https://node.example", fetch, pacing: false });
    const destination = await openDestination(target(), "write", new AbortController().signal);
    let batches = 0;
    const store: typeof destination.store = async (batch) => {
      storing.open();
      await failed.opened;
      const records = await destination.store(batch);
      batches++;
      return records;
    };
    const lists = { balances: { filter: {} }, votes: [{ proposalId }], signatures: ["ab".repeat(32)] };
    await expect(syncTo({ ...destination, store }, client, lists)).rejects.toThrow("refused");
    expect(batches).toBe(1);
    await destination.close();
  });

  test("is without records before the range that a scan has proved, between which others can be missing", async () => {
    const node = createClient({ baseUrl: "https://node.example", fetch: startNode().fetch, pacing: false });
    const [start, end] = [first + 40n * hour, first + 100n * hour];
    const coverage = Promise.resolve({ start, end, block: undefined });
    const scan = { coverage, toArray: async () => changes.slice(0, 100) };
    const client = { ...node, scanBalanceChanges: () => scan as ReturnType<typeof node.scanBalanceChanges> };
    const destination = await openDestination(target(), "write", new AbortController().signal);
    await syncTo(destination, client, { balances: { filter: {} } });
    await destination.close();
    for (const flags of [[], ["--check"]]) expect(await sync(startNode(), ...flags)).toMatchObject({ code: 0 });
    expect(await stored()).toEqual(changes.slice(40));
  });

  test("has all records of a block with more of them than are read at once", async () => {
    const tied = ids(12).map((partyId) => change(first + hour, "1", partyId));
    const balances = [change(first), ...tied, change(first + 2n * hour)];
    const client = createClient({
      baseUrl: "https://node.example",
      fetch: startNode({ balances }).fetch,
      pacing: false,
    });
    const destination = await openDestination(target(), "write", new AbortController().signal);
    await syncTo(destination, client, { balances: { filter: {} }, batchSize: 5, signal: AbortSignal.timeout(20_000) });
    await destination.close();
    expect(await stored()).toEqual(expect.arrayContaining(balances));
  });

  test.each(["votes", "signatures"] as const)("has %s alone, and refuses a node of another network", async (list) => {
    const data = { balances: [], [list]: 60 };
    const node = startNode(data);
    const [{ proposalId = "" } = {}] = node.records.votes;
    const [{ id = "" } = {}] = node.records.signatures;
    const flags = list === "votes" ? ["--proposal", proposalId] : ["--id", id];
    for (let run = 0; run < 2; run++) expect(await sync(node, list, ...flags)).toMatchObject({ code: 0 });
    const before = await content();
    // Signatures in a folder have no time that a node must have reached.
    if (!isFolder || list === "votes") {
      const another = startNode({ ...data, seed: 2 });
      expect(await sync(another, list, ...flags)).toMatchObject(ended(1, "Expected a node of the network"));
      expect(await content()).toEqual(before);
    }
    // A node that is behind may not have the records yet.
    const behind = await sync(
      startNode({ balances: [], votes: [], block: { ...block, timestamp: first } }),
      list,
      ...flags,
    );
    if (!isFolder && list === "votes")
      expect(behind).toMatchObject(ended(3, "The node is behind: it has reached 2024-"));
    else expect(behind.stderr).not.toContain("of the network");
  });

  test("stores nothing of a node that has no block yet, also of one in a pool", async () => {
    const empty = startNode({ balances: [], block: { height: 0n, timestamp: 0n } });
    const result = await sync(empty);
    expect(result).toMatchObject(ended(3, "has no block yet"));
    expect(result.stderr).not.toContain("stored");
    const full = startNode();
    const nodes = ["--node", "https://empty.example", "--node", "https://full.example"];
    const fetch = (request: Request) => (request.url.includes("empty") ? empty : full).fetch(request);
    for (let run = 0; run < 4; run++) {
      const { code } = await sync({ fetch }, ...nodes);
      expect([0, 3]).toContain(code);
      if (code === 0) expect(await stored()).toHaveLength(200);
    }
  });

  test("stores nothing if only the first response has records, because all queries after it failed", async () => {
    const node = startNode();
    const empty = changed(node, () => JSON.stringify({ balances: { edges: [], pageInfo: null } }));
    const isEmpty = (number: number, { url }: Request) => number > 1 && url.includes("balance");
    const result = await sync(intercept(node, (...sent) => isEmpty(...sent) && empty.fetch(sent[1])));
    expect(result).toMatchObject(ended(3, "later ones have none"));
    expect(result.stderr).not.toContain("stored");
  });

  test("refuses a second writer by the name of the first, and can be compared meanwhile", async () => {
    const node = startNode();
    await sync(node);
    add(node, change(node.block.timestamp));
    const others: Awaited<ReturnType<typeof sync>>[] = [];
    const slow = intercept(node, async (number) => {
      if (number === 1) others.push(await sync(node), await sync(startNode(), "--check"));
    });
    expect(await sync(slow)).toMatchObject({ code: 0 });
    const refused = expect.stringMatching(/^Error: Process \d+ on .* writes /);
    expect(others).toMatchObject([{ code: 1, stderr: refused }, { code: 0 }]);
  });

  test("is compared as it was when the comparison began, also while records are stored", async () => {
    const node = startNode();
    await sync(node);
    const growing = intercept(node, async (number) => {
      if (number > 1) return;
      add(node, change(node.block.timestamp + 1_000_000n));
      expect(await sync(node)).toMatchObject({ code: 0 });
    });
    expect(await sync(growing, "--check")).toMatchObject(equal(200));
  });

  test.skipIf(isFolder)("is not continued after it has returned to an earlier state, as after a failover", async () => {
    const node = startNode();
    const later = change(node.block.timestamp);
    const earlier = ["DELETE FROM account_changes", "UPDATE sync_state SET position = start"];
    const failing = intercept(node, async (number) => {
      if (number !== 8) return;
      if (kind === "PostgreSQL") await server()?.sql(`SET search_path TO vega; ${earlier.join("; ")}`);
      else await query(target(), earlier);
      add(node, later);
    });
    const result = await sync(failing, "--follow", "--poll-interval", "5ms");
    expect(result).toMatchObject(ended(1, "The database is in an earlier state"));
    expect(result.stderr).toMatch(/Expected balances up to 2024-02-15T18.* in .*, got balances up to 2024-02-07T10/);
    expect(await sync(node)).toMatchObject(ended(0, "201 new balance changes"));
    expect(await stored()).toEqual([...changes, later]);
  });

  test("has what a filter and a time select, and takes ids in upper case", async () => {
    const node = startNode();
    const from = ["--from", "2024-02-08", "--party"];
    await sync(node, ...from, party.toUpperCase());
    const start = BigInt(Date.parse("2024-02-08")) * 1_000_000n;
    const wanted = changes.filter(({ partyId, timestamp }) => partyId === party && BigInt(timestamp) >= start);
    expect(await stored()).toEqual(wanted);
    expect(await sync(node, ...from, party, "--check")).toMatchObject(equal(wanted.length));
  });

  test.skipIf(isFolder)("is compared with the flags that it was made with, which the error names", async () => {
    const node = startNode();
    const flags = ["--party", party, "--from", "2024-02-08"];
    await sync(node, ...flags);
    const named = `It has balances --party ${party} --from 2024-02-08T00:00:00.000000000Z: pass the same flags.`;
    expect(await sync(node, "--check")).toMatchObject(ended(2, named));
    const others = ["profiles", "--id", party, "signatures"];
    expect(await sync(node, "--check", ...others)).toMatchObject(ended(2, "Run sync without"));
    await sync(node);
    expect(await sync(node, "--check", "--asset", party)).toMatchObject(ended(2, "all balances: pass the same flags."));
  });

  test.skipIf(isFolder)("does not take what another filter has stored later for a difference", async () => {
    const node = startNode();
    const next = (partyId: string) => change(node.block.timestamp, "7", partyId);
    await sync(node, "--party", party);
    add(node, next(party), next(other));
    await sync(node);
    add(node, next(party));
    expect(await sync(node, "--party", party, "--check")).toMatchObject(equal(101));
    expect(await sync(node, "--check")).toMatchObject(equal(202));
  });

  test("does not wait for a node without new blocks, and cannot be compared with one that is behind", async () => {
    const node = startNode({ votes: 100 });
    const lists = ["balances", "votes", "--proposal", node.records.votes[0]?.proposalId ?? ""];
    expect(await sync(node, ...lists)).toMatchObject({ code: 0 });
    // A wait would take longer than this test may.
    const unchanged = ended(0, ": 0 new balance changes, complete from ");
    expect(await sync(node, ...lists, "--catch-up", "10m")).toMatchObject(unchanged);
    node.configure({ lag: 3 });
    expect(await sync(node, "--check")).toMatchObject(ended(3, "The node is behind: it has reached 2024-"));
    const banned = () => new Response("", { status: 403, headers: { "ratelimit-retry-after": "60" } });
    const banning = intercept(node, (_, { url }) => url.includes("/votes?") && banned());
    node.configure({ lag: 0 });
    node.nextBlock();
    expect(await sync(banning, ...lists.slice(1))).toMatchObject(ended(5, "Wait 60 seconds."));
  });

  test("equals a node of another version, whose records have other forms", async () => {
    const data = { votes: 60, profiles: 4 };
    const older = createFakeNode({ balances: changes, block, ...data }, { version: "v0.74", rateLimit: false });
    const newer = createFakeNode({ balances: changes, block, ...data }, { version: "v0.79", rateLimit: false });
    const lists = ["votes", "profiles", "--proposal", older.records.votes[0]?.proposalId ?? ""];
    expect(await sync(older, ...lists)).toMatchObject({ code: 0 });
    expect(await sync(newer, ...lists, "--check")).toMatchObject({ code: 0, stderr: "" });
  });

  test.skipIf(isFolder)("is compared without votes that the close of a proposal writes again", async () => {
    const node = startNode({ votes: 60 });
    const [{ proposalId = "" } = {}] = node.records.votes;
    const flags = ["votes", "--proposal", proposalId];
    await sync(node, ...flags);
    const votes = node.records.votes.filter((vote) => vote.proposalId === proposalId);
    const [first, ...others] = votes.map((vote) => ({ ...vote, totalGovernanceTokenWeight: "0.25" }));
    node.nextBlock({ votes: others });
    node.nextBlock();
    const compared = (votes: string) => ({ code: 0, stdout: expect.stringContaining(`: ${votes}.`) });
    expect(await sync(node, ...flags, "--check")).toMatchObject(compared("1 vote"));
    node.nextBlock({ votes: first ? [first] : [] });
    node.nextBlock();
    expect(await sync(node, ...flags)).toMatchObject({ code: 0 });
    expect(await sync(node, ...flags, "--check")).toMatchObject(compared(`${votes.length} votes`));
  });

  test.each<[string, (text: string) => string, Record<string, string | undefined>?]>([
    ["ids with spaces", (text) => text.replaceAll(party, "a b").replaceAll(account.assetId, 'c\\" \\"d')],
    ["ids that are null", (text) => text.replaceAll('"marketId":""', '"marketId":null')],
    ["an account type that is a number", (text) => text.replaceAll('"ACCOUNT_TYPE_GENERAL"', "99")],
    ["responses without blocks", (text) => text, { "x-block-height": undefined, "x-block-timestamp": undefined }],
    ["a height of 2^64", (text) => text, { "x-block-height": String(2n ** 64n) }],
  ])("stores and finds again %s", async (_, body, headers) => {
    const node = changed(startNode(), body, headers);
    for (let run = 0; run < 2; run++) expect(await sync(node, "--quiet")).toMatchObject({ code: 0 });
    expect(await sync(node, "--check")).toMatchObject({ code: 0 });
  });

  const withBalance = (json: string) => (text: string) => text.replaceAll(/"balance":"5\d+"/g, `"balance":${json}`);
  test.each<[string, (text: string) => string, string, Record<string, string>?]>([
    ["a balance of 79 digits", withBalance(`"${"9".repeat(79)}"`), "at most"],
    ["a balance that is null", withBalance("null"), "to have a balance"],
    ["a party with NUL", (text) => text.replaceAll(party, "a\\u0000b"), "without NUL and lone surrogates"],
    ["a party with half a character", (text) => text.replaceAll(party, "a\\ud800b"), "without NUL and lone surrogates"],
    ["a block at 2^70", (text) => text, "within 64 bits", { "x-block-timestamp": String(2n ** 70n) }],
    ["a block in 2200", (text) => text, "clock of this machine", { "x-block-timestamp": "7258118400000000000" }],
  ])("refuses %s by name, and continues with another node", async (_, body, message, headers) => {
    const node = startNode();
    expect(await sync(changed(node, body, headers))).toMatchObject(ended(1, message));
    expect(await sync(node)).toMatchObject({ code: 0 });
    expect(await stored()).toEqual(changes);
  });

  test("is completed with --follow although the node restarts while its history is read", async () => {
    const restarting = intercept(startNode(), (number) => [5, 6].includes(number) && new Response("", { status: 503 }));
    const flags = ["--follow", "--poll-interval", "5ms", "--retries", "0", "--page-size", "20", "--concurrency", "1"];
    const argv = ["sync", target(), ...flags];
    const { code, stderr } = await runUntil(({ requests }) => requests > 40, argv, restarting);
    const retried = /[^.]\. Retrying for 10m\.\nThe node responds again after /;
    expect([code, stderr]).toEqual([130, expect.stringMatching(retried)]);
    expect(await stored()).toEqual(isFolder ? changes.slice(0, 182) : changes);
  });

  test("has the first record of a network although --follow began before it, and gave up on a chain without new blocks", async () => {
    const node = startNode({ balances: [] });
    const flags = ["--follow", "--poll-interval", "5ms", "--give-up-after", "20ms"];
    const stopped = ended(1, "Received no new block after block 1000 for");
    expect(await runCli(["sync", target(), ...flags], { fetch: node.fetch })).toMatchObject(stopped);
    add(node, change(node.block.timestamp + 1_000_000n));
    expect(await sync(node)).toMatchObject(ended(0, "1 new balance change,"));
  });

  test("is created neither by a comparison, nor by --dry, which says where it continues", async () => {
    const node = startNode({ votes: 30, signatures: 5, profiles: 7 });
    const { code, stderr } = await sync(node, "--check");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/there is no|has no copy/)]);
    const [vote, signature] = [node.records.votes[0], node.records.signatures[0]];
    const lists = ["balances", "votes", "signatures", "profiles"];
    const flags = ["--party", party, "--proposal", vote?.proposalId ?? "", "--id", signature?.id ?? ""];
    const dry = await sync(node, "--dry", ...flags, ...lists);
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    const range = "from 2024-02-07T11:00:00.000000000Z to 2024-02-15T17:00:00.000000000Z";
    expect(dry.stdout.split("\n")).toEqual([
      `balances --party ${party} ${range}: 100 records, about 1 request in 1s`,
      expect.stringMatching(/^votes --party .* --proposal .*: 0 records, about 1 request in 1s$/),
      expect.stringMatching(/^signatures --id .*: \d+ records, about 1 request in 1s$/),
      "profiles: 7 records, about 1 request in 1s",
      expect.stringMatching(/^Nothing is written to .*, which has no records yet\.$/),
      "",
    ]);
    expect(existsSync(target())).toBe(false);
    await sync(node);
    add(node, change(node.block.timestamp));
    const next = await sync(node, "--dry");
    const rest = /^balances from 2024-02-15T18:00:00.0+Z \(where .* ends\) to 2024-02-15T18:00:00.0+Z: 1 rec/;
    expect(next.stdout).toMatch(rest);
    expect(await stored()).toEqual(changes);
    const votes = ["votes", "--proposal", vote?.proposalId ?? ""];
    await sync(node, ...votes);
    const own = node.records.votes.filter(({ proposalId }) => proposalId === vote?.proposalId).length;
    node.nextBlock({ votes: [{ ...vote, partyId: other, timestamp: `${node.block.timestamp}` }] });
    // A folder has all votes in one file, which a run replaces.
    const left = isFolder ? `${own + 1} records` : "1 record";
    expect((await sync(node, "--dry", ...votes)).stdout).toContain(`: ${left}, about 1 request`);
  });
}
