import type { BalanceChange, VegaClient } from "vegaprotocol-client";
import { expect, test } from "vitest";
import { balanceReport, readBalanceReport, readGroup } from "../../src/reports.js";
import { change, party } from "../support/changes.js";

/** A client whose scans yield these records from the start of their range on, each with a coverage. */
function clientOf(...scans: { records: readonly BalanceChange[]; start: bigint }[]) {
  const requested: unknown[] = [];
  const scanBalanceChanges = ({ dateRange }: { dateRange: object }, { missingHistory }: { missingHistory: string }) => {
    const { records, start } = scans[requested.length] as (typeof scans)[number];
    requested.push({ ...dateRange, missingHistory });
    async function* read() {
      yield* records;
    }
    const coverage = Promise.resolve({ start, end: 100n, block: undefined });
    return Object.assign(read(), { coverage });
  };
  const listBalanceChanges = () => ({ toArray: async () => [change(10n)] });
  return { client: { scanBalanceChanges, listBalanceChanges } as unknown as VegaClient, requested };
}

test("a report has no record before the coverage of its scan: between them, others may be missing", async () => {
  const records = [change(10n, "28", party), change(80n, "5")];
  const { client, requested } = clientOf({ records, start: 50n }, { records: records.slice(1), start: 50n });
  const options = { to: 99n, isComplete: true, mostRows: 10 };
  const report = await readBalanceReport(client, "balances", {}, options, {});
  expect(requested).toEqual([
    { startTimestamp: 10n, endTimestamp: 100n, missingHistory: "error" },
    { startTimestamp: 50n, endTimestamp: 100n, missingHistory: "ignore" },
  ]);
  expect(report).toMatchObject({ kept: 50n, coverage: { start: 50n }, rows: [{ balance: "5" }] });
  expect(report.rows).toHaveLength(1);
});

test.each([
  ["begins after the oldest one of the nodes", [change(80n, "5")], 80n, 80n],
  ["has no record, and proves nothing", [], 100n, 99n],
  ["has no record, and proves that", [], 10n, 10n],
])("a report whose scan %s is kept from where its records are complete", async (_, records, start, kept) => {
  const { client } = clientOf({ records, start });
  const rows = records.map(({ balance }) => ({ balance }));
  const options = { to: 99n, isComplete: false, mostRows: 10 };
  expect(await readBalanceReport(client, "balances", {}, options, {})).toMatchObject({ kept, rows });
});

const day = 86_400_000_000_000n;
const start = 20_000n * day;
const groupBy = ["partyId"] as const;
const ofMarket = { ...change(start + 2n * day, "2", party), marketId: "12" };
const ofAccounts = [change(start + day, "1", party), ofMarket, change(start + 3n * day, "3")];

test.each([
  ["statement", {}],
  ["statement", { isMonthly: true }],
  ["series", { every: "change" }],
  ["series", { every: "hour" }],
  ["series", { groupBy }],
] as const)("a %s with more rows than a report can have is refused before it is computed: %j", async (name, given) => {
  async function* changes() {
    yield* ofAccounts;
  }
  const options = { ...given, from: start, to: start + 40n * day, isComplete: true };
  const rows = await balanceReport(name, changes(), { ...options, mostRows: Number.POSITIVE_INFINITY });
  const refused = balanceReport(name, changes(), { ...options, mostRows: rows.length - 1 });
  await expect(refused).rejects.toThrow("rows. Use fewer accounts, a shorter range or longer periods.");
  // Months are counted as the shortest ones, and the range as if it began with a period.
  const most = rows.length + ofAccounts.length;
  expect(await balanceReport(name, changes(), { ...options, mostRows: most })).toEqual(rows);
});

test("a group has each member once, however often it is named", () => {
  const group = readGroup(`party, ${"accountType,".repeat(10_000)}party`, "groupBy");
  expect(group).toEqual(["partyId", "accountType"]);
});
