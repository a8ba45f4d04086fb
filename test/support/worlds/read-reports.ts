import type { BalanceChange } from "../../../src/index.js";
import { type Account, balanceSeries, balancesAt, statement } from "../../../src/reports/index.js";
import { keyOf, lastOf } from "../report-worlds.js";
import type { Reader } from "./readers.js";
import type { Reading } from "./reading.js";
import { show } from "./records.js";
import { Choices, day } from "./world.js";

/** Reports over a scan without a start: each number is what the chain has of the accounts that were read, or it is unknown. */
export async function readReports(reader: Reader, reading: Reading): Promise<void> {
  const { world } = reading;
  const { blocks, seed } = world.world;
  const choose = new Choices(seed ^ 0xfade);
  const client = reading.client;
  const [from, to] = [choose.one(blocks).time, choose.one(blocks).time].sort((a, b) => Number(a - b)) as [
    bigint,
    bigint,
  ];
  const days = (to - from) / day;
  const every = days < 2n ? "hour" : days < 40n ? "day" : "month";
  const records: BalanceChange[] = [];
  let hasEnd = false;
  const once = async function* () {
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
    yield {
      series: await balanceSeries(records, { from, to, every, groupBy: ["partyId"], isComplete }),
      balances: await balancesAt(records, to, { isComplete }),
      statements: await statement(records, { from, to, isComplete }),
    };
  };
  type Reports = typeof once extends () => AsyncGenerator<infer T> ? T : never;
  let reports: Reports | undefined;
  while (reports === undefined) {
    const error = await reading.take(once(), (read) => {
      reports = read;
      return undefined;
    });
    if (error === "hang" || (error !== undefined && !reading.continues())) return;
  }
  // Without block headers, nothing shows that the records reach the end.
  if (!hasEnd) return;
  const accounts = [...new Map(records.map((change) => [keyOf(change), change as unknown as Account])).values()];
  const truth = (account: Account, time: bigint) => BigInt(lastOf(world.changes, account, time)?.balance ?? 0);
  const check = (what: string, given: string | undefined, expected: bigint, time: bigint) => {
    if (given === undefined) world.reached.add("a sum is unknown");
    else if (BigInt(given) !== expected) reading.fail("wrong", `${what} is ${given} at ${show(time)}, not ${expected}`);
  };
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
