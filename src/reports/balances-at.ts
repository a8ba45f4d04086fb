import type { BalanceChange } from "../../generated/types.js";
import { readTime } from "../arguments/read-value.js";
import { compareDigits } from "../values/integers.js";
import type { NanosecondTime } from "../values/times.js";
import { type Account, type Balance, later, readAccounts } from "./accounts.js";
import { checkOptionNames, type RangeOptions } from "./records.js";

/** The balance of an account at a time. */
export interface AccountBalance extends Account {
  /** In the smallest unit of the asset. `undefined` if it is unknown: there is no record up to this time. */
  balance: string | undefined;
  /** The time of the record with the balance, in Unix nanoseconds. `undefined` if there is none. */
  timestamp: string | undefined;
}

/**
 * Returns the balance of each account at a time: the one in its last record up to and including this time. The result
 * has every account of the records, also those with only later records, in order of party, asset, market and type.
 *
 * @param changes - Balance changes in any order, from the oldest that is known up to the time. The balances of later
 * ones are ignored.
 * @param time - A date such as `"2024-12-31"`, or another time that `toNanoseconds` reads.
 * @throws `ArgumentError` if an argument, an option or a record is invalid.
 * @example
 * ```ts
 * const changes = client.scanBalanceChanges({ filter: { partyIds: [partyId] } });
 * for (const { assetId, accountType, balance } of await balancesAt(changes, "2024-12-31")) {
 *   console.log(assetId, accountType, balance ?? "unknown");
 * }
 * ```
 */
export async function balancesAt(
  changes: Iterable<BalanceChange> | AsyncIterable<BalanceChange>,
  time: NanosecondTime,
  options: Pick<RangeOptions, "isComplete"> = {},
): Promise<AccountBalance[]> {
  const operation = "balancesAt";
  checkOptionNames(operation, options, "isComplete");
  const end = String(readTime({ operation, argument: "time" }, time));
  const create = (): { last?: Balance } => ({});
  const accounts = await readAccounts(operation, changes, create, (kept, change) => {
    if (compareDigits(change.timestamp, end) <= 0) kept.last = later(operation, kept.last, change);
  });
  const unknown = options.isComplete ? "0" : undefined;
  return accounts.map(({ account, kept: { last } }) => ({
    ...account,
    balance: last ? String(BigInt(last.balance)) : unknown,
    timestamp: last?.timestamp,
  }));
}
