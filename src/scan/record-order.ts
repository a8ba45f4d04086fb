import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { compareDigits, compareText } from "../values/digits.js";
import { keyBy } from "../values/natural-key.js";

const { naturalKey, cursors } = operations.listBalanceChanges;

/** The order of balance changes of one time: by their account, of which a node has one balance in a block. */
export function compareAccounts(a: BalanceChange, b: BalanceChange): number {
  for (const name of cursors.missingMember.sha256Of) {
    const order = compareText(String(a[name] ?? ""), String(b[name] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}

/** The order of a scan: by time, then by account. */
export const compareRecords = (a: BalanceChange, b: BalanceChange): number =>
  compareDigits(a.timestamp, b.timestamp) || compareAccounts(a, b);

/** The natural key of a balance change as text: a node has one balance of an account in a block. */
export const keyOf = keyBy<BalanceChange>(naturalKey);
