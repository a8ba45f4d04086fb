import type { BalanceChange } from "../../generated/types.js";
import { oneOf } from "../arguments/check-options.js";
import { listNames, refuse } from "../arguments/refuse.js";
import { compare, compareDigits } from "../values/integers.js";
import { type Account, accountMembers, type Balance, later, readAccounts } from "./balances.js";
import { type Period, periodEnds, readOffset } from "./periods.js";
import { type RangeOptions, readRange } from "./records.js";

/** Options of {@link balanceSeries}. */
export interface BalanceSeriesOptions<Group extends keyof Account = keyof Account> extends RangeOptions {
  /**
   * The calendar period from row to row. A week begins on Monday. With `"change"`, a group has a row at each time at
   * which one of its accounts has a record.
   */
  every: Period;
  /**
   * The time zone of the calendar, such as `"Europe/Berlin"` or `"+01:00"`. It does not apply to `from` and `to`.
   * Default: UTC.
   */
  timeZone?: string | undefined;
  /**
   * The members by which balances are grouped and added. `assetId` is always one of them: amounts of different assets
   * are not added. Default: all four, which is a series for each account.
   */
  groupBy?: readonly Group[] | undefined;
}

/** The balance of a group of accounts at a time. */
export type BalanceSeriesRow<Group extends keyof Account = keyof Account> = {
  /** In Unix nanoseconds. A record at this very time counts. */
  time: string;
  /**
   * The sum of the balances of all accounts of the group that have a record, in the smallest unit of the asset.
   * `undefined` if one of them is unknown at this time.
   */
  balance: string | undefined;
} & Pick<Account, Group | "assetId">;

/**
 * Returns the balances of accounts, or of groups of accounts, over time: a row for each end of a period after `from`,
 * and one for `to` if it is within a period. The rows are in order of time, then of party, asset, market and type.
 *
 * @param changes - Balance changes in any order, from the oldest that is known up to `to`.
 * @throws `ArgumentError` if an option or a record is invalid.
 * @example
 * ```ts
 * const changes = client.scanBalanceChanges({ filter: { partyIds: [partyId] } });
 * const range = { from: "2024-01-01", to: "2024-02-01" };
 * const days = await balanceSeries(changes, { ...range, every: "day", groupBy: ["partyId"] });
 * for (const { time, assetId, balance } of days) {
 *   console.log(toDate(time).toISOString(), assetId, balance ?? "unknown");
 * }
 * ```
 */
export async function balanceSeries<Group extends keyof Account = keyof Account>(
  changes: Iterable<BalanceChange> | AsyncIterable<BalanceChange>,
  options: BalanceSeriesOptions<Group>,
): Promise<BalanceSeriesRow<Group>[]> {
  const operation = "balanceSeries";
  const { from, to } = readRange(operation, options, "every", "groupBy", "timeZone");
  oneOf("change", "minute", "hour", "day", "week", "month")(options.every, { operation, argument: "every" });
  const members = readGroup(operation, options.groupBy);
  const endOf = periodEnds(options.every, readOffset({ operation, argument: "timeZone" }, options.timeZone));
  let last = to ?? from;
  // The last balance of each account at `from` and in each period that has one, by the end of the period.
  const create = () => new Map<string, Balance>();
  const accounts = await readAccounts(operation, changes, create, (kept, change) => {
    const { timestamp } = change;
    if (compareDigits(timestamp, last) > 0) {
      if (to !== undefined) return;
      last = timestamp;
    }
    const time = compareDigits(timestamp, from) > 0 ? endOf(timestamp) : from;
    kept.set(time, later(operation, kept.get(time), change));
  });
  const groups = new Map<string, { account: Account; steps: Map<string, Step> }>();
  for (const { account, kept } of accounts) {
    const key = members.map((name) => account[name]).join("\n");
    const group = groups.get(key) ?? { account, steps: new Map() };
    groups.set(key, group);
    addSteps(group.steps, kept, from, options.isComplete ? 0 : 1);
  }
  // Without an account there is no row, however many periods the range has.
  const periods = options.every === "change" || groups.size === 0 ? undefined : periodsBetween(from, last, endOf);
  const sorted = [...groups].sort(([a], [b]) => compare(a, b));
  const rows = sorted.flatMap(([, { account, steps }]) => {
    const group = Object.fromEntries(members.map((name) => [name, account[name]])) as Pick<Account, Group | "assetId">;
    const ends = periods ?? [...steps.keys()].filter((time) => time !== from).sort(compareDigits);
    let { sum, unknown } = steps.get(from) as Step;
    return ends.map((end) => {
      const step = steps.get(end);
      sum += step?.sum ?? 0n;
      unknown += step?.unknown ?? 0;
      const time = compareDigits(end, last) > 0 ? last : end;
      return { time, balance: unknown > 0 ? undefined : String(sum), ...group };
    });
  });
  return rows.sort((a, b) => compareDigits(a.time, b.time));
}

/** How much the sum of a group changes at a time, and the number of its unknown balances. */
interface Step {
  sum: bigint;
  unknown: number;
}

/** Adds an account to the steps of its group. `unknown` is 1 if its balance before the first record is unknown. */
function addSteps(steps: Map<string, Step>, kept: ReadonlyMap<string, Balance>, from: string, unknown: number): void {
  const add = (time: string, sum: bigint, count: number) => {
    const step = steps.get(time) ?? { sum: 0n, unknown: 0 };
    steps.set(time, { sum: step.sum + sum, unknown: step.unknown + count });
  };
  add(from, 0n, unknown);
  let before: bigint | undefined;
  for (const [time, { balance }] of [...kept].sort(([a], [b]) => compareDigits(a, b))) {
    add(time, BigInt(balance) - (before ?? 0n), before === undefined ? -unknown : 0);
    before = BigInt(balance);
  }
}

function readGroup(operation: string, groupBy: unknown = accountMembers): readonly (keyof Account)[] {
  const names: readonly unknown[] = accountMembers;
  const place = { operation, argument: "groupBy" };
  if (!Array.isArray(groupBy)) return refuse(place, `an array of ${listNames(accountMembers)}`, groupBy);
  const wrong = groupBy.findIndex((name) => !names.includes(name));
  if (wrong >= 0) {
    refuse({ ...place, argument: `groupBy[${wrong}]` }, `one of ${listNames(accountMembers)}`, groupBy[wrong]);
  }
  return accountMembers.filter((name) => name === "assetId" || groupBy.includes(name));
}

/** The ends of the periods after `from`, up to the period with `to`. */
function periodsBetween(from: string, to: string, endOf: (time: string) => string): string[] {
  const next = (time: string) => endOf(String(BigInt(time) + 1n));
  const ends: string[] = [];
  for (let end = next(from); compareDigits(end, to) < 0; end = next(end)) ends.push(end);
  // One moment between two periods has no row.
  return from === to && endOf(to) === to ? ends : [...ends, endOf(to)];
}
