import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFakeNetwork, type FakeNetwork, type FakeVote, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { beforeAll, expect, test } from "vitest";
import { compareRecords } from "../../../../src/scan/timeline.js";
import { createFolder } from "../../../../test/support/folder.js";
import { run } from "../../../../test/support/run.js";
import { runs } from "../../../../test/support/runs.js";
import { NoCopyError } from "../../../src/errors.js";
import { finish, finishWithin, start } from "../../support/cli-process.js";
import { hasPostgres, usePostgres } from "../../support/postgres.js";
import { readDestination } from "../../support/read-destination.js";
import { query } from "../../support/sqlite.js";
import { installNode, node } from "./sqlite-node.js";

/** Of each destination. `TEST_RUNS=10` is the whole number of 300. */
const { numRuns: kills } = runs(30);
const killsOfChain = 10;

const id = (number: number) => number.toString(16).padStart(64, "0");
const proposalId = id(0xf0);
const random = (below: number) => Math.floor(Math.random() * below);
const canonical = (value: object) => JSON.stringify(Object.fromEntries(Object.entries(value).sort()));
const sorted = (records: readonly object[] = []) => records.map(canonical).sort();
type Content = Awaited<ReturnType<typeof readDestination>>;

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

interface Subject {
  readonly name: string;
  /** The Node.js that is killed. Default: the one of the tests, which reads what is stored. */
  readonly program?: string;
  /** Of what kills are the whole number. */
  readonly kills: number;
  /** A server that is killed as well. */
  readonly restart?: () => Promise<void>;
  readonly lists: readonly string[];
  /** The size of a disk that is too small. */
  readonly disk?: string;
}

const databaseLists = ["balances", "votes", "signatures", "profiles"];
const database: Subject = { name: "vega.db", kills, lists: databaseLists, disk: "200k" };
const newerDatabase: Subject = { ...database, name: "newer.db", program: node };
const folder: Subject = { name: "vega/", kills, lists: ["balances"], disk: "16k" };

const server = usePostgres();
let serverKills = 0;
/** How many second writers of a destination were refused. */
let refused = 0;
const postgresSchema: Subject = {
  name: "postgres",
  kills: Math.ceil(kills / 3),
  lists: databaseLists,
  async restart() {
    serverKills++;
    await server()?.restart(random(2) ? "SIGKILL" : "SIGINT");
  },
};

/** Milliseconds that a command takes to start: longer on a machine that has other work. */
let startTime = 0;

beforeAll(async () => {
  installNode();
  const startedAt = performance.now();
  await finish(start(["--version"]));
  startTime = performance.now() - startedAt;
});

test.each([database, newerDatabase, folder, ...(hasPostgres ? [postgresSchema] : [])])(
  "$name ends with a complete block after each of $kills kills, of two writers and on a full disk, and equals the node in the end",
  async (subject) => {
    let killed = 0;
    refused = 0;
    for (let chain = 0; killed < subject.kills; chain++) killed += await runChain(subject, chain);
    console.log(`${subject.name}: ${killed} kills, ${refused} second writers refused`);
    // Of a few kills, none may have met two writers.
    if (subject.kills >= 30) expect(refused).toBeGreaterThan(0);
    if (subject.restart) console.log(`${serverKills} kills of the server`);
  },
  3_600_000,
);

/** Returns how many processes were killed. */
async function runChain(subject: Subject, seed: number): Promise<number> {
  const own = await createFolder();
  const schema = `chain_${seed}`;
  const path = subject.restart ? schema : join(own, "disk", subject.name);
  const target = subject.restart ? [server()?.url ?? "", "--schema", schema] : [path];
  await mkdir(join(own, "disk"));
  // Half of the chains begin on a disk that is too small.
  const mount = () => run("mount", ["-t", "tmpfs", "-o", `size=${subject.disk}`, "tmpfs", join(own, "disk")]);
  const isSmall = seed % 2 === 1 && subject.disk !== undefined && (await mount().catch(() => undefined)) !== undefined;
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
  const [{ id: resource = "" } = {}] = network.records.signatures;
  const selected = subject === folder ? [] : ["--proposal", proposalId, "--id", resource];
  const lists = [...subject.lists, ...selected];
  const args = ["sync", ...target, ...lists, "--node", gateway.url, "--page-size", "700", "--quiet"];
  const startProgram = (argv: readonly string[]) => start(argv, {}, subject.program);
  let killed = 0;
  try {
    if (isSmall) {
      // A folder gets its first file when a day is over.
      for (let number = 0; number < 80; number++) nextBlock(1);
      const message =
        subject === folder ? "the disk is full." : "disk is full. Free some space, and repeat the command.";
      expect(await finish(startProgram(args))).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
      await checkPrefix(target, network);
    }
    while (killed < killsOfChain) {
      if (isSmall && killed > killsOfChain / 2) await run("mount", ["-o", "remount,size=64m", join(own, "disk")]);
      for (const each of nodes) {
        const request = [1 + random(10), 11 + random(10)];
        each.configure({ lag: random(4), faults: random(3) === 0 ? [{ name: "status", status: 503, request }] : [] });
      }
      const follow = random(3) > 0 ? ["--follow", "--poll-interval", "5ms"] : [];
      // A second writer is refused, or begins when the first one was killed.
      const writers = Array.from({ length: 1 + random(2) }, () => startProgram([...args, ...follow]));
      const ends = writers.map(async (child) => {
        const time = 2 * startTime + random(700 + 2 * startTime);
        const { code, signal, stderr } = await finishWithin(time, child);
        if (signal === "SIGKILL") killed++;
        const isRefused = /writes (?:\S+(?:vega|newer)|schema)|Another process writes/.test(stderr);
        const failures = /disk is full|503|no response|Cannot reach|starting up|shutting down/;
        if (code === 1 && !isRefused) expect(stderr).toMatch(failures);
        expect([null, 0, 1, 3]).toContain(code);
        if (isRefused) refused++;
      });
      const restarts = subject.restart && random(3) === 0 ? [sleep(random(600)).then(subject.restart)] : [];
      await Promise.all([...ends, ...restarts]);
      await checkPrefix(target, network);
    }
    clearInterval(timer);
    for (let number = 0; number < 80; number++) nextBlock(1);
    for (const each of nodes) each.configure({ lag: 0, faults: [] });
    expect(await finish(startProgram(args))).toMatchObject({ code: 0, stderr: "" });
    const stored = await checkPrefix(target, network);
    // A folder ends with the last complete day.
    expect(positionOf(stored)).toBeGreaterThan(network.block.timestamp - 86_400_000_000_000n);
    if (subject !== folder) {
      const last = [...votes.last.values()].map(({ blockTime: _, ...vote }) => vote);
      expect(sorted(stored?.votes)).toEqual(sorted(last));
      const signatures = network.records.signatures.filter(({ id }) => id === resource);
      expect(sorted(stored?.signatures)).toEqual(sorted(signatures));
      expect(stored?.profiles).toHaveLength(network.records.profiles.length);
    }
    if (subject.name.endsWith(".db")) {
      expect(await query(path, ["PRAGMA integrity_check"])).toEqual([[{ integrity_check: "ok" }]]);
    }
    // A step that was committed when its connection was lost is not stored twice.
    const versions = subject.restart && (await server()?.sql(`SELECT record FROM ${schema}.votes_history ORDER BY id`));
    const lastOf = new Map<string, string>();
    for (const { record } of versions ?? []) {
      expect(canonical(record)).not.toBe(lastOf.get(record.partyId));
      lastOf.set(record.partyId, canonical(record));
    }
    expect(await finish(start(["sync", ...target, "--check", "--node", gateway.url]))).toMatchObject({ code: 0 });
    return killed;
  } finally {
    clearInterval(timer);
    await gateway.close();
    if (isSmall) await run("umount", [join(own, "disk")]);
    await rm(own, { recursive: true });
  }
}

const positionOf = (stored: Content | undefined) =>
  BigInt(stored?.checkpoints.find(({ list }) => list === "balances")?.checkpoint.position ?? 0);

/** Expects exactly what the chain has before the position, each record once, and returns all that is stored. */
async function checkPrefix(target: readonly string[], network: FakeNetwork): Promise<Content | undefined> {
  const [name = "", , ...schema] = target;
  const stored = await readDestination(name, ...schema).catch((error) => {
    if (error instanceof NoCopyError) return undefined;
    throw error;
  });
  const expected = network.records.balances
    .filter(({ timestamp }) => BigInt(timestamp) < positionOf(stored))
    .sort(compareRecords);
  expect(stored?.balances.map(canonical) ?? []).toEqual(expected.map(canonical));
  return stored;
}
