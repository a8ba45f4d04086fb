import type { BalanceChange } from "../../generated/types.js";
import { oneOf } from "../arguments/check-options.js";
import { listNames, refuse } from "../arguments/refuse.js";
import { compareDigits, compareText } from "../values/integers.js";
import { floorDivide } from "../values/times.js";
import { type Account, accountMembers, type Balance, later, readAccounts } from "./accounts.js";
import { type RangeOptions, readRange } from "./records.js";

/** Options of {@link balanceSeries}. */
export interface BalanceSeriesOptions<Group extends keyof Account = keyof Account> extends RangeOptions {
  /** The period from row to row, of the calendar in UTC. A week begins on Monday. */
  every: "hour" | "day" | "week" | "month";
  /**
   * The members by which accounts are added. `assetId` is always one of them: amounts of different assets are not added. Default: all
   * four, which is a series for each account.
   */
  groupBy?: readonly Group[] | undefined;
}

/** The balance of a group of accounts at a time. */
export type BalanceSeriesRow<Group extends keyof Account = keyof Account> = {
  /** In Unix nanoseconds. A record at this very time counts. */
  time: string;
  /**
   * The sum of the balances of all accounts of the group that have a record, in the smallest unit of the asset. `undefined` if one of them is
   * unknown at this time.
   */
  balance: string | undefined;
} & Pick<Account, Group | "assetId">;

/**
 * Returns the balances of accounts, or of groups of accounts, at the end of each hour, day, week or month: a row for each end of a period
 * after `from`, and one for `to` if it is within a period. The rows are in order of time, then of party, asset, market and type.
 *
 * @param changes - Balance changes in any order, from the oldest that is known up to `to`.
 * @throws `ArgumentError` if an option or a record is invalid.
 * @example
 * ```ts
 * const changes = client.scanBalanceChanges({ filter: { partyIds: [partyId] } });
 * const range = { from: "2024-01-01", to: "2024-02-01" };
 * for (const { time, assetId, balance } of await balanceSeries(changes, { ...range, every: "day", groupBy: ["partyId"] })) {
 *   console.log(toDate(time).toISOString(), assetId, balance ?? "unknown");
 * }
 * ```
 */
export async function balanceSeries<Group extends keyof Account = keyof Account>(
  changes: Iterable<BalanceChange> | AsyncIterable<BalanceChange>,
  options: BalanceSeriesOptions<Group>,
): Promise<BalanceSeriesRow<Group>[]> {
  const operation = "balanceSeries";
  const { start, end } = readRange(operation, options, "every", "groupBy");
  oneOf("hour", "day", "week", "month")(options.every, { operation, argument: "every" });
  const members = readGroup(operation, options.groupBy);
  const times = rowTimes(start, end, options.every);
  // The last balance of each account in each period that has one.
  const create = () => new Map<number, Balance>();
  const accounts = await readAccounts(operation, changes, create, (kept, change) => {
    const index = indexOf(times, change.timestamp);
    if (index < times.length) kept.set(index, later(operation, kept.get(index), change));
  });
  const groups = new Map<string, { account: Account; sums: (bigint | undefined)[] }>();
  for (const { account, kept } of accounts) {
    const key = members.map((name) => account[name]).join("\n");
    const group = groups.get(key) ?? { account, sums: times.map(() => 0n) };
    groups.set(key, group);
    let balance = options.isComplete ? 0n : undefined;
    for (let row = 0; row < times.length; row++) {
      const found = kept.get(row);
      if (found !== undefined) balance = BigInt(found.balance);
      const sum = group.sums[row];
      group.sums[row] = sum === undefined || balance === undefined ? undefined : sum + balance;
    }
  }
  const sorted = [...groups].sort(([a], [b]) => compareText(a, b));
  return times.flatMap((time, row) =>
    sorted.map(([, { account, sums }]) => {
      const group = Object.fromEntries(members.map((name) => [name, account[name]]));
      return { time, balance: sums[row]?.toString(), ...(group as Pick<Account, Group | "assetId">) };
    }),
  );
}

function readGroup(operation: string, groupBy: unknown = accountMembers): readonly (keyof Account)[] {
  const names: readonly unknown[] = accountMembers;
  if (!Array.isArray(groupBy) || !groupBy.every((name) => names.includes(name))) {
    return refuse({ operation, argument: "groupBy" }, `an array of ${listNames(accountMembers)}`, groupBy);
  }
  return accountMembers.filter((name) => name === "assetId" || groupBy.includes(name));
}

/** The index of the first time that is not before a timestamp. */
function indexOf(times: readonly string[], timestamp: string): number {
  let low = 0;
  for (let high = times.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (compareDigits(times[middle] ?? "", timestamp) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const millisecond = 1_000_000n;

/** The times of the rows, in Unix nanoseconds. */
function rowTimes(from: bigint, to: bigint, every: BalanceSeriesOptions["every"]): string[] {
  const endAfter = (time: bigint) => BigInt(periodEnd(Number(floorDivide(time, millisecond)), every)) * millisecond;
  const times: string[] = [];
  for (let time = endAfter(from); time < to; time = endAfter(time)) times.push(String(time));
  // One moment between two periods has no row.
  if (from < to || endAfter(to - 1n) !== to) times.push(String(to));
  return times;
}

/** The end of the period with a time, in Unix milliseconds. */
function periodEnd(time: number, every: BalanceSeriesOptions["every"]): number {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()] as const;
  if (every === "month") return Date.UTC(year, month + 1);
  if (every === "hour") return Date.UTC(year, month, day, date.getUTCHours() + 1);
  const daysLeft = every === "day" ? 1 : 7 - ((date.getUTCDay() + 6) % 7);
  return Date.UTC(year, month, day + daysLeft);
}
