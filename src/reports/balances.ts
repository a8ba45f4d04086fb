import type { BalanceChange } from "../../generated/types.js";
import { readTime } from "../arguments/read-value.js";
import { compare, compareDigits } from "../values/integers.js";
import type { NanosecondTime } from "../values/times.js";
import { checkOptionNames, digitsOf, forEachRecord, type RangeOptions, readRange, refuseMember } from "./records.js";

/** The members that identify an account. A member that a node did not set is `""`. */
export interface Account {
  partyId: string;
  assetId: string;
  /** `""` if the account has no market. */
  marketId: string;
  /** A name such as `ACCOUNT_TYPE_GENERAL`, or the number of a type that the node has no name for. */
  accountType: NonNullable<BalanceChange["accountType"]>;
}

export const accountMembers = ["partyId", "assetId", "marketId", "accountType"] as const;

/**
 * Checks balance changes, and passes each to a function together with the state of a report for its account. Returns
 * the accounts in order of party, asset, market and type.
 */
export async function readAccounts<T>(
  operation: string,
  changes: Iterable<BalanceChange> | AsyncIterable<BalanceChange>,
  create: () => T,
  add: (kept: T, change: BalanceChange) => void,
): Promise<{ account: Account; kept: T }[]> {
  const place = placeOf(operation);
  const accounts = new Map<string, { account: Account; kept: T }>();
  await forEachRecord(place, changes, (change) => {
    digitsOf(place, change, "balance");
    if (digitsOf(place, change, "timestamp").length > 19)
      refuseMember(place, "timestamp", "Unix nanoseconds", change.timestamp);
    const { partyId, assetId, marketId, accountType } = change;
    // Accounts of several assets would be added.
    if (typeof assetId !== "string" || assetId === "") refuseMember(place, "assetId", "the id of an asset", assetId);
    // Databases have `null` for a member that a node did not set.
    const key = `${partyId ?? ""}\n${assetId}\n${marketId ?? ""}\n${accountType ?? ""}`;
    const known = accounts.get(key) ?? {
      account: { partyId: partyId ?? "", assetId, marketId: marketId ?? "", accountType: accountType ?? "" },
      kept: create(),
    };
    accounts.set(key, known);
    add(known.kept, change);
  });
  return [...accounts].sort(([a], [b]) => compare(a, b)).map(([, each]) => each);
}

const placeOf = (operation: string) => ({ operation, argument: "changes" });

/** The balance of an account since a time. */
export interface Balance {
  readonly timestamp: string;
  readonly balance: string;
}

/** Returns the later of two balances of an account, `a` if both are the same. Nodes have one per account and block. */
export function later(operation: string, a: Balance | undefined, { timestamp, balance }: Balance): Balance {
  if (!a) return { timestamp, balance };
  const order = compareDigits(a.timestamp, timestamp);
  if (order < 0) return { timestamp, balance };
  if (order === 0 && BigInt(a.balance) !== BigInt(balance)) {
    const expected = `${a.balance}, the balance of another record of the same account and time`;
    refuseMember(placeOf(operation), "balance", expected, balance);
  }
  return a;
}

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
