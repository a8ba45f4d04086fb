import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionError, createClient, type VegaError } from "../../../src/index.js";
import { splitFilters } from "../../../src/list/filters.js";
import { createFakeNode, type FakeNode } from "../../../src/testing/index.js";
import { readUntilError } from "../../support/page-source.js";
import { hex } from "../../support/records.js";
import { runs } from "../../support/runs.js";

test("a query is split into short requests if it is long, and each value is in exactly one of them", () => {
  const ids = fc.array(fc.string({ minLength: 1, maxLength: 64, unit: "grapheme" }), { maxLength: 300 });
  const short = fc.uniqueArray(fc.integer({ min: 0, max: 999 }).map(String), { minLength: 400, maxLength: 600 });
  const property = fc.property(fc.oneof(ids, short), ids, (partyIds, marketIds) => {
    const filters = { filter: { assetId: "aa", partyIds, marketIds } };
    const parts = splitFilters(filters);
    const pairs = ({ filter: { partyIds, marketIds } }: typeof filters) =>
      partyIds.flatMap((party) => marketIds.map((market) => `${party}\n${market}`));
    const all = parts.flatMap((part) => [...new Set(pairs(part))]);
    expect(all.sort()).toEqual([...new Set(pairs(filters))].sort());
    for (const { filter } of parts) {
      const query = Object.entries(filter).flatMap(([name, list]) =>
        [list].flat().map((value) => [`filter.${name}`, value]),
      );
      expect(String(new URLSearchParams(query)).length).toBeLessThan(8000);
    }
  });
  fc.assert(property, runs(12));
});

test("the longest list of a query is split, and a value that is too long by itself stays", () => {
  const marketIds = Array.from({ length: 200 }, (_, index) => hex(index));
  expect(splitFilters({ filter: { partyIds: [hex(1), hex(2)], marketIds } })).toHaveLength(4);
  const filters = { filter: { partyIds: ["a".repeat(8000)], marketIds: undefined } };
  expect(splitFilters(filters)).toEqual([filters]);
});

type Fake = Pick<FakeNode, "fetch" | "records" | "requests">;
const clientOf = ({ fetch }: Pick<Fake, "fetch">) =>
  createClient({ baseUrl: "https://node.example", fetch, retry: false });

describe("balance changes of more parties than fit a URL", () => {
  /** The parties of the balances, among others: some in each part of the list. */
  const scattered = ({ records }: Fake, others: number) => {
    const known = [...new Set(records.balances.map(({ partyId }) => partyId ?? ""))];
    return Array.from({ length: others }, (_, index) => known[index / 10] ?? hex(index));
  };

  const orders = ["oldest-first", "newest-first"] as const;
  test.each(orders)("are covered from the first record on, although some parts find none: %s", async (order) => {
    const fake = createFakeNode({ balances: 1000 }, { rateLimit: false });
    const sorted = [...fake.records.balances].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    const { partyId = "" } = sorted.at(300) ?? {};
    const filter = { partyIds: [partyId, ...Array.from({ length: 250 }, (_, index) => hex(index))] };
    const [first] = sorted.filter((each) => each.partyId === partyId);
    const scan = clientOf(fake).scanBalanceChanges({ filter }, { order });
    await scan.toArray();
    expect((await scan.coverage).start).toBe(BigInt(first?.timestamp ?? 0));
  });

  test("are scanned to their end from the `resume` of an error", async () => {
    const fake = createFakeNode({ balances: 1000 });
    const filter = { partyIds: scattered(fake, 250) };
    const client = clientOf(fake);
    const inOrder = await client.scanBalanceChanges({ filter }).toArray();
    fake.configure({ faults: [{ name: "reset", request: 9 }] });
    const { records, error } = await readUntilError(client.scanBalanceChanges({ filter }, { pageSize: 100 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(records.length).toBeGreaterThan(0);
    const rest = await client.scanBalanceChanges({ filter, ...(error as VegaError).resume }).toArray();
    expect([...records, ...rest]).toEqual(inOrder);
  });

  test("are no list: the error names the scan, and that of profiles several calls", async () => {
    const fake = createFakeNode();
    const parties = scattered(fake, 300);
    await expect(clientOf(fake).listBalanceChanges({ filter: { partyIds: parties } })).rejects.toThrow(
      "`filter` of listBalanceChanges does not fit in one URL and needs 4 requests. Use `scanBalanceChanges`, which sends them.",
    );
    await expect(clientOf(fake).listPartiesProfiles({ parties }).toArray()).rejects.toThrow(
      "`parties` of listPartiesProfiles does not fit in one URL and needs 4 requests. List them in several calls.",
    );
    expect(fake.requests).toEqual([]);
  });
});
