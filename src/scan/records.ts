import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { compare, compareDigits } from "../values/integers.js";
import { microsecondOf } from "../values/times.js";

const { cursors } = operations.listBalanceChanges;

/** The order of balance changes of one time: by their account, of which a node has one balance in a block. */
function compareAccounts(a: BalanceChange, b: BalanceChange): number {
  for (const name of cursors.missingMember.sha256Of) {
    const order = compare(String(a[name] ?? ""), String(b[name] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}

/** The order of a scan: by time, then by account. */
export const compareRecords = (a: BalanceChange, b: BalanceChange): number =>
  compareDigits(a.timestamp, b.timestamp) || compareAccounts(a, b);

export const microsecondAt = ({ timestamp }: BalanceChange): bigint => microsecondOf(BigInt(timestamp));
