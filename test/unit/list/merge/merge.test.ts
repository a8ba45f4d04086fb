import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { paginate } from "../../../../src/client/listing.js";
import { ConnectionError, createClient, type VegaError } from "../../../../src/index.js";
import { mergePages } from "../../../../src/list/merge/merge.js";
import { splitFilters } from "../../../../src/list/merge/split.js";
import { createFakeNode } from "../../../../src/testing/index.js";
import { collect, PageSource } from "../../../support/page-source.js";
import { runs } from "../../../support/runs.js";

interface Item {
  time: number;
  name: string;
}

const lists = fc.array(
  fc.array(fc.nat(20), { maxLength: 12 }).map((times) => times.sort((a, b) => a - b)),
  { minLength: 2, maxLength: 4 },
);
const direction = fc.constantFrom("first" as const, "last" as const);

const byTime = (a: Item, b: Item) => a.time - b.time;

const merged = (sources: readonly PageSource<Item>[], isCompared: boolean) =>
  mergePages<Item, object>({
    source: { operation: "list" },
    fetchPages: sources.map(({ fetchPage }) => fetchPage),
    compare: isCompared ? byTime : undefined,
  });

/** The lists as sources of pages, and the order of their records in the merged list. */
function partsOf(times: readonly number[][], newestFirst: boolean, isCompared: boolean, sizes: number[] = []) {
  const sources = times.map(
    (part, index) =>
      new PageSource<Item>(
        part.map((time, at) => ({ time, name: `${index}/${at}` })),
        { sizes },
      ),
  );
  const all = sources.flatMap((source) => source.ordered(newestFirst));
  // Array sorting is stable: records of one time come part by part.
  const expected = isCompared ? [...all].sort((a, b) => (newestFirst ? -1 : 1) * byTime(a, b)) : all;
  return { sources, list: merged(sources, isCompared), expected };
}

describe("a merged list", () => {
  test("yields every record once and in order, in both directions, with short and empty pages", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 });
    const property = fc.asyncProperty(
      lists,
      fc.integer({ min: 1, max: 9 }),
      direction,
      fc.boolean(),
      fc.boolean(),
      sizes,
      async (times, size, way, newestFirst, isCompared, sizes) => {
        const { list, expected } = partsOf(times, newestFirst, isCompared, sizes);
        const handedOut = await collect(paginate(list, { [way]: size, newestFirst }));
        expect(handedOut).toEqual(way === "first" ? expected : expected.reverse());
      },
    );
    await fc.assert(property, runs(100));
  });

  test("continues from the cursor of any record, in both directions", async () => {
    const property = fc.asyncProperty(
      lists,
      fc.integer({ min: 1, max: 9 }),
      direction,
      fc.boolean(),
      fc.nat(),
      async (times, size, way, isCompared, pick) => {
        const { list, expected, sources } = partsOf(times, false, isCompared);
        if (expected.length === 0) return;
        const edges = await collect(paginate(list, { [way]: size, newestFirst: false }).edges());
        const { cursor, node } = edges[pick % edges.length] ?? { cursor: "", node: undefined };
        const index = expected.indexOf(node as Item);
        const again = () => merged(sources, isCompared);
        const after = await paginate(again(), { first: size, after: cursor, newestFirst: false }).toArray();
        expect(after).toEqual(expected.slice(index + 1));
        const before = await paginate(again(), { last: size, before: cursor, newestFirst: false }).toArray();
        expect(before).toEqual(expected.slice(0, index).reverse());
      },
    );
    await fc.assert(property, runs(100));
  });

  test("requests no page twice", async () => {
    const times = [Array.from({ length: 30 }, (_, i) => 2 * i), Array.from({ length: 20 }, (_, i) => 3 * i)];
    const { list, sources } = partsOf(times, false, true);
    await paginate(list, { first: 10, newestFirst: false }).toArray();
    expect(sources.map(({ requests }) => requests.length)).toEqual([3, 2]);
  });

  test("has pages that lead to their neighbors, also during a walk", async () => {
    const { list, expected } = partsOf(
      [
        [1, 4, 7, 9],
        [2, 3, 8],
      ],
      false,
      true,
    );
    const seen: Item[] = [];
    for await (const page of paginate(list, { first: 2, newestFirst: false }).pages()) {
      seen.push(...page.nodes);
      const at = seen.length;
      // Asked for twice at once, beside the walk itself.
      for (const next of await Promise.all([page.nextPage(), page.nextPage()])) {
        expect(next?.nodes ?? []).toEqual(expected.slice(at, at + 2));
      }
      const back = await page.previousPage();
      expect(back?.nodes ?? []).toEqual(
        expected.slice(Math.max(0, at - page.nodes.length - 2), at - page.nodes.length),
      );
    }
    expect(seen).toEqual(expected);
  });
});

test("a request that fails cancels the others", async () => {
  const signals: AbortSignal[] = [];
  const list = mergePages<Item, object>({
    source: { operation: "list" },
    fetchPages: [
      async () => {
        throw new ConnectionError("reset");
      },
      (_, signal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    ],
    compare: byTime,
  });
  await expect(paginate(list).toArray()).rejects.toThrow("reset");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

describe("a query", () => {
  test("is one request if it is short", () => {
    const filters = { filter: { assetId: "a", partyIds: ["b", "b"] } };
    expect(splitFilters(filters)).toEqual([filters]);
    expect(splitFilters({})).toEqual([{}]);
  });

  test("is split into short requests if it is long, and each value is in exactly one of them", () => {
    const ids = fc.array(fc.string({ minLength: 1, maxLength: 64, unit: "grapheme" }), { maxLength: 300 });
    const property = fc.property(ids, ids, (parties, markets) => {
      const filters = { filter: { partyIds: parties, marketIds: markets } };
      const parts = splitFilters(filters);
      const pairs = ({ filter: { partyIds, marketIds } }: typeof filters) =>
        partyIds.flatMap((party) => marketIds.map((market) => `${party}\n${market}`));
      const all = parts.flatMap((part) => [...new Set(pairs(part))]);
      expect(new Set(all)).toEqual(new Set(pairs(filters)));
      expect(all).toHaveLength(new Set(all).size);
      for (const part of parts) {
        const query = new URLSearchParams(
          Object.entries(part.filter).flatMap(([name, list]) => list.map((value) => [`filter.${name}`, value])),
        );
        if (parts.length > 1) expect(String(query).length).toBeLessThan(8000);
      }
    });
    fc.assert(property, runs(12));
  });

  test("is not split if no list has two different values", () => {
    const long = "a".repeat(8000);
    expect(splitFilters({ filter: { partyIds: [long, long], assetId: "b" } })).toHaveLength(1);
  });

  test("requests an id once that is written in either case, or as a name that stands for it", () => {
    const ids = Array.from({ length: 200 }, (_, index) => (0xa0 + index).toString(16).padStart(64, "0"));
    const filters = { parties: [...ids, ...ids.map((id) => id.toUpperCase()), "network", "03"] };
    const requested = splitFilters(filters).flatMap(({ parties }) => parties);
    expect(new Set(requested.map((id) => id.toLowerCase())).size).toBe(requested.length);
    expect(requested).toHaveLength(201);
  });
});

describe("a list with a long filter", () => {
  const node = () => createFakeNode({ profiles: 501, balances: 2000 }, { defects: ["failing-profile-cursors"] });
  const id = (index: number) => index.toString(16).padStart(64, "0");
  const clientOf = ({ fetch }: { fetch: ReturnType<typeof node>["fetch"] }) =>
    createClient({ baseUrl: "https://node.example", fetch });
  /** The parties of the balances, among others: some in each part of the list. */
  const scattered = ({ records }: Pick<ReturnType<typeof node>, "records">, others: number) => {
    const known = [...new Set(records.balances.map(({ partyId }) => partyId ?? ""))];
    return Array.from({ length: others }, (_, index) => known[index / 10] ?? id(index));
  };
  const longest = ({ requests }: ReturnType<typeof node>) => Math.max(...requests.map(({ url }) => url.length));

  test("of parties takes several requests and is one listing", async () => {
    const fake = node();
    const parties = fake.records.profiles.map(({ partyId }) => partyId);
    const profiles = await clientOf(fake)
      .listPartiesProfiles({ parties: [...parties, ...parties] })
      .toArray();
    expect(profiles.map(({ partyId }) => partyId).sort()).toEqual([...parties].sort());
    expect(fake.requests.length).toBeGreaterThan(5);
    expect(longest(fake)).toBeLessThan(8000);

    const page = await clientOf(fake).listPartiesProfiles({ parties });
    expect(page).toMatchObject({ response: { status: 200 }, block: { height: 1_234_568n } });
    expect(page.nodes).toHaveLength(501);
  });

  test("of parties yields balance changes in order of time, and ends with maxItems", async () => {
    const fake = node();
    const partyIds = scattered(fake, 300);
    const client = clientOf(fake);
    const query = { filter: { partyIds } };
    const times = (records: readonly { timestamp: string }[]) => records.map(({ timestamp }) => timestamp);
    const stored = times(fake.records.balances).sort();

    const newest = await client.listBalanceChanges(query, { maxItems: 150 }).toArray();
    expect(times(newest)).toEqual([...stored].reverse().slice(0, 150));
    const oldest = client.listBalanceChanges({ ...query, pagination: { first: 300, newestFirst: false } });
    expect(times(await oldest.toArray())).toEqual(stored);
    expect(longest(fake)).toBeLessThan(8000);

    fake.configure({ defects: ["lost-balance-changes"] });
    expect(times(await client.scanBalanceChanges(query).toArray())).toEqual(stored);
    expect(times(await client.scanBalanceChanges(query, { pageSize: 300 }).toArray())).toEqual(stored);
    const last = await client
      .scanBalanceChanges(query, { order: "newest-first", maxItems: 70, pageSize: 200 })
      .toArray();
    expect(times(last)).toEqual([...stored].reverse().slice(0, 70));
  });

  test("sends at most eight requests at once, however many ids there are", async () => {
    const fake = node();
    let inFlight = 0;
    let most = 0;
    const client = createClient({
      baseUrl: "https://node.example",
      pacing: false,
      fetch: async (request) => {
        most = Math.max(most, ++inFlight);
        await new Promise(setImmediate);
        const response = await fake.fetch(request);
        inFlight--;
        return response;
      },
    });
    const partyIds = scattered(fake, 5000);
    const changes = await client.listBalanceChanges({ filter: { partyIds } }).toArray();
    expect(changes).toHaveLength(fake.records.balances.length);
    expect(fake.requests.length).toBeGreaterThan(60);
    expect(most).toBe(8);
  });

  test("names the earliest block of its responses, because only the records before it are final in all of them", async () => {
    const fake = createFakeNode({ balances: 1000 });
    const heights = ["8", "7", "9"];
    const client = createClient({
      baseUrl: "https://node.example",
      fetch: async (request) => {
        const { body, headers } = await fake.fetch(request);
        const height = heights.shift() ?? "10";
        return new Response(body, {
          headers: { ...Object.fromEntries(headers), "x-block-height": height, "x-block-timestamp": `${height}000` },
        });
      },
    });
    const page = await client.listBalanceChanges({ filter: { partyIds: scattered(fake, 300) } });
    expect(heights).toEqual([]);
    expect(page.block).toEqual({ height: 7n, timestamp: 7000n });
  });

  test("continues after an error from its `resume`", async () => {
    const fake = createFakeNode({ balances: 1000 });
    const partyIds = scattered(fake, 250);
    const client = createClient({ baseUrl: "https://node.example", fetch: fake.fetch, retry: false });
    const expected = await client.listBalanceChanges({ filter: { partyIds }, pagination: { first: 1000 } }).toArray();
    expect(expected).toHaveLength(1000);
    const inOrder = await client.scanBalanceChanges({ filter: { partyIds } }).toArray();
    fake.configure({ faults: [{ name: "reset", request: 6 }] });
    const walked: object[] = [];
    const error = (await (async () => {
      for await (const each of client.listBalanceChanges({ filter: { partyIds }, pagination: { first: 100 } }))
        walked.push(each);
    })().catch((reason: unknown) => reason)) as VegaError;
    expect(error.name).toBe("ConnectionError");
    for await (const each of client.listBalanceChanges({ filter: { partyIds }, pagination: error.resume }))
      walked.push(each);
    expect(walked).toEqual(expected);

    fake.configure({ faults: [{ name: "reset", request: 9 }] });
    const scanned: object[] = [];
    const broken = (await (async () => {
      for await (const each of client.scanBalanceChanges({ filter: { partyIds } }, { pageSize: 100 }))
        scanned.push(each);
    })().catch((reason: unknown) => reason)) as VegaError;
    expect(broken.name).toBe("ConnectionError");
    expect(scanned.length).toBeGreaterThan(0);
    for await (const each of client.scanBalanceChanges({ filter: { partyIds }, dateRange: broken.resume }))
      scanned.push(each);
    const texts = (all: object[]) => all.map((each) => JSON.stringify(each)).sort();
    expect(texts(scanned)).toEqual(texts(inOrder));
  });

  test("rejects the cursor of another list", async () => {
    const fake = node();
    const parties = Array.from({ length: 200 }, (_, index) => id(index));
    const listing = clientOf(fake).listPartiesProfiles({ parties, pagination: { after: "fn5+c2ln" } });
    await expect(listing.toArray()).rejects.toThrow(
      'Expected `pagination.after` of listPartiesProfiles to be a cursor of this list, which takes 4 requests, got "fn5+c2ln".',
    );
    expect(fake.requests).toEqual([]);
  });
});
