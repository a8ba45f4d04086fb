/** The values of records as destinations store them. What they cannot hold is refused, with the record that has it. */

import type { BalanceChange } from "../../generated/types.js";
import { VegaError } from "../errors/index.js";
import { isDigits } from "../values/digits.js";
import { show } from "../values/show.js";

/** Amounts of a Vega network have 256 bits. */
const longestAmount = 78;

/** A member of a record as text. Nodes leave out what is empty, or send `null`. */
export const textOf = (member: unknown): string => String(member ?? "");

/** The time of a record in digits. */
export function timeOf(record: { readonly timestamp: string }): string {
  return checkTime(record.timestamp, describe(record));
}

/** The balance of a record in digits. */
export function balanceOf(record: BalanceChange): string {
  const { balance } = record;
  if (isDigits(balance) && !balance.startsWith("-") && balance.length <= longestAmount) return balance;
  return refuse(describe(record), `a balance of at most ${longestAmount} digits`, balance);
}

/**
 * Checks a time in Unix nanoseconds.
 *
 * @param what - What has it, for the message.
 * @throws {@link VegaError} if it exceeds 64 bits.
 */
export function checkTime(time: unknown, what: string): string {
  if (isDigits(time) && BigInt.asIntN(64, BigInt(time)) === BigInt(time)) return time;
  return refuse(what, "a time in digits, within 64 bits", time);
}

function refuse(what: string, expected: string, value: unknown): never {
  throw new VegaError(`Expected ${what} to have ${expected}, got ${show(value)}. Use another node.`, {
    operation: "syncTo",
  });
}

/** Names a record by its ids. */
function describe(record: object): string {
  const ids = Object.entries(record).filter(([name, value]) => name.endsWith("Id") && value);
  return `the record of ${ids.map(([name, value]) => `${name} ${show(value)}`).join(", ")}`;
}
