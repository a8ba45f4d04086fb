import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionError, createClient, type PartyProfile, type VegaError } from "../../../src/index.js";
import { splitFilters } from "../../../src/list/filters.js";
import { createFakeNode, type FakeNode, type FakeNodeOptions } from "../../../src/testing/index.js";
import { collect, readUntilError } from "../../support/page-source.js";
import { hex } from "../../support/records.js";
import { runs } from "../../support/runs.js";

describe("a query", () => {
  test("is split into short requests if it is long, and each value is in exactly one of them", () => {
    const ids = fc.array(fc.string({ minLength: 1, maxLength: 64, unit: "grapheme" }), { maxLength: 300 });
    const property = fc.property(ids, ids, (partyIds, marketIds) => {
      const filters = { filter: { partyIds, marketIds } };
      const parts = splitFilters(filters);
      const pairs = ({ filter: { partyIds, marketIds } }: typeof filters) =>
        partyIds.flatMap((party) => marketIds.map((market) => `${party}\n${market}`));
      const all = parts.flatMap((part) => [...new Set(pairs(part))]);
      expect(all.sort()).toEqual([...new Set(pairs(filters))].sort());
      for (const { filter } of parts) {
        const query = Object.entries(filter).flatMap(([name, list]) => list.map((value) => [`filter.${name}`, value]));
        if (parts.length > 1) expect(String(new URLSearchParams(query)).length).toBeLessThan(8000);
      }
    });
    fc.assert(property, runs(12));
  });
});

type Fake = Pick<FakeNode, "fetch" | "records" | "requests">;
const clientOf = ({ fetch }: Pick<Fake, "fetch">) =>
  createClient({ baseUrl: "https://node.example", fetch, retry: false });
const longest = ({ requests }: Fake) => Math.max(...requests.map(({ url }) => url.length));

describe("profiles of more parties than fit a URL", () => {
  const node = (options?: FakeNodeOptions) => createFakeNode({ profiles: 501 }, options);
  const partiesOf = ({ records }: Fake) => records.profiles.map(({ partyId }) => partyId);
  const idsOf = (profiles: readonly PartyProfile[]) => profiles.map(({ partyId }) => partyId);

  test("take several requests and are one listing, also on a node that rejects cursors", async () => {
    const fake = node({ defects: ["failing-profile-cursors"] });
    const parties = partiesOf(fake);
    const profiles = await clientOf(fake)
      .listPartiesProfiles({
        parties: [...parties, ...parties.map((id) => (id === "network" ? id : id.toUpperCase()))],
      })
      .toArray();
    expect(idsOf(profiles).sort()).toEqual([...parties].sort());
    expect(fake.requests.length).toBeGreaterThan(5);
    expect(longest(fake)).toBeLessThan(8000);

    // Pages end with a whole list, because what is left of one needs a cursor.
    const backward = clientOf(fake).listPartiesProfiles({ parties, pagination: { last: 100 } });
    expect(idsOf(await backward.toArray()).sort()).toEqual([...parties].sort());

    const page = await clientOf(fake).listPartiesProfiles({ parties });
    expect(page).toMatchObject({ response: { status: 200 }, block: { height: 1_234_568n } });
    expect(page.nodes).toHaveLength(501);
  });

  test.each(["first", "last"] as const)("are read in pages of any size with `%s`, from any cursor", async (size) => {
    const fake = node();
    const client = clientOf(fake);
    const parties = partiesOf(fake);
    const all = idsOf(await client.listPartiesProfiles({ parties }).toArray());
    const expected = size === "first" ? all : all.reverse();
    const edges = await collect(client.listPartiesProfiles({ parties, pagination: { [size]: 70 } }).edges());
    expect(edges.map(({ node }) => node.partyId)).toEqual(expected);
    const name = size === "first" ? "after" : "before";
    for (const index of [0, 69, 70, 200, 499]) {
      const pagination = { [size]: 1000, [name]: edges[index]?.cursor };
      const rest = await client.listPartiesProfiles({ parties, pagination }).toArray();
      expect(idsOf(rest)).toEqual(expected.slice(index + 1));
    }
  });

  test("continue after an error from its `resume`", async () => {
    const fake = node();
    const client = clientOf(fake);
    const parties = partiesOf(fake);
    const expected = await client.listPartiesProfiles({ parties }).toArray();
    fake.configure({ faults: [{ name: "reset", request: fake.requests.length + 5 }] });
    const walk = client.listPartiesProfiles({ parties, pagination: { first: 60 } });
    const { records, error } = await readUntilError(walk);
    expect(error).toBeInstanceOf(ConnectionError);
    const rest = client.listPartiesProfiles({ parties, pagination: (error as VegaError).resume });
    expect([...records, ...(await rest.toArray())]).toEqual(expected);
  });

  test("name the earliest block of their responses, because only the records before it are final in all of them", async () => {
    const fake = node();
    const heights = ["8", "7", "9"];
    const client = clientOf({
      fetch: async (request) => {
        const { body, headers } = await fake.fetch(request);
        const height = heights.shift() ?? "10";
        return new Response(body, {
          headers: { ...Object.fromEntries(headers), "x-block-height": height, "x-block-timestamp": `${height}000` },
        });
      },
    });
    expect((await client.listPartiesProfiles({ parties: partiesOf(fake) })).block?.height).toBe(7n);
  });

  test("reject the cursor of another list", async () => {
    const fake = node();
    const parties = Array.from({ length: 200 }, (_, index) => hex(index));
    const listing = clientOf(fake).listPartiesProfiles({ parties, pagination: { after: "fn5+c2ln" } });
    await expect(listing.toArray()).rejects.toThrow(
      'Expected `pagination.after` of listPartiesProfiles to be a cursor of this list, which takes 4 requests, got "fn5+c2ln".',
    );
    expect(fake.requests).toEqual([]);
  });
});

describe("balance changes of more parties than fit a URL", () => {
  /** The parties of the balances, among others: some in each part of the list. */
  const scattered = ({ records }: Fake, others: number) => {
    const known = [...new Set(records.balances.map(({ partyId }) => partyId ?? ""))];
    return Array.from({ length: others }, (_, index) => known[index / 10] ?? hex(index));
  };

  test("are scanned to their end from the `resume` of an error", async () => {
    const fake = createFakeNode({ balances: 1000 });
    const filter = { partyIds: scattered(fake, 250) };
    const client = clientOf(fake);
    const inOrder = await client.scanBalanceChanges({ filter }).toArray();
    fake.configure({ faults: [{ name: "reset", request: 9 }] });
    const { records, error } = await readUntilError(client.scanBalanceChanges({ filter }, { pageSize: 100 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(records.length).toBeGreaterThan(0);
    const rest = await client.scanBalanceChanges({ filter, dateRange: (error as VegaError).resume }).toArray();
    expect([...records, ...rest]).toEqual(inOrder);
  });

  test("are no list: the error names the scan", async () => {
    const fake = createFakeNode();
    const listing = clientOf(fake).listBalanceChanges({ filter: { partyIds: scattered(fake, 300) } });
    await expect(listing).rejects.toThrow(
      "`filter` of listBalanceChanges must fit a URL; this one takes 4 requests. Use `scanBalanceChanges`, which sends them.",
    );
    expect(fake.requests).toEqual([]);
  });
});
