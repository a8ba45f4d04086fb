import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createFakeNetwork, type FakeNetwork, type FakeVote, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.js";
import { openParquet, readParquet } from "../../../src/sync/destinations/parquet-file.js";
import { compareRecords, recordOf, tables } from "../../../src/sync/rows.js";
import { hasPostgres, startPostgres } from "../../support/postgres.js";
import { installNode, main, node, readDatabase, runNode } from "./sqlite-node.js";

const run = promisify(execFile);

/** Of each destination. `TEST_RUNS=10` is the whole number of 300. */
const { numRuns: kills } = runs(30);
const killsOfChain = 10;

const id = (number: number) => number.toString(16).padStart(64, "0");
const proposalId = id(0xf0);
const random = (below: number) => Math.floor(Math.random() * below);
const sorted = (texts: readonly string[]) => [...texts].sort();
const canonical = (value: object) => JSON.stringify(Object.fromEntries(Object.entries(value).sort()));

/** Votes on one proposal; now and then all of them are written again, as when a proposal closes. */
class Votes {
  /** By party. */
  readonly last = new Map<number, FakeVote>();

  next(time: bigint): FakeVote[] {
    const isClosing = random(10) === 0;
    const parties = new Set(isClosing ? this.last.keys() : Array.from({ length: random(4) }, () => random(12)));
    return [...parties].map((party) => {
      const cast = this.last.get(party)?.timestamp ?? (`${time}` as const);
      const vote: FakeVote = {
        partyId: id(party),
        proposalId,
        timestamp: isClosing ? cast : `${time}`,
        value: random(2) ? "VALUE_YES" : "VALUE_NO",
        totalGovernanceTokenBalance: String(random(1e9)),
        totalGovernanceTokenWeight: "0.5",
        totalEquityLikeShareWeight: "0",
        perMarketEquityLikeShareWeight: {},
        blockTime: `${time}`,
      };
      this.last.set(party, vote);
      return vote;
    });
  }
}

/** What is stored: everything before the position. */
interface Stored {
  readonly position: bigint;
  readonly balances: readonly object[];
}

interface Subject {
  readonly name: string;
  /** Of what kills are the whole number. */
  readonly kills: number;
  /** A server that is killed as well. */
  readonly restart?: () => Promise<void>;
  readonly lists: readonly string[];
  /** The size of a disk that is too small. */
  readonly disk?: string;
  /** `undefined` if it is not there yet. */
  read(path: string): Promise<Stored | undefined>;
  /** Checks the other lists in the end. */
  check(path: string, network: FakeNetwork, votes: Votes): Promise<void>;
}

const database: Subject = {
  name: "vega.db",
  kills,
  lists: ["balances", "votes", "signatures", "profiles"],
  disk: "200k",
  async read(path) {
    if (!existsSync(path)) return undefined;
    const { positions, balances, integrity } = await readDatabase(path);
    expect(integrity).toEqual([{ integrity_check: "ok" }]);
    return { position: BigInt(positions.find(({ list }) => list === "balances")?.position ?? 0), balances };
  },
  async check(path, network, votes) {
    const content = await readDatabase(path);
    const last = [...votes.last.values()].map(({ blockTime: _, ...vote }) => canonical(vote));
    expect(sorted(content.votes.map(({ record }) => record))).toEqual(sorted(last));
    const versions = new Map(content.versions.map(({ record }) => [JSON.parse(record).partyId, record]));
    expect(sorted([...versions.values()])).toEqual(sorted(last));
    const signatures = network.records.signatures.filter((signature) => signature.id === resourceOf(network));
    expect(sorted(content.signatures.map(canonical))).toEqual(sorted(signatures.map(canonical)));
    expect(content.profiles).toHaveLength(network.records.profiles.length);
  },
};

const folder: Subject = {
  name: "vega/",
  kills,
  lists: ["balances"],
  disk: "16k",
  async read(path) {
    const names = await readdir(join(path, "balance_changes")).catch(() => []);
    const balances: object[] = [];
    let position = 0n;
    for (const name of names.sort()) {
      const file = join(path, "balance_changes", name, "part.parquet");
      if (!existsSync(file)) continue;
      const written = await openParquet(file);
      position = BigInt(written.notes["end"] ?? 0);
      const rows = readParquet(written, tables.balances.columns);
      for await (const row of rows) balances.push(recordOf("balances", row));
    }
    return { position, balances };
  },
  async check() {},
};

let server: Awaited<ReturnType<typeof startPostgres>> | undefined;
let serverKills = 0;

const postgresSchema: Subject = {
  name: "postgres",
  kills: Math.ceil(kills / 3),
  lists: database.lists,
  async restart() {
    serverKills++;
    await server?.restart(random(2) ? "SIGKILL" : "SIGINT");
  },
  async read(schema) {
    const sql = server?.sql;
    const [found] = (await sql?.unsafe(`SELECT to_regclass('${schema}.sync_state')::text AS state`)) ?? [];
    if (!sql || !found?.["state"]) return undefined;
    // Both of one moment.
    const [row] = await sql.unsafe(
      `SELECT (SELECT position::text FROM ${schema}.sync_state WHERE list = 'balances') AS position, (SELECT json_agg(json_build_object(
        'timestamp', (extract(epoch FROM time) * 1000000)::bigint::text || '000', 'balance', balance::text, 'partyId', party,
        'assetId', asset, 'marketId', market, 'accountType', account_type
      ) ORDER BY time, asset COLLATE "C", party COLLATE "C", market COLLATE "C", account_type COLLATE "C") FROM ${schema}.balance_changes) AS balances`,
    );
    return { position: BigInt(row?.["position"] ?? 0), balances: row?.["balances"] ?? [] };
  },
  async check(schema, network, votes) {
    const rows = async (table: string) => (await server?.sql.unsafe(`SELECT * FROM ${schema}.${table}`)) ?? [];
    const last = [...votes.last.values()].map(({ blockTime: _, ...vote }) => canonical(vote));
    expect(sorted((await rows("votes")).map(({ record }) => canonical(record)))).toEqual(sorted(last));
    const versions = (await rows("votes_history ORDER BY id")).map(({ record }): [string, string] => [
      record.partyId,
      canonical(record),
    ]);
    expect(sorted([...new Map(versions).values()])).toEqual(sorted(last));
    // A step that was committed when its connection was lost is not stored twice.
    for (const [index, [party, record]] of versions.entries()) {
      const earlier = versions
        .slice(0, index)
        .filter(([each]) => each === party)
        .at(-1);
      expect(earlier?.[1]).not.toBe(record);
    }
    const signatures = network.records.signatures.filter((signature) => signature.id === resourceOf(network));
    expect(await rows("node_signatures")).toHaveLength(signatures.length);
    expect(await rows("party_profiles")).toHaveLength(network.records.profiles.length);
  },
};

const resourceOf = (network: FakeNetwork) => network.records.signatures[0]?.id ?? "";

/** Milliseconds that a command takes to start: longer on a machine that has other work. */
let startTime = 0;

beforeAll(async () => {
  installNode();
  const startedAt = performance.now();
  await runNode([main, "--version"]);
  startTime = performance.now() - startedAt;
  if (hasPostgres) server = await startPostgres();
});
afterAll(() => server?.close());

test.each([database, folder, ...(hasPostgres ? [postgresSchema] : [])])(
  "$name ends with a complete block after each of $kills kills, of two writers and on a full disk, and equals the node in the end",
  async (subject) => {
    let killed = 0;
    const seen = { refused: 0 };
    for (let chain = 0; killed < subject.kills; chain++) killed += await runChain(subject, chain, seen);
    console.log(`${subject.name}: ${killed} kills, ${seen.refused} second writers refused`);
    // Of a few kills, none may have met two writers.
    if (subject.kills >= 30) expect(seen.refused).toBeGreaterThan(0);
    if (subject.restart) console.log(`${serverKills} kills of the server`);
  },
  3_600_000,
);

/** Returns how many processes were killed. */
async function runChain(subject: Subject, seed: number, seen: { refused: number }): Promise<number> {
  const own = await mkdtemp(join(tmpdir(), "sync-"));
  const schema = `chain_${seed}`;
  const path = subject.restart ? schema : join(own, "disk", subject.name);
  const target = subject.restart ? [server?.url ?? "", "--schema", schema] : [path];
  await mkdir(join(own, "disk"));
  // Half of the chains begin on a disk that is too small.
  const isSmall =
    seed % 2 === 1 &&
    subject.disk !== undefined &&
    (await run("mount", ["-t", "tmpfs", "-o", `size=${subject.disk}`, "tmpfs", join(own, "disk")]).catch(
      () => undefined,
    )) !== undefined;
  const data = { balances: (isSmall ? 8000 : 500) + random(15_000), signatures: 20, profiles: 30, votes: [], seed };
  const network = createFakeNetwork(data, { defects: nodeDefects, rateLimit: false });
  const { nodes } = network;
  const pick = () => nodes[random(nodes.length)] ?? network;
  const gateway = await listen({ fetch: (request) => pick().fetch(request) });
  const votes = new Votes();
  const nextBlock = (balances: number) => {
    const { height, timestamp } = network.block;
    const block = { height: height + 1n, timestamp: timestamp + 1_200_000_000_000n };
    network.nextBlock({ balances, votes: votes.next(timestamp), block });
  };
  // A day has 72 blocks.
  const timer = setInterval(() => nextBlock(random(40) === 0 ? 1500 : random(12)), 20);
  const lists = [...subject.lists, "--proposal", proposalId, "--id", resourceOf(network)];
  const args = [main, "sync", ...target, ...lists, "--node", gateway.url, "--page-size", "700", "--quiet"];
  let killed = 0;
  try {
    if (isSmall) {
      // A folder gets its first file when a day is over.
      for (let number = 0; number < 80; number++) nextBlock(1);
      const message =
        subject === folder ? "the disk is full." : "disk is full. Free some space, and repeat the command.";
      expect(await runNode(args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
      const stored = await subject.read(path);
      if (stored) checkPrefix(stored, network);
    }
    while (killed < killsOfChain) {
      if (isSmall && killed > killsOfChain / 2) await run("mount", ["-o", "remount,size=64m", join(own, "disk")]);
      for (const each of nodes) {
        const request = [1 + random(10), 11 + random(10)];
        each.configure({ lag: random(4), faults: random(3) === 0 ? [{ name: "status", status: 503, request }] : [] });
      }
      const follow = random(3) > 0 ? ["--follow", "--poll-interval", "5ms"] : [];
      // A second writer is refused, or begins when the first one was killed.
      const writers = Array.from({ length: 1 + random(2) }, () =>
        spawn(node, [...args, ...follow], { stdio: ["ignore", "ignore", "pipe"] }),
      );
      const ends = writers.map(async (child) => {
        const exited = new Promise<NodeJS.Signals | null>((resolve) =>
          child.on("exit", (_, signal) => resolve(signal)),
        );
        const printed = text(child.stderr);
        await Promise.race([exited, sleep(startTime + random(700))]);
        child.kill("SIGKILL");
        if ((await exited) === "SIGKILL") killed++;
        const { exitCode } = child;
        if (exitCode === 2) expect(await printed).toMatch(/writes (?:\S+vega|schema)|Another process writes/);
        if (exitCode === 1)
          expect(await printed).toMatch(/disk is full|503|no response|Cannot reach|starting up|shutting down/);
        expect([null, 0, 1, 2, 3]).toContain(exitCode);
        if (exitCode === 2) seen.refused++;
      });
      await Promise.all([
        ...ends,
        ...(subject.restart && random(3) === 0 ? [sleep(random(600)).then(subject.restart)] : []),
      ]);
      const stored = await subject.read(path);
      if (stored) checkPrefix(stored, network);
    }
    clearInterval(timer);
    for (let number = 0; number < 80; number++) nextBlock(1);
    for (const each of nodes) each.configure({ lag: 0, faults: [] });
    expect(await runNode(args)).toMatchObject({ code: 0, stderr: "" });
    const stored = await subject.read(path);
    // A folder ends with the last complete day.
    expect(stored?.position).toBeGreaterThan(network.block.timestamp - 86_400_000_000_000n);
    if (stored) checkPrefix(stored, network);
    await subject.check(path, network, votes);
    expect(await runNode([main, "sync", ...target, "--check", "--node", gateway.url])).toMatchObject({ code: 0 });
    return killed;
  } finally {
    clearInterval(timer);
    await gateway.close();
    if (isSmall) await run("umount", [join(own, "disk")]);
    await rm(own, { recursive: true });
  }
}

/** What is stored is exactly what the chain has before the position, each record once. */
function checkPrefix({ position, balances }: Stored, network: FakeNetwork): void {
  const expected = network.records.balances
    .filter(({ timestamp }) => BigInt(timestamp) < position)
    .sort(compareRecords);
  expect(balances.map(canonical)).toEqual(expected.map(canonical));
}
