import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareRecords } from "../../../src/sync/rows.js";
import { installNode, main, runNode } from "./sqlite-node.js";

const query = fileURLToPath(new URL("query.js", import.meta.url));
const page = fileURLToPath(new URL("../../../../docs/sync.md", import.meta.url));

const fake = createFakeNode({ balances: 5000, votes: 90 }, { defects: nodeDefects, rateLimit: false });
const changes = [...fake.records.balances].sort(compareRecords);
const { partyId: party = "", assetId: asset = "", timestamp: time = "0" } = changes[2500] ?? {};
const { proposalId: proposal = "" } = fake.records.votes[0] ?? {};
const end = changes[4000]?.timestamp ?? "0";

type Row = Record<string, string | null>;

let folder: string;
/** The rows of each query of the page, by its first line. */
let found: { sql: string; rows: Row[] }[];

beforeAll(async () => {
  await installNode();
  folder = await mkdtemp(join(tmpdir(), "sync-"));
  const database = join(folder, "vega.db");
  const server = await listen(fake);
  try {
    const lists = ["balances", "votes", "--proposal", proposal];
    await runNode([main, "sync", database, ...lists, "--node", server.url]);
  } finally {
    await server.close();
  }
  const statements = [...(await readFile(page, "utf8")).matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(
    ([, sql = ""]) => sql,
  );
  const { stdout, stderr } = await runNode([
    query,
    database,
    JSON.stringify({ party, asset, time, end, proposal }),
    JSON.stringify(statements),
  ]);
  if (stderr.includes("Error")) throw new Error(stderr);
  found = JSON.parse(stdout);
});
afterAll(() => rm(folder, { recursive: true }));

/** The rows of the query that has a text. */
const rowsOf = (text: string): Row[] => found.find(({ sql }) => sql.includes(text))?.rows ?? [];

/** The last balance of each account up to a time. */
function balancesAt(last: bigint): Map<string, (typeof changes)[number]> {
  const balances = new Map<string, (typeof changes)[number]>();
  for (const change of changes) {
    const { partyId, assetId, marketId, accountType, timestamp } = change;
    if (BigInt(timestamp) <= last) balances.set([partyId, assetId, marketId, accountType].join(), change);
  }
  return balances;
}

const sorted = (texts: readonly unknown[]) => texts.map(String).sort();

test("every query of the page runs", () => {
  expect(found.length).toBeGreaterThanOrEqual(6);
});

test("the balances of a party at a time are those of its last changes", () => {
  const expected = [...balancesAt(BigInt(time)).values()].filter(({ partyId }) => partyId === party);
  const rows = rowsOf("AND time <= CAST(:time AS INTEGER)").filter(({ balance }) => balance !== null);
  expect(expected.length).toBeGreaterThan(0);
  expect(sorted(rows.map(({ balance }) => balance))).toEqual(sorted(expected.map(({ balance }) => balance)));
});

test("the balances of a party now are those of its last changes", () => {
  const expected = [...balancesAt(BigInt(changes.at(-1)?.timestamp ?? 0)).values()];
  const own = expected.filter(({ partyId }) => partyId === party).map(({ balance }) => balance);
  expect(sorted(rowsOf("FROM balances_now WHERE party").map(({ balance }) => balance))).toEqual(sorted(own));
});

test("the total of an asset is exact", () => {
  const expected = [...balancesAt(BigInt(changes.at(-1)?.timestamp ?? 0)).values()];
  const total = expected.reduce((sum, { assetId, balance }) => (assetId === asset ? sum + BigInt(balance) : sum), 0n);
  const [{ high, middle, low } = {}] = rowsOf("sum(high)");
  expect(BigInt(high ?? 0) * 10n ** 24n + BigInt(middle ?? 0) * 10n ** 12n + BigInt(low ?? 0)).toBe(total);
});

test("the largest holders of an asset come first", () => {
  const expected = [...balancesAt(BigInt(changes.at(-1)?.timestamp ?? 0)).values()].filter(
    ({ assetId }) => assetId === asset,
  );
  const largest = expected.map(({ balance }) => BigInt(balance)).sort((a, b) => (a < b ? 1 : -1));
  const rows = rowsOf("ORDER BY length(balance)");
  expect(rows.map(({ balance }) => BigInt(balance ?? 0))).toEqual(largest.slice(0, 10));
});

test("the changes of a range are counted", () => {
  const inRange = changes.filter(({ timestamp }) => timestamp >= time && timestamp < end);
  expect(rowsOf("FROM account_changes\nWHERE time >=")).toEqual([{ changes: String(inRange.length) }]);
});

test("the votes on a proposal are counted by choice", () => {
  const votes = fake.records.votes.filter(({ proposalId }) => proposalId === proposal);
  const expected = new Map<string, number>();
  for (const { value } of votes) expected.set(String(value), (expected.get(String(value)) ?? 0) + 1);
  expect(sorted(rowsOf("FROM votes WHERE").map(({ value, parties }) => `${value} ${parties}`))).toEqual(
    sorted([...expected].map(([value, count]) => `${value} ${count}`)),
  );
});
