import type { BalanceChange } from "../../generated/types.js";
import { compare, compareDigits } from "../values/integers.js";
import { digitsOf, forEachRecord, refuseMember } from "./records.js";

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
    const { partyId = "", assetId, marketId = "", accountType = "" } = change;
    // Accounts of several assets would be added.
    if (typeof assetId !== "string" || assetId === "") refuseMember(place, "assetId", "the id of an asset", assetId);
    const key = `${partyId}\n${assetId}\n${marketId}\n${accountType}`;
    const known = accounts.get(key) ?? { account: { partyId, assetId, marketId, accountType }, kept: create() };
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
