import type { BalanceChange } from "../../generated/types.js";
import { compareDigits, compareText } from "../pagination/cursors.js";

const accountMembers = ["assetId", "partyId", "marketId", "accountType"] as const;

/** The order of balance changes of one time: by their account, then by their balance. */
export function compareAccounts(a: BalanceChange, b: BalanceChange): number {
  for (const name of accountMembers) {
    const order = compareText(String(a[name] ?? ""), String(b[name] ?? ""));
    if (order !== 0) return order;
  }
  // A node has one balance of an account in a block. Of several, the order must not depend on the page either.
  return compareText(a.balance, b.balance);
}

/** The order of a scan: by time, then by account. */
export const compareRecords = (a: BalanceChange, b: BalanceChange): number =>
  compareDigits(a.timestamp, b.timestamp) || compareAccounts(a, b);

/** The natural key of a balance change as text: a node has one balance of an account in a block. */
export const keyOf = ({ timestamp, assetId, partyId, marketId, accountType }: BalanceChange): string =>
  `${timestamp} ${assetId} ${partyId} ${marketId} ${accountType}`;
