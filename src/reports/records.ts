import { boolean, checkedWhenRead, checkOptions } from "../arguments/check-options.js";
import { readTime } from "../arguments/read-value.js";
import { type Place, refuse } from "../arguments/refuse.js";
import { ArgumentError } from "../errors/index.js";
import { isDigits } from "../values/integers.js";
import { show } from "../values/show.js";
import type { NanosecondTime } from "../values/times.js";

/** The range of a report of balances. */
export interface RangeOptions {
  /**
   * The start: a date such as `"2024-01-31"`, or another time that `toNanoseconds` reads. Records at this very time are
   * part of the balances at the start.
   */
  from: NanosecondTime;
  /**
   * The end. Records at this very time are part of the balances at the end. Default: the time of the last record, but
   * no earlier than `from`.
   */
  to?: NanosecondTime | undefined;
  /**
   * Whether the records go back to the first block of the network. Then the balance of an account before its first
   * record is `"0"`. Default: false, and that balance is unknown.
   */
  isComplete?: boolean | undefined;
}

/** Refuses options with other names. Values are checked where they are read. */
export function checkOptionNames(operation: string, options: unknown, ...names: string[]): void {
  const checks = names.map((name) => [name, name === "isComplete" ? boolean : checkedWhenRead]);
  checkOptions(Object.fromEntries(checks), options, { name: operation, operation });
}

/** Calls a function with each record. If it throws, the iterator is closed. */
export async function forEachRecord<T extends object>(
  place: Place,
  records: Iterable<T> | AsyncIterable<T>,
  visit: (record: T) => void,
): Promise<void> {
  const isObject = (value: unknown) => typeof value === "object" && value !== null;
  if (!isObject(records) || !(Symbol.asyncIterator in records || Symbol.iterator in records)) {
    refuse(place, "an iterable of records, such as a listing or a scan", records);
  }
  for await (const record of records) {
    if (!isObject(record)) refuseRecord(place, "each record", "an object", record);
    visit(record);
  }
}

export function refuseMember(place: Place, member: string, expected: string, value: unknown): never {
  refuseRecord(place, `\`${member}\` of each record`, expected, value);
}

function refuseRecord({ operation, argument }: Place, what: string, expected: string, value: unknown): never {
  const message = `Expected ${what} in \`${argument}\` of ${operation} to be ${expected}, got ${show(value)}.`;
  throw new ArgumentError(message, { operation, argument });
}

export function digitsOf<T>(place: Place, record: T, member: keyof T & string): string {
  const value: unknown = record[member];
  return isDigits(value) ? value : refuseMember(place, member, "an integer in digits", value);
}

/** Reads the range of a report in digits, and refuses options that are neither its own nor a range's. */
export function readRange(operation: string, options: RangeOptions, ...ownNames: string[]) {
  checkOptionNames(operation, options, "isComplete", "from", "to", ...ownNames);
  const from = readTime({ operation, argument: "from" }, options.from);
  const to = options.to === undefined ? undefined : readTime({ operation, argument: "to" }, options.to);
  if (to !== undefined && to < from)
    refuse({ operation, argument: "to" }, `no earlier than \`from\`, ${show(options.from)}`, options.to);
  return { from: String(from), to: to?.toString() };
}

/** Reads an amount in the smallest unit, a number of things or a height. */
export function readCount(place: Place, value: unknown): bigint {
  const count =
    typeof value === "bigint" || isDigits(value) || Number.isSafeInteger(value) ? BigInt(value as bigint) : -1n;
  return count >= 0n ? count : refuse(place, "a bigint or digits, and not negative", value);
}
