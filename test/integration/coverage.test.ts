/**
 * A reading of a node that keeps everything, alone or in a pool with nodes that keep less, is covered from its start on if anyone had a
 * record in the month before. Behind one address of such nodes, it has every record of its coverage.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BalanceChange, type Coverage, createClient, PaginationError } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNetwork, nodeDefects } from "../../src/testing/index.js";
import { changesAt, hex } from "../support/records.js";
import { runs } from "../support/runs.js";
import { addressOn, WorldClock } from "../support/worlds/clock.js";

const day = 86_400_000_000_000n;
/** 1 January 2022. */
const first = 1_640_995_200_000_000_000n;
const [rare, busy] = ["ACCOUNT_TYPE_BOND", "ACCOUNT_TYPE_GENERAL"] as const;
const [party, other, market] = [hex(99), hex(98), hex(60)];

/** A record every two days, of nine parties in three markets. */
const times = Array.from({ length: 1000 }, (_, index) => first + 2n * BigInt(index) * day);
const chain = changesAt(times).map((change, index) => ({
  ...change,
  ...{ partyId: hex(index % 9), marketId: hex(50 + (index % 3)), accountType: busy },
}));

const own = fc.record({
  timestamp: fc.integer({ min: 0, max: 1250 }).map((days) => String(first + BigInt(days) * day + 1000n) as never),
  partyId: fc.constantFrom(party, other, hex(1)),
  accountType: fc.constantFrom(rare, busy),
  marketId: fc.constantFrom("", hex(50), market),
});

const filters = [
  {},
  { partyIds: [party] },
  { partyIds: [party, other] },
  { partyIds: [party], marketIds: [hex(50)] },
  { marketIds: [market] },
  { accountTypes: [rare] },
];

const cut = fc.integer({ min: 1, max: 1990 });

const readings = fc.record({
  records: fc.uniqueArray(own, { maxLength: 6, selector: JSON.stringify }),
  ...{ filter: fc.constantFrom(...filters), isScan: fc.boolean() },
  ...{ start: fc.integer({ min: 60, max: 1200 }), length: fc.option(fc.integer({ min: 1, max: 700 })) },
  ...{ newestFirst: fc.boolean(), size: fc.constantFrom(2, 10, 1000) },
  // When the histories of the other nodes begin.
  cuts: fc.oneof(fc.constant([]), fc.tuple(cut), fc.tuple(cut, fc.constant(1990))),
});
type Settings = typeof readings extends fc.Arbitrary<infer T> ? T : never;

/** Opens a reading of a pool, or of one address if the node of each request is given. */
function open(
  version: "v0.74" | "v0.79",
  { records, filter, isScan, start, length, newestFirst, size, cuts }: Settings,
  balance?: (request: number) => number,
) {
  const balances = [...chain, ...records.map((record) => ({ ...(chain[0] as BalanceChange), ...record }))];
  const block = { height: 50_000_000n, timestamp: first + 2000n * day };
  const options = { version, defects: nodeDefects, rateLimit: false } as const;
  const nodes = [undefined, ...cuts.map((days) => first + BigInt(days) * day)].map((history) => ({ history }));
  const network = createFakeNetwork({ nodes, balances, block, balance }, options);
  const clock = new WorldClock();
  let busy = 0;
  let turns = 0;
  const fetch = async (request: Request) => {
    busy++;
    // In one piece: a longer body would be read while the clock runs.
    const response = await network.fetch(request);
    const body = await response.arrayBuffer();
    busy--;
    turns = 0;
    return new Response(body, response);
  };
  const urls = network.nodes.map(({ url }) => url);
  const client = balance
    ? createClient({ baseUrl: addressOn(network.url, clock, () => 0.5), fetch, pacing: false })
    : createClient({ baseUrl: nodePool(urls), fetch: network.fetch, pacing: false });
  const startTimestamp = first + BigInt(start) * day;
  const endTimestamp = length === null ? undefined : startTimestamp + BigInt(length) * day;
  const query = { filter, dateRange: { startTimestamp, endTimestamp } };
  const order = newestFirst ? "newest-first" : "oldest-first";
  const list = isScan
    ? client.scanBalanceChanges(query, { pageSize: size, order })
    : client.listBalanceChanges({ ...query, pagination: { first: size, newestFirst } });
  const wantedFrom = (from: bigint) =>
    balances.filter(
      ({ timestamp, partyId, marketId, accountType }) =>
        BigInt(timestamp) >= from &&
        (endTimestamp === undefined || BigInt(timestamp) < endTimestamp) &&
        (filter.partyIds?.includes(partyId) ?? true) &&
        (filter.marketIds?.includes(marketId) ?? true) &&
        (filter.accountTypes?.includes(accountType as typeof rare) ?? true),
    );
  const run = <T>(promise: Promise<T>) => clock.run(promise, () => busy > 0 || turns++ < 20);
  return { list, run, startTimestamp, wantedFrom };
}

describe.each(["v0.74", "v0.79"] as const)("by any reader, with any filter, from %s nodes", (version) => {
  test("alone or in a pool", async () => {
    const isCovered = async (settings: Settings) => {
      const { list, startTimestamp, wantedFrom } = open(version, settings);
      expect(await list.toArray()).toHaveLength(wantedFrom(startTimestamp).length);
      expect((await list.coverage)?.start).toBe(startTimestamp);
    };
    await fc.assert(fc.asyncProperty(readings, isCovered), runs(80));
  });

  test("up to where a caller ends the loop", async () => {
    const isCovered = async (settings: Settings, most: number) => {
      const { list, startTimestamp, wantedFrom } = open(version, settings);
      const taken: BalanceChange[] = [];
      for await (const change of list) if (taken.push(change) === most) break;
      const { start, end = 2n ** 63n } = (await list.coverage) as Coverage;
      const isIn = ({ timestamp }: BalanceChange) => BigInt(timestamp) >= start && BigInt(timestamp) < end;
      expect(taken.filter(isIn)).toHaveLength(wantedFrom(startTimestamp).filter(isIn).length);
      // More records can have the time of the last one.
      const last = taken.at(-1)?.timestamp;
      expect(taken.filter((change) => change.timestamp !== last && !isIn(change))).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(readings, fc.integer({ min: 1, max: 30 }), isCovered), runs(80));
  });

  test("behind one address", async () => {
    // In turns, one node can be the one that each request of a kind comes to.
    const turns = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 30 });
    const isComplete = async (settings: Settings, turns: number[]) => {
      const count = settings.cuts.length + 1;
      const { list, run, wantedFrom } = open(version, settings, (request) => {
        if (request > 2000) throw new Error(`The reading does not end within ${request} requests.`);
        return Number(turns[request % turns.length]) % count;
      });
      const reading = list.toArray().catch((error: unknown) => {
        if (!PaginationError.is(error)) throw error;
      });
      const records = await run(reading);
      if (records === undefined) return;
      const { start } = (await list.coverage) as Coverage;
      expect(records.filter(({ timestamp }) => BigInt(timestamp) >= start)).toHaveLength(wantedFrom(start).length);
    };
    await fc.assert(fc.asyncProperty(readings, turns, isComplete), runs(80));
  });
});
