import type { BalanceChange } from "../../generated/types.js";
import type { Place } from "../arguments/refuse.js";
import { compareDigits, compareText } from "../values/integers.js";
import { digitsOf, refuseMember } from "./records.js";

/** What identifies an account. A member that a node did not set is `""`. */
export interface Account {
  partyId: string;
  assetId: string;
  /** `""` if the account has no market. */
  marketId: string;
  /** A name such as `ACCOUNT_TYPE_GENERAL`, or the number of a type that the node has no name for. */
  accountType: NonNullable<BalanceChange["accountType"]>;
}

export const accountMembers = ["partyId", "assetId", "marketId", "accountType"] as const;

/** The accounts of balance changes, each with what a report keeps for it. */
export interface Accounts<T> {
  /** Checks a balance change and returns what is kept for its account. */
  of(change: BalanceChange): T;
  /** All accounts, in order of party, asset, market and type. */
  sorted(): { account: Account; kept: T }[];
}

export function createAccounts<T>(place: Place, create: () => T): Accounts<T> {
  const accounts = new Map<string, { account: Account; kept: T }>();
  return {
    of(change) {
      for (const member of ["timestamp", "balance"] as const) digitsOf(place, change, member);
      const { partyId = "", assetId, marketId = "", accountType = "" } = change;
      // Accounts of several assets would be added.
      if (!assetId) refuseMember(place, "assetId", "the id of an asset", assetId);
      const key = `${partyId}\n${assetId}\n${marketId}\n${accountType}`;
      const known = accounts.get(key);
      if (known) return known.kept;
      const kept = create();
      accounts.set(key, { account: { partyId, assetId, marketId, accountType }, kept });
      return kept;
    },
    sorted: () => [...accounts].sort(([a], [b]) => compareText(a, b)).map(([, each]) => each),
  };
}

/** The balance of an account since a time. */
export interface Balance {
  readonly timestamp: string;
  readonly balance: string;
}

/** Returns the later of two balances of an account, `a` if both are the same. Nodes have one for each account and block. */
export function later(place: Place, a: Balance | undefined, { timestamp, balance }: Balance): Balance {
  const order = a === undefined ? -1 : compareDigits(a.timestamp, timestamp);
  if (a === undefined || order < 0) return { timestamp, balance };
  if (order === 0 && BigInt(a.balance) !== BigInt(balance)) {
    refuseMember(place, "balance", `${a.balance}, as in another record of the same account and time`, balance);
  }
  return a;
}
