import type { BalanceChange } from "../../generated/types.js";
import { compareDigits } from "../values/integers.js";
import { type Account, type Balance, later, readAccounts } from "./accounts.js";
import { type RangeOptions, readRange } from "./records.js";

/** The statement of an account. The opening balance and the changes add up to the closing balance. */
export interface AccountStatement extends Account {
  /** The balance at `from`, in the smallest unit of the asset. `undefined` if it is unknown. */
  opening: string | undefined;
  /** The balance at `to`. `undefined` if it is unknown. */
  closing: string | undefined;
  /** The changes after `from` up to and including `to`, in order of time. */
  lines: {
    /** The time of the block, in Unix nanoseconds. */
    timestamp: string;
    /** The balance after the change. */
    balance: string;
    /** The balance minus the balance before. `undefined` if that is unknown. */
    change: string | undefined;
  }[];
}

/**
 * Returns the statement of each account: the balances at two times and the changes between. The result has every
 * account of the records, in order of party, asset, market and type.
 *
 * @param changes - Balance changes in any order, from the oldest that is known up to `to`. Those before `from` give the
 * opening balances.
 * @throws `ArgumentError` if an option or a record is invalid.
 * @example
 * ```ts
 * const changes = client.scanBalanceChanges({ filter: { partyIds: [partyId] } });
 * const accounts = await statement(changes, { from: "2024-01-01", to: "2024-02-01" });
 * for (const { assetId, opening, lines, closing } of accounts) console.log(assetId, opening, lines.length, closing);
 * ```
 */
export async function statement(
  changes: Iterable<BalanceChange> | AsyncIterable<BalanceChange>,
  options: RangeOptions,
): Promise<AccountStatement[]> {
  const operation = "statement";
  const { from, to } = readRange(operation, options);
  const create = (): { opening?: Balance; changes: Balance[] } => ({ changes: [] });
  const accounts = await readAccounts(operation, changes, create, (kept, { timestamp, balance }) => {
    if (compareDigits(timestamp, from) <= 0) kept.opening = later(operation, kept.opening, { timestamp, balance });
    else if (to === undefined || compareDigits(timestamp, to) <= 0) kept.changes.push({ timestamp, balance });
  });
  const unknown = options.isComplete ? 0n : undefined;
  return accounts.map(({ account, kept }) => {
    const opening = kept.opening ? BigInt(kept.opening.balance) : unknown;
    let balance = opening;
    let last: Balance | undefined;
    const lines: AccountStatement["lines"] = [];
    for (const change of kept.changes.sort((a, b) => compareDigits(a.timestamp, b.timestamp))) {
      // A record that was read twice changes nothing.
      if (later(operation, last, change) === last) continue;
      last = change;
      const before = balance;
      balance = BigInt(change.balance);
      lines.push({
        timestamp: change.timestamp,
        balance: String(balance),
        change: before === undefined ? undefined : String(balance - before),
      });
    }
    return { ...account, opening: opening?.toString(), closing: balance?.toString(), lines };
  });
}
