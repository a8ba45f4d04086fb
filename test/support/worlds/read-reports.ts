import { readBalanceReport } from "../../../cli/src/reports.js";
import { type BalanceChange, PaginationError } from "../../../src/index.js";
import { type Account, balanceSeries, balancesAt, statement } from "../../../src/reports/index.js";
import { maximum } from "../../../src/values/integers.js";
import { keyOf, lastOf } from "../report-worlds.js";
import type { Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { between, inScanOrder, isWanted, show } from "./records.js";
import { Choices, day } from "./world.js";

/** Reports of the library over a scan without a start, or the statement of the command line. */
export async function readReports(reader: Reader, reading: Reading): Promise<void> {
  const { blocks, seed } = reading.world.world;
  const choose = new Choices(seed ^ 0xfade);
  const [one, other] = [choose.one(blocks).time, choose.one(blocks).time];
  const [from, to] = one < other ? [one, other] : [other, one];
  return choose.chance(0.5) ? readStatement(reader, reading, from, to) : readReportsOfScan(reader, reading, from, to);
}

/** Reads until a report is computed. Returns `undefined` if it never is. */
async function readOnce<T>(
  reading: Reading,
  compute: () => Promise<T>,
  endsIf: (error: unknown) => boolean = () => false,
): Promise<T | undefined> {
  let report: T | undefined;
  const once = async function* () {
    yield await compute();
  };
  while (report === undefined) {
    const error = await reading.take(once(), (read) => {
      report = read;
      return undefined;
    });
    if (error === "hang" || endsIf(error) || (error !== undefined && !reading.continues())) return undefined;
  }
  return report;
}

/** The balance of an account on the chain, and a check that a number is that of the chain, or unknown. */
const chainOf = (reading: Reading) => ({
  truth: (account: Account, time: bigint) => BigInt(lastOf(reading.world.changes, account, time)?.balance ?? 0),
  check(what: string, given: string | null | undefined, expected: bigint, time: bigint): void {
    if (given === undefined || given === null) reading.world.reached.add("a sum is unknown");
    else if (BigInt(given) !== expected) reading.fail("wrong", `${what} is ${given} at ${show(time)}, not ${expected}`);
  },
});

/** A statement of the command line: each row is as on the chain, and no change of its coverage is missing. */
async function readStatement(reader: Reader, reading: Reading, from: bigint, to: bigint): Promise<void> {
  const { world, client } = reading;
  const { filter, concurrency } = reader;
  const report = { from, to, isComplete: false, mostRows: 100_000 };
  // It has a start. Behind one address, other nodes can lack what one of them has shown.
  const isPruned = (error: unknown) =>
    PaginationError.is(error) &&
    error.reason === "pruned" &&
    world.world.access === "address" &&
    reading.errors.length > 5;
  const read = () =>
    readBalanceReport(client, "statement", filter, report, { pageSize: reading.sizeOf(reader), concurrency });
  const found = await readOnce(reading, read, isPruned);
  // Without block headers, nothing shows that the records reach the end.
  if (found?.coverage.end === undefined) return;
  const rows = found.rows as (Account & {
    entry: string;
    timestamp: string;
    balance: string | null;
    change: string | null;
  })[];
  const { truth, check } = chainOf(reading);
  for (const { entry, balance, change, ...account } of rows) {
    const time = BigInt(account.timestamp);
    check(entry, balance, truth(account, time), time);
    if (change !== null) check("a change", change, truth(account, time) - truth(account, time - 1n), time);
  }
  const changes = rows.filter(({ entry }) => entry === "change") as (Account & BalanceChange)[];
  const range = { start: maximum(found.coverage.start, from + 1n), end: to + 1n };
  const whole = world.changes.filter(isWanted(reader)).sort(inScanOrder);
  reading.compare("the statement", changes.sort(inScanOrder), whole.filter(between(range)), whole);
}

/** Reports of the library: each number is what the chain has of the accounts that were read, or it is unknown. */
async function readReportsOfScan(reader: Reader, reading: Reading, from: bigint, to: bigint): Promise<void> {
  const { world, client } = reading;
  const days = (to - from) / day;
  const every = days < 2n ? "hour" : days < 40n ? "day" : "month";
  const records: BalanceChange[] = [];
  let hasEnd = false;
  const reports = await readOnce(reading, async () => {
    const dateRange = { endTimestamp: to + 1n };
    const pageSize = reading.sizeOf(reader);
    const { concurrency } = reader;
    const scan = client.scanBalanceChanges({ filter: reader.filter, dateRange }, { pageSize, concurrency });
    const read = await scan.toArray();
    const { start, end } = await scan.coverage;
    // Records before the coverage are not proved.
    records.splice(0, records.length, ...read.filter(({ timestamp }) => BigInt(timestamp) >= start));
    // A node can have dropped records while they were read, and a clamped page can leave a start unproved.
    const isWhole = world.kept.every((kept) => kept === 0n) && world.healthyNodes.length === world.kept.length;
    const isComplete = isWhole && records.length === read.length;
    hasEnd = end !== undefined;
    return {
      series: await balanceSeries(records, { from, to, every, groupBy: ["partyId"], isComplete }),
      balances: await balancesAt(records, to, { isComplete }),
      statements: await statement(records, { from, to, isComplete }),
    };
  });
  // Without block headers, nothing shows that the records reach the end.
  if (reports === undefined || !hasEnd) return;
  const accounts = [...new Map(records.map((change) => [keyOf(change), change as unknown as Account])).values()];
  const { truth, check } = chainOf(reading);
  for (const { time, balance, partyId, assetId } of reports.series) {
    const group = accounts.filter((account) => account.partyId === partyId && account.assetId === assetId);
    const sum = group.reduce((total, account) => total + truth(account, BigInt(time)), 0n);
    check("a sum", balance, sum, BigInt(time));
  }
  for (const { balance, timestamp: _, ...account } of reports.balances)
    check("a balance", balance, truth(account, to), to);
  for (const { opening, closing, lines, ...account } of reports.statements) {
    check("an opening balance", opening, truth(account, from), from);
    check("a closing balance", closing, truth(account, to), to);
    for (const { timestamp, balance, change } of lines) {
      const time = BigInt(timestamp);
      check("a balance of a line", balance, truth(account, time), time);
      if (change !== undefined) check("a change", change, truth(account, time) - truth(account, time - 1n), time);
    }
  }
}
