import { createRequire } from "node:module";
import { expect, test } from "vitest";
import type * as Follow from "../../src/follow/index.js";
import type * as Vega from "../../src/index.js";
import type * as Pool from "../../src/pool/index.js";
import { createFakeNetwork } from "../../src/testing/index.js";
import { rejectionOf } from "../support/recorder.js";
import { entries } from "../support/samples/entries.js";

// A program that imports the package and whose dependency requires it has both copies. `npm test` has built them.
const require = createRequire(import.meta.url);
const load = async <Module>(entry: string): Promise<{ imported: Module; required: Module }> => ({
  imported: await import(entry),
  required: require(entry),
});

const { imported, required } = await load<typeof Vega>("vegaprotocol-client");
const party = { partyId: "ab".repeat(32) };

test.each(entries)("%s has the same names as ES module and as CommonJS", async (entry) => {
  const { imported, required } = await load<object>(entry);
  expect(Object.keys(required).sort()).toEqual(Object.keys(imported).sort());
  expect(Object.keys(required).length).toBeGreaterThan(0);
});

const errorNames = Object.keys(imported).filter((name): name is "VegaError" => name.endsWith("Error"));

test.each(errorNames)("`is` recognizes a %s of the other copy", async (name) => {
  const { StalledError } = (await load<typeof Follow>("vegaprotocol-client/follow")).required;
  for (const [one, other] of [
    [imported, required],
    [required, imported],
  ] as const) {
    const error: unknown = Object.create(other[name].prototype);
    expect(one[name]).not.toBe(other[name]);
    expect(one[name].is(error)).toBe(true);
    expect(one.VegaError.is(error)).toBe(true);
    expect(StalledError.is(error)).toBe(false);
    class Derived extends one[name] {}
    expect(other[name].is(Object.create(Derived.prototype))).toBe(true);
  }
});

test("a client of either copy works with a pool of the other one", async () => {
  const pools = await load<typeof Pool>("vegaprotocol-client/pool");
  for (const [{ createClient }, { nodePool }] of [
    [imported, pools.required],
    [required, pools.imported],
  ] as const) {
    const network = createFakeNetwork({ nodes: [{ down: true }, {}], balances: 300, signatures: 30 });
    const client = createClient({ baseUrl: nodePool(network.nodes.map(({ url }) => url)), fetch: network.fetch });
    const id = network.nodes[1]?.records.signatures[0]?.id ?? "";
    expect(await client.getSpamStatistics(party)).toHaveProperty("chainId");
    expect(await client.listNodeSignatures({ id, pagination: { first: 3 } }).toArray()).toHaveLength(10);
    expect(await client.scanBalanceChanges({}, { pageSize: 50 }).toArray()).toHaveLength(300);
    const error = await rejectionOf(client.listNodeSignatures({ id: "aa", pagination: { first: 6000 } }));
    expect(imported.ApiError.is(error) && required.ApiError.is(error) && error.status).toBe(400);
  }
});
