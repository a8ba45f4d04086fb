import { readFile } from "node:fs/promises";
import type { BalanceChange } from "vegaprotocol-client";
import { createFakeNode, nodeDefects } from "vegaprotocol-client/testing";
import { expect, test } from "vitest";
import { compareRecords } from "../../../src/sync/rows.js";
import { queryDatabase, useDatabase } from "./sqlite-node.js";

const page = new URL("../../../../docs/sync.md", import.meta.url);

const fake = createFakeNode({ balances: 5000, votes: 90 }, { defects: nodeDefects, rateLimit: false });
const changes = [...fake.records.balances].sort(compareRecords);
const { partyId: party = "", assetId: asset = "", timestamp: time = "0" } = changes[2500] ?? {};
const { proposalId: proposal = "" } = fake.records.votes[0] ?? {};
const end = changes[4000]?.timestamp ?? "0";
const database = useDatabase();

/** The last change of each account in a part of all changes. */
function lastOf(all: readonly BalanceChange[]): BalanceChange[] {
  const accountOf = ({ partyId, assetId, marketId, accountType }: BalanceChange) =>
    [partyId, assetId, marketId, accountType].join();
  return [...new Map(all.map((change) => [accountOf(change), change])).values()];
}

type Row = Record<string, string | null>;
const sorted = (texts: readonly unknown[]) => texts.map(String).sort();

test("the queries of the page find what the records say", async () => {
  const sync = await database.start(fake);
  await sync("balances", "votes", "--proposal", proposal);
  const statements = [...(await readFile(page, "utf8")).matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(
    ([, sql = ""]) => sql,
  );
  const found = await queryDatabase(database.path(), statements, { party, asset, time, end, proposal });
  expect(found.length).toBeGreaterThanOrEqual(6);
  const rowsOf = (text: string): Row[] => found[statements.findIndex((sql) => sql.includes(text))] ?? [];
  const balancesIn = (rows: readonly { balance?: string | null }[]) =>
    sorted(rows.flatMap(({ balance }) => balance ?? []));

  const isOwn = ({ partyId }: BalanceChange) => partyId === party;
  const before = lastOf(changes.filter(({ timestamp }) => BigInt(timestamp) <= BigInt(time)));
  const now = lastOf(changes);
  expect(before.filter(isOwn).length).toBeGreaterThan(0);
  expect(balancesIn(rowsOf("AND time <= CAST(:time AS INTEGER)"))).toEqual(balancesIn(before.filter(isOwn)));
  expect(balancesIn(rowsOf("FROM balances_now WHERE party"))).toEqual(balancesIn(now.filter(isOwn)));

  const holders = now.filter(({ assetId }) => assetId === asset).map(({ balance }) => BigInt(balance));
  const [{ high, middle, low } = {}] = rowsOf("sum(high)");
  expect(BigInt(high ?? 0) * 10n ** 24n + BigInt(middle ?? 0) * 10n ** 12n + BigInt(low ?? 0)).toBe(
    holders.reduce((sum, balance) => sum + balance),
  );
  const largest = rowsOf("ORDER BY length(balance)").map(({ balance }) => BigInt(balance ?? 0));
  expect(largest).toEqual(holders.sort((a, b) => (a < b ? 1 : -1)).slice(0, 10));

  const inRange = changes.filter(({ timestamp }) => timestamp >= time && timestamp < end);
  expect(rowsOf("FROM account_changes\nWHERE time >=")).toEqual([{ changes: String(inRange.length) }]);

  const choices = fake.records.votes.filter(({ proposalId }) => proposalId === proposal).map(({ value }) => value);
  const counts = [...new Set(choices)].map((value) => `${value} ${choices.filter((each) => each === value).length}`);
  expect(sorted(rowsOf("FROM votes WHERE").map(({ value, parties }) => `${value} ${parties}`))).toEqual(sorted(counts));
});
