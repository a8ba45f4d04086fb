import fc from "fast-check";
import { expect, test } from "vitest";
import { type BalanceChange, type Forward, PaginationError, VegaError } from "../../../src/index.js";
import { type NodeDefect, nodeDefects } from "../../../src/testing/index.js";
import { PooledNetwork, seeded } from "../../support/pooled-network.js";
import { runs } from "../../support/runs.js";

/** What happens to a node just before a request. */
interface Mishap {
  request: number;
  node: number;
  event: "dies" | "revives" | "lags" | "catches up" | "limits" | "bans" | "fails" | "forgets";
}

const mishap = fc.record({
  request: fc.integer({ min: 1, max: 40 }),
  node: fc.integer({ min: 0, max: 2 }),
  event: fc.constantFrom<Mishap["event"]>(
    "dies",
    "revives",
    "lags",
    "catches up",
    "limits",
    "bans",
    "fails",
    "forgets",
  ),
});

const minute = 60_000_000_000n;
const hex = (number: number) => number.toString(16).padStart(64, "0");
const start = 1_707_486_400_000_000_000n;

/** Balance changes of ten hours, in blocks of one to six. */
function balances(seed: number, count: number): BalanceChange[] {
  const random = seeded(seed);
  let block = 0;
  return Array.from({ length: count }, (_, account) => {
    if (random() < 0.4) block++;
    return {
      timestamp: `${start + (BigInt(block) * 600n * minute) / BigInt(Math.ceil(count * 0.45))}`,
      assetId: hex(1),
      partyId: hex(account),
      marketId: "",
      accountType: "ACCOUNT_TYPE_GENERAL",
      balance: String(account),
    };
  });
}

const keyOf = (record: object) => JSON.stringify(record);

interface Run {
  seed: number;
  mishaps: Mishap[];
  pageSize: number;
  defects: readonly NodeDefect[];
  newestFirst: boolean;
}

const run: fc.Arbitrary<Run> = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  mishaps: fc.array(mishap, { maxLength: 20 }),
  pageSize: fc.integer({ min: 2, max: 40 }),
  defects: fc.constantFrom([], nodeDefects),
  newestFirst: fc.boolean(),
});

/** A network of three nodes, of which only the last one keeps everything, and to which the mishaps happen. */
function networkOf({ seed, mishaps, defects }: Run): PooledNetwork {
  const random = seeded(seed);
  const oldest = [0, 1].map(() => (random() < 0.5 ? start + BigInt(Math.floor(random() * 300)) * minute : 0n));
  const net = new PooledNetwork({
    data: {
      balances: balances(seed, 300),
      signatures: 450,
      votes: 900,
      nodes: [{ history: oldest[0] ?? 0n }, { history: oldest[1] ?? 0n }, {}],
    },
    node: { defects },
    latency: [5, 20, 40],
    random,
    client: { timeout: 2000 },
    onRequest: (_, request) => {
      if (request % 5 === 0) net.advance(1);
      for (const { node: number, event } of mishaps.filter((each) => each.request === request)) {
        const node = net.network.nodes[number];
        if (event === "dies") node?.configure({ down: true });
        if (event === "revives") node?.configure({ down: false });
        if (event === "lags") node?.configure({ lag: 15 });
        if (event === "catches up") node?.configure({ lag: 0 });
        if (event === "limits") node?.configure({ faults: [{ name: "status", status: 429, request: [1, 2] }] });
        if (event === "bans") {
          const headers = { "RateLimit-Retry-After": "600" };
          node?.configure({ faults: [{ name: "status", status: 403, request: [1, 2, 3], headers }] });
        }
        if (event === "fails") node?.configure({ faults: [{ name: "status", status: 503, request: [1, 2] }] });
        if (event === "forgets" && number < 2) {
          const old = oldest[number] ?? 0n;
          oldest[number] = (old === 0n ? start : old) + 10n * minute;
          node?.configure({ history: oldest[number] as bigint });
        }
      }
    },
  });
  net.advance(40);
  return net;
}

async function heal(net: PooledNetwork, mishaps: Mishap[]): Promise<void> {
  mishaps.length = 0;
  for (const node of net.network.nodes) node.configure({ down: false, lag: 0, faults: [] });
  await net.sleep(700_000);
}

/** Reads a list, after errors from their `resume` on, and returns what was yielded before and after. */
async function readAll<T>(
  net: PooledNetwork,
  mishaps: Mishap[],
  open: (resume: VegaError["resume"]) => AsyncIterable<T>,
): Promise<{ records: T[]; reasons: string[] }> {
  const records: T[] = [];
  const reasons: string[] = [];
  const read = async (resume: VegaError["resume"]) => {
    for await (const record of open(resume)) records.push(record);
  };
  let resume: VegaError["resume"];
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await net.run(read(resume));
      return { records, reasons };
    } catch (error) {
      if (!VegaError.is(error)) throw error;
      reasons.push(PaginationError.is(error) ? error.reason : error.name);
      if (reasons.at(-1) === "pruned") return { records, reasons };
      expect(error.resume).toBeDefined();
      resume = error.resume;
      await heal(net, mishaps);
    }
  }
  throw new Error(`Expected a healthy network to respond, got ${reasons.join(", ")}.`);
}

/** Each property takes minutes on a busy machine. */
const timeout = 300_000;

test("in random runs, a walk over signatures loses and repeats no record, or continues exactly after an error", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ newestFirst, pageSize, ...each }) => {
      const net = networkOf({ newestFirst, pageSize, ...each });
      const id = net.network.records.signatures[0]?.id ?? "";
      const pagination: Forward = { first: pageSize, newestFirst };
      const expected = net.network.records.signatures.filter((each) => each.id === id);
      const { records } = await readAll(net, each.mishaps, (resume) =>
        net.client.listNodeSignatures({ id, pagination: resume ?? pagination }),
      );
      expect(records.map(keyOf).sort()).toEqual(expected.map(keyOf).sort());
    }),
    runs(50),
  );
});

test("in random runs, a walk over balance changes loses and repeats no record, or continues exactly after an error", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(run, fc.integer({ min: 0, max: 500 }), async ({ newestFirst, pageSize, ...each }, minutes) => {
      const net = networkOf({ newestFirst, pageSize, ...each });
      const from = start + BigInt(minutes) * minute;
      const pagination: Forward = { first: pageSize, newestFirst };
      const dateRange = { startTimestamp: from };
      const { records, reasons } = await readAll(net, each.mishaps, (resume) =>
        net.client.listBalanceChanges({ dateRange, pagination: resume ?? pagination }),
      );
      expect(new Set(records.map(keyOf)).size).toBe(records.length);
      if (reasons.includes("pruned")) return;
      const expected = net.network.records.balances.filter(({ timestamp }) => BigInt(timestamp) >= from);
      expect(records.map(keyOf).sort()).toEqual(expected.map(keyOf).sort());
    }),
    runs(50),
  );
});

test("in random runs, a walk over votes loses and repeats no vote, or continues exactly after an error", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ newestFirst, pageSize, ...each }) => {
      const net = networkOf({ newestFirst, pageSize, ...each });
      // All votes on the first proposal are in one block.
      const proposalId =
        net.network.records.votes.map((vote) => vote.proposalId).find((id, _, ids) => id !== ids[0]) ?? "";
      const pagination: Forward = { first: 30 + pageSize, newestFirst };
      const { records, reasons } = await readAll(net, each.mishaps, (resume) =>
        net.client.listVotes({ proposalId, pagination: resume ?? pagination }),
      );
      const expected = net.network.records.votes.filter((each) => each.proposalId === proposalId);
      // The page that continues after an error may repeat votes of the block before.
      const unique = reasons.length === 0 ? records.map(keyOf) : [...new Set(records.map(keyOf))];
      expect(unique.sort()).toEqual(expected.map(keyOf).sort());
    }),
    runs(50),
  );
});

test("in random runs, a scan loses and repeats no record, or continues exactly after an error", {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(run, fc.integer({ min: 0, max: 500 }), async ({ newestFirst, pageSize, ...each }, minutes) => {
      const net = networkOf({ newestFirst, pageSize, ...each });
      const from = start + BigInt(minutes) * minute;
      // A scan that begins after the current block is behind.
      fc.pre(from < net.network.block.timestamp);
      const range = { startTimestamp: from };
      const { records, reasons } = await readAll(net, each.mishaps, (resume) =>
        net.client.scanBalanceChanges(
          { dateRange: resume ?? range },
          { pageSize, order: newestFirst ? "newest-first" : "oldest-first" },
        ),
      );
      if (reasons.includes("pruned")) return;
      const expected = net.network.records.balances.filter(({ timestamp }) => BigInt(timestamp) >= from);
      expect(records.map(keyOf).sort()).toEqual(expected.map(keyOf).sort());
      const times = records.map(({ timestamp }) => BigInt(timestamp));
      expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0) * (newestFirst ? -1 : 1)));
    }),
    runs(50),
  );
});
