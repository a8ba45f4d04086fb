import { type BalanceChange, PaginationError, type VegaClient } from "vegaprotocol-client";
import { expect, test } from "vitest";
import { balanceReport, readBalanceReport, readGroup } from "../../src/reports.js";
import { change, party } from "../support/changes.js";

/** A client whose scans yield these records from the start of their range on, each with a coverage, or fail. */
function clientOf(...scans: ({ records: readonly BalanceChange[]; start: bigint } | Error)[]) {
  const requested: unknown[] = [];
  const scanBalanceChanges = (
    { dateRange }: { dateRange: object },
    { missingHistory }: { missingHistory?: string },
  ) => {
    const scan = scans[requested.length] as (typeof scans)[number];
    requested.push({ ...dateRange, missingHistory });
    const { records, start } = scan instanceof Error ? { records: [], start: 0n } : scan;
    const toArray = async () => {
      if (scan instanceof Error) throw scan;
      return records;
    };
    async function* read() {
      yield* await toArray();
    }
    return Object.assign(read(), { toArray, coverage: Promise.resolve({ start, end: 100n, block: undefined }) });
  };
  const listBalanceChanges = () => ({ toArray: async () => [change(10n)] });
  return { client: { scanBalanceChanges, listBalanceChanges } as unknown as VegaClient, requested };
}

const late = { records: [change(10n, "28", party), change(80n, "5")], start: 50n };

test("a report has no record before the coverage of its scan: between them, others may be missing", async () => {
  const { client, requested } = clientOf(late, { ...late, records: late.records.slice(1) });
  const options = { from: 60n, to: 99n, isComplete: true, mostRows: 10 };
  const report = await readBalanceReport(client, "statement", {}, options, {});
  expect(requested).toEqual([
    { startTimestamp: 10n, endTimestamp: 100n, missingHistory: "error" },
    { startTimestamp: 50n, endTimestamp: 100n, missingHistory: "ignore" },
  ]);
  // What an account had before is unknown, although it has no record there.
  const rows = [{ balance: null }, { change: null, balance: "5" }, { balance: "5" }];
  expect(report).toMatchObject({ kept: 50n, coverage: { start: 50n }, rows });
  expect(report.rows).toHaveLength(3);
});

test.each([
  ["begins after the oldest one of the nodes", [{ records: [change(80n, "5")], start: 80n }], ["5"], 80n],
  ["has no record, and proves nothing", [{ records: [], start: 100n }], [], 99n],
  ["has no record, and proves that", [{ records: [], start: 10n }], [], 10n],
  ["has no record in its coverage", [late, { records: [], start: 100n }], [], 100n],
])("a report whose scan %s is kept from where its records are complete", async (_, scans, balances, kept) => {
  const { client } = clientOf(...scans);
  const rows = balances.map((balance) => ({ balance }));
  const options = { to: 99n, isComplete: false, mostRows: 10 };
  expect(await readBalanceReport(client, "balances", {}, options, {})).toMatchObject({ kept, rows });
});

test.each([
  ["no earlier record", { records: [change(80n)], start: 60n }, 60n],
  ["no record", { records: [], start: 60n }, 60n],
  ["an earlier record", { records: [change(70n)], start: 60n }, 80n],
  ["no proof of its start", { records: [change(80n)], start: 70n }, 80n],
  ["that nodes have dropped some", new PaginationError("", { reason: "pruned" }), 80n],
])("a report that begins before its records is kept from there if a later scan shows %s", async (_, scan, kept) => {
  const { client, requested } = clientOf({ records: [change(80n, "5")], start: 80n }, scan);
  const options = { from: 60n, to: 99n, isComplete: false, mostRows: 10 };
  const report = await readBalanceReport(client, "statement", {}, options, {});
  expect(report).toMatchObject({ kept, coverage: { start: kept } });
  expect(requested[1]).toEqual({ startTimestamp: 60n, endTimestamp: 100n, missingHistory: undefined });
});

test("a report rejects if the scan for its start fails", async () => {
  const { client } = clientOf({ records: [], start: 80n }, new Error("fetch failed"));
  const report = readBalanceReport(
    client,
    "statement",
    {},
    { from: 60n, to: 99n, isComplete: false, mostRows: 10 },
    {},
  );
  await expect(report).rejects.toThrow("fetch failed");
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
