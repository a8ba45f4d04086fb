import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFakeNetwork, type FakeVote, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { beforeAll, expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.js";
import { compareRecords } from "../../../src/sync/rows.js";
import { installNode, main, node, readDatabase, runNode } from "./sqlite-node.js";

/** `TEST_RUNS=10` is the whole number of 300. */
const { numRuns: chains } = runs(3);
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

beforeAll(installNode);

test(`a database ends with a complete block after each of ${chains * killsOfChain} kills, and equals the node in the end`, async () => {
  for (let chain = 0; chain < chains; chain++) await runChain(chain);
}, 3_600_000);

async function runChain(seed: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sync-"));
  const database = join(folder, "vega.db");
  const data = { balances: 500 + random(20_000), signatures: 20, profiles: 30, votes: [], seed };
  const network = createFakeNetwork(data, { defects: nodeDefects, rateLimit: false });
  const { nodes } = network;
  const pick = () => nodes[random(nodes.length)] ?? network;
  const server = await listen({ fetch: (request) => pick().fetch(request) });
  const votes = new Votes();
  const cancel = network.advanceEvery(20, {
    records: () => ({ balances: random(40) === 0 ? 1500 : random(12), votes: votes.next(network.block.timestamp) }),
  });
  const resource = network.records.signatures[0]?.id ?? "";
  const lists = ["balances", "votes", "signatures", "profiles", "--proposal", proposalId, "--id", resource];
  const args = [main, "sync", database, ...lists, "--node", server.url, "--page-size", "700", "--quiet"];
  try {
    for (let kill = 0; kill < killsOfChain; kill++) {
      for (const each of nodes) {
        const request = [1 + random(10), 11 + random(10)];
        each.configure({ lag: random(4), faults: random(3) === 0 ? [{ name: "status", status: 503, request }] : [] });
      }
      const follow = random(3) > 0 ? ["--follow", "--poll-interval", "5ms"] : [];
      const child = spawn(node, [...args, ...follow], { stdio: ["ignore", "ignore", "pipe"] });
      const exit = once(child, "exit");
      // The command starts within about 150 ms.
      await Promise.race([exit, sleep(100 + random(500))]);
      child.kill("SIGKILL");
      await exit;
      if (existsSync(database)) await checkPrefix(database, network.records.balances);
    }
    cancel();
    network.nextBlock({ balances: 3 });
    for (const each of nodes) each.configure({ lag: 0, faults: [] });
    const ended = await runNode(args);
    expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining("Error")]);
    const content = await readDatabase(database);
    expect(content.integrity).toEqual([{ integrity_check: "ok" }]);
    const expected = [...network.records.balances].sort(compareRecords);
    expect(content.balances.map(canonical)).toEqual(expected.map(canonical));
    const last = [...votes.last.values()].map(({ blockTime: _, ...vote }) => canonical(vote));
    expect(sorted(content.votes.map(({ record }) => record))).toEqual(sorted(last));
    const versions = new Map(content.versions.map(({ record }) => [JSON.parse(record).partyId, record]));
    expect(sorted([...versions.values()])).toEqual(sorted(last));
    const signatures = network.records.signatures.filter((signature) => signature.id === resource);
    expect(sorted(content.signatures.map(canonical))).toEqual(sorted(signatures.map(canonical)));
    expect(content.profiles).toHaveLength(network.records.profiles.length);
  } finally {
    cancel();
    await server.close();
    await rm(folder, { recursive: true });
  }
}

/** A database has exactly the records of the node before its position. */
async function checkPrefix(database: string, all: readonly { timestamp: string }[]): Promise<void> {
  const { positions, balances } = await readDatabase(database);
  const position = positions.find(({ list }) => list === "balances")?.position ?? "0";
  const expected = all.filter(({ timestamp }) => BigInt(timestamp) < BigInt(position));
  expect(sorted(balances.map(canonical))).toEqual(sorted(expected.map(canonical)));
}
