import type { BalanceChange } from "../../generated/types.js";
import { oneOf } from "../arguments/check-options.js";
import { listNames, refuse } from "../arguments/refuse.js";
import { compareDigits, compareText } from "../values/integers.js";
import { floorDivide, type NanosecondTime } from "../values/times.js";
import { type Account, accountMembers, type Balance, later, readAccounts } from "./accounts.js";
import { checkOptionNames, readRange } from "./records.js";

/** Options of {@link balanceSeries}. */
export interface BalanceSeriesOptions<Group extends keyof Account = keyof Account> {
  /**
   * Whether the records go back to the first block of the network. Then the balance of an account before its first record is `"0"`.
   * Default: false, and that balance is unknown.
   */
  isComplete?: boolean | undefined;
  /** The first row is for the end of the first period after this time, such as RFC 3339 text. */
  from: NanosecondTime;
  /** The last row is for this time. */
  to: NanosecondTime;
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
  /** The sum of the balances, in the smallest unit of the asset. `undefined` if one of them is unknown. */
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
 * const range = { from: "2024-01-01T00:00:00Z", to: "2024-02-01T00:00:00Z" };
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
  checkOptionNames(operation, options, "isComplete", "from", "to", "every", "groupBy");
  const { start, end } = readRange(operation, options);
  oneOf(...Object.keys(periods), "month")(options.every, { operation, argument: "every" });
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

const day = 86_400_000;
/** The lengths of periods, and where one of them begins, in milliseconds. The first Monday of Unix time is its fifth day. */
const periods = { hour: [day / 24, 0], day: [day, 0], week: [7 * day, 4 * day] } as const;

/** The beginning of the period with a time, and of the next one, in Unix milliseconds. */
function periodOf(time: number, every: BalanceSeriesOptions["every"]): [start: number, end: number] {
  if (every === "month") {
    const date = new Date(time);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return [Date.UTC(year, month), Date.UTC(year, month + 1)];
  }
  const [length, origin] = periods[every];
  const start = Math.floor((time - origin) / length) * length + origin;
  return [start, start + length];
}

/** The times of the rows, in Unix nanoseconds. */
function rowTimes(from: bigint, to: bigint, every: BalanceSeriesOptions["every"]): string[] {
  const times: string[] = [];
  const nanoseconds = 1_000_000n;
  const millisecondOf = (time: bigint) => Number(floorDivide(time, nanoseconds));
  const last = periodOf(millisecondOf(to), every)[0];
  let [, time] = periodOf(millisecondOf(from), every);
  for (; time <= last; [, time] = periodOf(time, every)) times.push(String(BigInt(time) * nanoseconds));
  if (BigInt(last) * nanoseconds !== to) times.push(String(to));
  return times;
}
