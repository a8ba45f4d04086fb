/**
 * A reading of a node that keeps everything, alone or in a pool with nodes that keep less, is covered from its start on if anyone had a
 * record in the month before.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BalanceChange, createClient } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { createFakeNetwork, nodeDefects } from "../../src/testing/index.js";
import { changesAt, hex } from "../support/records.js";
import { runs } from "../support/runs.js";

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

test.each(["v0.74", "v0.79"] as const)("by any reader, with any filter, from %s nodes", async (version) => {
  const reading = fc.record({
    records: fc.uniqueArray(own, { maxLength: 6, selector: JSON.stringify }),
    ...{ filter: fc.constantFrom(...filters), isScan: fc.boolean() },
    ...{ start: fc.integer({ min: 60, max: 1200 }), length: fc.option(fc.integer({ min: 1, max: 700 })) },
    ...{ newestFirst: fc.boolean(), size: fc.constantFrom(2, 10, 1000) },
    // When the histories of the other nodes of a pool begin.
    cuts: fc.oneof(fc.constant([]), fc.tuple(fc.integer({ min: 1, max: 1990 }), fc.constant(1990))),
  });
  await fc.assert(
    fc.asyncProperty(reading, async ({ records, filter, isScan, start, length, newestFirst, size, cuts }) => {
      const balances = [...chain, ...records.map((record) => ({ ...(chain[0] as BalanceChange), ...record }))];
      const block = { height: 50_000_000n, timestamp: first + 2000n * day };
      const options = { version, defects: nodeDefects, rateLimit: false } as const;
      const histories = [undefined, ...cuts.map((days) => first + BigInt(days) * day)];
      const network = createFakeNetwork({ nodes: histories.map((history) => ({ history })), balances, block }, options);
      const pool = nodePool(network.nodes.map(({ url }) => url));
      const client = createClient({ baseUrl: pool, fetch: network.fetch, pacing: false });
      const startTimestamp = first + BigInt(start) * day;
      const endTimestamp = length === null ? undefined : startTimestamp + BigInt(length) * day;
      const query = { filter, dateRange: { startTimestamp, endTimestamp } };
      const order = newestFirst ? "newest-first" : "oldest-first";
      const list = isScan
        ? client.scanBalanceChanges(query, { pageSize: size, order })
        : client.listBalanceChanges({ ...query, pagination: { first: size, newestFirst } });
      const wanted = balances.filter(
        ({ timestamp, partyId, marketId, accountType }) =>
          BigInt(timestamp) >= startTimestamp &&
          (endTimestamp === undefined || BigInt(timestamp) < endTimestamp) &&
          (filter.partyIds?.includes(partyId) ?? true) &&
          (filter.marketIds?.includes(marketId) ?? true) &&
          (filter.accountTypes?.includes(accountType as typeof rare) ?? true),
      );
      expect(await list.toArray()).toHaveLength(wanted.length);
      expect((await list.coverage)?.start).toBe(startTimestamp);
    }),
    runs(80),
  );
});
