import fc from "fast-check";
import { formatUnits } from "vegaprotocol-client";
import { describe, expect, test } from "vitest";
import { change, first, hour } from "../support/changes.js";
import { listing, startNode, withPaths } from "../support/nodes.js";
import { hasPostgres, usePostgres } from "../support/postgres.js";
import { readLines, runCli, useFolder } from "../support/run-cli.js";
import { query } from "../support/sqlite.js";

const path = useFolder();
const postgres = usePostgres();

/** Decimal places by asset. The node lists no details of the last one. */
const decimals = new Map([0, 1, 6, 18, 77, 78, 90, undefined].map((each, index) => [`e${index}`.repeat(32), each]));
const assetIds = [...decimals.keys()];
const assets = [...decimals].map(([id, each]) => ({
  id,
  details: each === undefined ? null : { symbol: `S${each}`, name: "", decimals: `${each}` },
}));

// Near the ends of the parts that SQLite computes with, and any others.
const powers = [0, 1, 17, 18, 19, 36, 37, 54, 72, 77].map((power) => 10n ** BigInt(power));
const edgesOfParts = [0n, 2n ** 256n - 1n, ...powers.flatMap((power) => [power - 1n, power, power + 1n])];
const amounts = fc.oneof(fc.constantFrom(...edgesOfParts), fc.bigInt(0n, 2n ** 256n - 1n));
const sampled = fc.sample(amounts, { numRuns: 1500, seed: 5 });
const accounts = assetIds.flatMap((assetId) => ["ab", "cd"].map((id) => ({ assetId, partyId: id.repeat(32) })));
const balances = sampled.map((amount, index) => {
  const time = first + BigInt(index) * 60_000_000_000n;
  return { ...change(time, `${amount}`), ...accounts[(index * 7) % accounts.length] };
});

/** What the view has of each balance change: exact differences, and amounts with decimal places. */
const last = new Map<string, bigint>();
const expected = balances.map(({ assetId = "", partyId = "", balance }) => {
  const before = last.get(assetId + partyId);
  last.set(assetId + partyId, BigInt(balance));
  const delta = before === undefined ? null : BigInt(balance) - before;
  const places = decimals.get(assetId);
  const units = (amount: bigint | null) =>
    places === undefined || amount === null ? null : formatUnits(amount, places);
  const symbol = places === undefined ? null : `S${places}`;
  return [balance, delta?.toString() ?? null, symbol, units(BigInt(balance)), units(delta)];
});

const sql = "SELECT balance, delta, symbol, balance_units, delta_units FROM balance_deltas ORDER BY time";
const nodesOf = (changes: typeof balances) => {
  const plain = startNode({ balances: changes, block: { height: 10n, timestamp: first + 2000n * hour } });
  return { plain, node: withPaths(plain, listing(...assets)) };
};
const { node } = nodesOf(balances);
const sync = (name: string, fetch = node.fetch) => runCli(["sync", name], { fetch });

describe("the view balance_deltas has exact differences and amounts in units", () => {
  test("in SQLite", async () => {
    expect(await sync(path("vega.db"))).toMatchObject({ code: 0 });
    const [rows = []] = await query(path("vega.db"), [sql]);
    expect(rows.map((row) => Object.values(row))).toEqual(expected);
  });

  test.skipIf(!hasPostgres)("in PostgreSQL (skipped if it is not installed)", async () => {
    expect(await sync(postgres()?.url ?? "")).toMatchObject({ code: 0 });
    const rows = await postgres()?.sql(sql.replace("balance_deltas", "vega.balance_deltas"));
    expect(rows?.map((row) => Object.values(row))).toEqual(expected);
  });
});

test("a destination keeps the assets of a node, and its reports use them without a node", async () => {
  for (const [name, digits, ...flags] of [
    ["vega.db", 78],
    ["vega/", 38, "--partial-day"],
  ] as const) {
    const held = balances.filter(({ balance }) => balance.length <= digits);
    const { plain, node } = nodesOf(held);
    expect(await runCli(["sync", path(name), ...flags], { fetch: node.fetch })).toMatchObject({ code: 0 });
    // A node that no longer lists them takes nothing away.
    expect(await runCli(["sync", path(name), ...flags], { fetch: plain.fetch })).toMatchObject({ code: 0 });
    const argv = ["balances", "--at", "now", "--asset", "S18", "--complete-history", "--quiet", "--db", path(name)];
    const { code, stdout, stderr } = await runCli([...argv, "--columns", "balance,unit"], { env: { VEGA_NODE: "" } });
    expect([code, stderr]).toEqual([0, ""]);
    const found = readLines(stdout);
    const own = held.filter(({ assetId = "" }) => decimals.get(assetId) === 18);
    const last = new Map(own.map(({ partyId, balance }) => [partyId, formatUnits(BigInt(balance), 18)]));
    expect(found.map(({ balance }) => balance).sort()).toEqual([...last.values()].sort());
    expect(found.every(({ unit }) => unit === "S18")).toBe(true);
  }
});
