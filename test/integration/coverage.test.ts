import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BalanceChange, createClient, PaginationError, type Vote } from "../../src/index.js";
import { accountIdOf } from "../../src/list/cursors.js";
import { nodePool } from "../../src/pool/index.js";
import { compareRecords } from "../../src/scan/records.js";
import { createFakeNetwork, nodeDefects } from "../../src/testing/index.js";
import { compareText } from "../../src/values/integers.js";
import { createMixedNetwork, firstTime, healthyClient, mixedWorld } from "../support/mixed-network.js";
import { runs } from "../support/runs.js";

const keysOf = (changes: readonly BalanceChange[]) =>
  changes.map(({ timestamp, partyId }) => `${timestamp} ${partyId}`);

/** Reads until the end, or until the error. */
async function readAll(changes: AsyncIterable<BalanceChange>): Promise<{ read: BalanceChange[]; error?: unknown }> {
  const read: BalanceChange[] = [];
  try {
    for await (const change of changes) read.push(change);
    return { read };
  } catch (error) {
    return { read, error };
  }
}

/** By time, then by account id, as nodes sort balance changes. */
const inListOrder = (a: BalanceChange, b: BalanceChange) =>
  Number(BigInt(a.timestamp) - BigInt(b.timestamp)) || compareText(accountIdOf(a) ?? "", accountIdOf(b) ?? "");

const ends = fc.record({
  /** In seconds from the first block on. */
  start: fc.option(fc.nat(200_000), { nil: undefined }),
  length: fc.option(fc.nat(400_000), { nil: undefined }),
});

const timesOf = ({ start, length }: { start: number | undefined; length: number | undefined }) => {
  const at = (seconds: number) => firstTime + BigInt(seconds) * 1_000_000_000n;
  return {
    startTimestamp: start === undefined ? undefined : at(start),
    endTimestamp: length === undefined ? undefined : at((start ?? 0) + length),
  };
};

describe("a scan over nodes of different versions, progress and history", () => {
  test("yields everything up to its coverage, or ends with an error whose `resume` gives exactly the rest", async () => {
    const options = fc.record({
      order: fc.constantFrom("oldest-first" as const, "newest-first" as const),
      pageSize: fc.integer({ min: 1, max: 12 }),
      concurrency: fc.integer({ min: 1, max: 4 }),
    });
    const property = fc.asyncProperty(mixedWorld, ends, options, async (world, range, options) => {
      const { client, balances, end } = createMixedNetwork(world);
      const { startTimestamp, endTimestamp } = timesOf(range);
      const isNewestFirst = options.order === "newest-first";
      const scan = client.scanBalanceChanges(
        { dateRange: { startTimestamp, endTimestamp } },
        { ...options, catchUp: 5 },
      );
      const { read, error } = await readAll(scan);
      const between = (from = 0n, to = end()) => {
        const rows = balances.filter(({ timestamp }) => BigInt(timestamp) >= from && BigInt(timestamp) < to);
        rows.sort(compareRecords);
        return keysOf(isNewestFirst ? rows.reverse() : rows);
      };
      const timeOf = (change: BalanceChange | undefined) => (change ? BigInt(change.timestamp) : undefined);
      if (error === undefined) {
        const { end: to } = await scan.coverage;
        // Without a start, a scan begins with what the nodes keep.
        const from = startTimestamp ?? timeOf(isNewestFirst ? read.at(-1) : read[0]) ?? to;
        if (to !== undefined) expect(keysOf(read)).toEqual(between(from, to));
        else expect(between(from)).toEqual(expect.arrayContaining(keysOf(read)));
        return;
      }
      if (!PaginationError.is(error) || error.resume === undefined) throw error;
      expect(error.reason).toMatch(/^(?:pruned|behind|gap|too-dense)$/);
      const { resume } = error;
      const [from, to] = [resume.startTimestamp, resume.endTimestamp].map((time) =>
        time === undefined ? undefined : BigInt(String(time)),
      );
      // What was read has no gap, and the rest begins where it ends.
      const first = isNewestFirst ? (to ?? timeOf(read.at(-1))) : (startTimestamp ?? timeOf(read[0]));
      const last = isNewestFirst
        ? (endTimestamp ?? (timeOf(read[0]) ?? 0n) + 1n)
        : error.reason === "pruned"
          ? (timeOf(read.at(-1)) ?? 0n) + 1n
          : from;
      if (read.length > 0)
        expect(keysOf(read)).toEqual(
          between(first, last).slice(0, error.reason === "pruned" ? read.length : undefined),
        );
      const healthy = healthyClient(balances, end());
      const rest = await readAll(healthy.scanBalanceChanges({ dateRange: resume }, options));
      expect(rest.error).toBe(undefined);
      expect(keysOf(rest.read)).toEqual(between(from, to));
      if (error.reason === "pruned") expect(from).toBeGreaterThanOrEqual(startTimestamp ?? 0n);
    });
    await fc.assert(property, runs(60));
  });
});

describe("a walk over balance changes of nodes of different versions, progress and history", () => {
  test("yields every change once up to its end, or ends with an error whose `resume` gives exactly the rest", async () => {
    const options = fc.record({
      newestFirst: fc.boolean(),
      size: fc.integer({ min: 1, max: 9 }),
      isBackward: fc.boolean(),
    });
    const start = fc.option(fc.nat(200_000), { nil: undefined });
    const property = fc.asyncProperty(
      mixedWorld,
      start,
      options,
      async (world, start, { newestFirst, size, isBackward }) => {
        const { client, balances, end } = createMixedNetwork(world);
        const { startTimestamp } = timesOf({ start, length: undefined });
        const dateRange = { startTimestamp };
        const pagination = { [isBackward ? "last" : "first"]: size, newestFirst };
        const isDescending = newestFirst !== isBackward;
        const read: BalanceChange[] = [];
        let block: bigint | undefined;
        let error: unknown;
        try {
          for await (const page of client.listBalanceChanges({ dateRange, pagination }).pages()) {
            block ??= page.block?.timestamp;
            read.push(...(isBackward ? [...page.nodes].reverse() : page.nodes));
          }
        } catch (reason) {
          error = reason;
        }
        const rows = balances.filter(({ timestamp }) => BigInt(timestamp) >= (startTimestamp ?? 0n));
        rows.sort(inListOrder);
        if (isDescending) rows.reverse();
        expect(new Set(keysOf(read)).size).toBe(read.length);
        const [all, got] = [keysOf(rows), keysOf(read)];
        const first = got[0] === undefined ? 0 : all.indexOf(got[0]);
        expect(got).toEqual(all.slice(first, first + got.length));
        if (error === undefined) {
          // Without a start, it ends with what the last node keeps. Newest first, it begins with what the first one has.
          if (startTimestamp === undefined && (isDescending || read.length === 0)) return;
          const isComplete = ({ timestamp }: BalanceChange) =>
            isDescending ? read.length === 0 : BigInt(timestamp) >= (block ?? 0n);
          expect(keysOf(rows.slice(first + got.length).filter((row) => !isComplete(row)))).toEqual([]);
          if (!isDescending && startTimestamp !== undefined) expect(first).toBe(0);
          return;
        }
        if (!PaginationError.is(error) || error.resume === undefined) throw error;
        expect(error.reason).toMatch(/^(?:pruned|behind|gap|repeated-cursor)$/);
        const rest: BalanceChange[] = [];
        const healthy = healthyClient(balances, end());
        for await (const change of healthy.listBalanceChanges({ dateRange, pagination: error.resume }))
          rest.push(change);
        if (read.length > 0) expect([...got, ...keysOf(rest)]).toEqual(all.slice(first));
        else expect(keysOf(rest)).toEqual(all);
      },
    );
    await fc.assert(property, runs(60));
  });
});

describe("a walk over votes and signatures of nodes of different progress behind one address or in a pool", () => {
  const second = 1_000_000_000n;
  const since = 1_706_745_600n * second;
  const proposalId = "01".repeat(32);
  const voteAt = (timestamp: bigint, number: number): Vote => ({
    partyId: number.toString(16).padStart(64, "0"),
    proposalId,
    timestamp: `${timestamp}`,
    value: "VALUE_YES",
    totalGovernanceTokenBalance: "1",
    totalGovernanceTokenWeight: "1",
    totalEquityLikeShareWeight: "0",
  });
  const world = fc.record({
    blocks: fc.array(fc.nat(4), { minLength: 2, maxLength: 15 }),
    lags: fc.array(fc.constantFrom(0, 1, 2, 5), { minLength: 0, maxLength: 2 }),
    isPool: fc.boolean(),
    newestFirst: fc.boolean(),
    way: fc.constantFrom("first" as const, "last" as const),
    more: fc.nat(5),
  });

  test("yields every vote and signature of the first page's block once", async () => {
    const property = fc.asyncProperty(world, async ({ blocks, lags, isPool, newestFirst, way, more }) => {
      const votes = blocks.flatMap((count, block) =>
        Array.from({ length: count }, (_, index) => voteAt(since + BigInt(block) * second, 10 * block + index)),
      );
      const id = "02".repeat(32);
      const signatures = votes.map((_, index) => ({
        id,
        sig: btoa(String.fromCharCode(index, 255 - index)),
        kind: "NODE_SIGNATURE_KIND_ASSET_NEW",
      }));
      const block = { height: 1000n, timestamp: since + BigInt(blocks.length) * second };
      const nodes = [{}, ...lags.map((lag) => ({ lag }))];
      const network = createFakeNetwork(
        { nodes, votes, signatures, block },
        { defects: nodeDefects, rateLimit: false },
      );
      const baseUrl = isPool ? nodePool(network.nodes.map(({ url }) => url)) : network.url;
      const client = createClient({ baseUrl, fetch: network.fetch, pacing: false });
      const largest = Math.max(...blocks.map((count, index) => count + (blocks[index + 1] ?? 0)), 1);
      const pagination = { [way]: largest + more, newestFirst };
      let first: bigint | undefined;
      const walked: Vote[] = [];
      let error: unknown;
      try {
        for await (const page of client.listVotes({ proposalId, pagination }).pages()) {
          first ??= page.block?.timestamp;
          walked.push(...page.nodes);
        }
      } catch (reason) {
        // Each node has an order of its own within a block, so that a walk over several may not pass one.
        expect(reason).toMatchObject({ name: "PaginationError", reason: "repeated-cursor" });
        error = reason;
      }
      const keysOf = (all: readonly Vote[]) =>
        all
          .filter(({ timestamp }) => BigInt(timestamp) < (first ?? 0n))
          .map(({ partyId }) => partyId)
          .sort();
      expect(new Set(walked.map(({ partyId }) => partyId)).size).toBe(walked.length);
      if (error === undefined) expect(keysOf(walked)).toEqual(keysOf(votes));
      const all = await client.listNodeSignatures({ id, pagination: { first: 3 } }).toArray();
      expect(all.map(({ sig }) => sig).sort()).toEqual(signatures.map(({ sig }) => sig).sort());
    });
    await fc.assert(property, runs(60));
  });
});
