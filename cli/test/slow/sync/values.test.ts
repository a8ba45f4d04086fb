import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { queryDatabase, useDatabase } from "./sqlite-node.js";

const database = useDatabase();
const first = 1_707_300_000_000_000_000n;
const base = {
  balance: "1",
  partyId: "ab".repeat(32),
  assetId: "cd".repeat(32),
  marketId: "",
  accountType: "ACCOUNT_TYPE_GENERAL",
};
type Change = typeof base;

interface Changed {
  /** Changes the text of a body. */
  body?: (text: string) => string;
  headers?: Readonly<Record<string, string>>;
}

/** Starts a node with a change in each second, whose responses are changed. */
async function start(changes: readonly Partial<Change>[], { body = (text) => text, headers = {} }: Changed = {}) {
  const balances = changes.map((change, index) => ({
    ...base,
    ...change,
    timestamp: `${first + BigInt(index) * 1_000_000_000n}` as const,
  }));
  const votes = [
    {
      partyId: base.partyId,
      proposalId: "ef".repeat(32),
      timestamp: `${first}` as const,
      value: "VALUE_YES",
      totalGovernanceTokenBalance: "1",
      totalGovernanceTokenWeight: "1",
      totalEquityLikeShareWeight: "0",
      elsPerMarket: [],
    },
  ];
  const data = { balances, votes, profiles: [{ partyId: base.partyId, alias: "", metadata: [] }] };
  const fake = createFakeNode(data, { defects: nodeDefects, rateLimit: false });
  return database.start({
    fetch: async (request) => {
      const response = await fake.fetch(request);
      const changed = new Headers(response.headers);
      for (const [name, value] of Object.entries(headers)) changed.set(name, value);
      return new Response(body(await response.text()), { status: response.status, headers: changed });
    },
  });
}

const stored = async () => (await database.stored()).balances;

test("ids with spaces are those of different accounts", async () => {
  const sync = await start([
    { partyId: "a b", assetId: "c" },
    { partyId: "a", assetId: "b c" },
    { partyId: 'a" "b', assetId: "c" },
  ]);
  expect(await sync("--quiet")).toMatchObject({ code: 0 });
  expect((await stored()).map(({ partyId, assetId }) => [partyId, assetId])).toEqual([
    ["a b", "c"],
    ["a", "b c"],
    ['a" "b', "c"],
  ]);
  expect(await sync("--check")).toMatchObject({ code: 0, stdout: expect.stringContaining("3 balance changes") });
});

test("ids that are null are stored as empty ones, and found again", async () => {
  const body = (text: string) =>
    text.replaceAll(/"(marketId|partyId)":"(?:ab){0,32}"/g, '"$1":null').replaceAll('"alias":""', '"alias":null');
  const sync = await start([{}, {}], { body });
  const lists = ["balances", "profiles", "votes", "--proposal", "ef".repeat(32)];
  expect(await sync(...lists, "--quiet")).toMatchObject({ code: 0, stderr: "" });
  expect((await stored()).map(({ partyId, marketId }) => [partyId, marketId])).toEqual([
    ["", ""],
    ["", ""],
  ]);
  expect(await sync("--check")).toMatchObject({ code: 0, stdout: expect.stringContaining("2 balance changes") });
});

test("balances of up to 78 digits are stored, and their sum is exact", async () => {
  const amounts = [2n ** 256n - 1n, 10n ** 60n - 1n, 10n ** 43n + 7n, 10n ** 42n - 1n, 12n];
  const sync = await start(
    amounts.map((balance, index) => ({ balance: `${balance}`, marketId: String(index).repeat(64) })),
  );
  expect(await sync("--quiet")).toMatchObject({ code: 0 });
  expect((await stored()).map(({ balance }) => balance)).toEqual(amounts.map(String));
  const columns = ["highest", "higher", "high", "middle", "low"];
  const sql = `SELECT ${columns.map((name) => `sum(${name}) AS ${name}`).join(", ")} FROM balance_changes`;
  const [row] = await queryDatabase(database.path(), sql);
  const [highest = 0n, higher = 0n, high = 0n, middle = 0n, low = 0n] = columns.map((name) => BigInt(row?.[name] ?? 0));
  expect(highest * 10n ** 60n + higher * 10n ** 42n + high * 10n ** 24n + middle * 10n ** 12n + low).toBe(
    amounts.reduce((sum, balance) => sum + balance),
  );
});

test("a block of a height of 2^64 is remembered, and the next run accepts it", async () => {
  const sync = await start([{}], { headers: { "x-block-height": String(2n ** 64n) } });
  for (let run = 0; run < 2; run++) expect(await sync("--quiet")).toMatchObject({ code: 0, stderr: "" });
});

const time = `${first + 2_000_000_000n}`;
test.each<[what: string, change: Changed, message: string]>([
  [
    "a balance of 79 digits",
    { body: (text) => text.replaceAll('"balance":"1"', `"balance":"${"9".repeat(79)}"`) },
    `to have a balance of at most 78 digits, got "999`,
  ],
  [
    "a balance that is no number",
    { body: (text) => text.replaceAll('"balance":"1"', '"balance":null') },
    "to have a balance of at most 78 digits, got null",
  ],
  [
    "a time of 2^63",
    {
      body: (text) => text.replaceAll(time, String(2n ** 63n)),
      headers: { "x-block-timestamp": String(2n ** 63n + 5000n) },
    },
    'within 64 bits, got "92233720368547',
  ],
  [
    "a block at 2^70",
    { headers: { "x-block-timestamp": String(2n ** 70n) } },
    'Expected the block of the node to have a time in digits, within 64 bits, got "118059162071741',
  ],
])("%s is refused by name, and the database continues with another node", async (_, change, message) => {
  const sync = await start([{}, {}, {}], change);
  const failed = await sync();
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(message)]);
  const repaired = await start([{}, {}, {}]);
  expect(await repaired("--quiet")).toMatchObject({ code: 0, stderr: "" });
  expect(await stored()).toHaveLength(3);
  expect(await repaired("--check")).toMatchObject({ code: 0 });
});
