import { isDigits } from "./integers.js";
import { refuseValue } from "./show.js";

/**
 * A point in time for a query: Unix nanoseconds as a `bigint` or a string of digits, a date such as `"2024-02-09"` or
 * other RFC 3339 text, a `Date`, or an object with `epochNanoseconds`, such as a `Temporal.Instant`. A `number` cannot
 * hold current nanoseconds exactly and is not accepted.
 */
export type NanosecondTime = bigint | `${bigint}` | (string & {}) | Date | { readonly epochNanoseconds: bigint };

const nanosecondsPerMillisecond = 1_000_000n;
export const nanosecondsPerDay = 86_400_000n * nanosecondsPerMillisecond;

const rfc3339 = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Converts a time to Unix nanoseconds.
 *
 * @param time - A {@link NanosecondTime}. A date such as `"2024-02-09"` begins at midnight in UTC; RFC 3339 text has up
 * to nine fractional digits.
 * @throws {@link ArgumentError} for anything else, `number` and dates that do not exist included.
 * @example
 * ```ts
 * toNanoseconds("2024-02-09T16:54:49.123456789Z"); // 1707497689123456789n
 * ```
 */
export function toNanoseconds(time: NanosecondTime): bigint {
  if (typeof time === "string" && !isDigits(time)) return parseRfc3339(time);
  const nanoseconds = "a bigint or digits of Unix nanoseconds (a number cannot hold them exactly)";
  const expected = `a time as ${nanoseconds}, a Date, RFC 3339 text or a Temporal.Instant`;
  return unixNanoseconds(time) ?? refuseValue("time", expected, time);
}

/**
 * Converts a time of the network to a `Date`, truncated to milliseconds.
 *
 * @param time - Unix nanoseconds as a string of digits (such as `timestamp`) or a `bigint`, or RFC 3339 text (such as
 * `bannedUntil`).
 * @throws {@link ArgumentError} for anything else, and for a time that a `Date` cannot hold.
 * @example
 * ```ts
 * toDate("1707497689123456000").toISOString(); // "2024-02-09T16:54:49.123Z"
 * ```
 */
export function toDate(time: `${bigint}` | (string & {}) | bigint): Date {
  if (typeof time !== "string" && typeof time !== "bigint") {
    refuseValue("time", "a time as digits or a bigint of Unix nanoseconds, or RFC 3339 text", time);
  }
  const date = new Date(Number(floorDivide(toNanoseconds(time), nanosecondsPerMillisecond)));
  return Number.isNaN(date.getTime()) ? refuseValue("time", "a time that a Date can hold", time) : date;
}

/**
 * Decodes base64. Returns an empty array for `null`, which nodes send for empty bytes (observed on v0.74 nodes).
 *
 * @param base64Text - Standard base64 with padding, such as `sig` of a node signature.
 * @throws {@link ArgumentError} for any other value.
 * @example
 * ```ts
 * toBytes("+/8="); // Uint8Array [251, 255]
 * ```
 */
export function toBytes(base64Text: string | null): Uint8Array {
  if (base64Text === null) return new Uint8Array();
  if (typeof base64Text !== "string" || base64Text.length % 4 !== 0 || !base64.test(base64Text)) {
    refuseValue("base64Text", "standard base64 with padding", base64Text);
  }
  return Uint8Array.from(atob(base64Text), (character) => character.charCodeAt(0));
}

/** The Unix nanoseconds of a `bigint`, digits, a `Date` or a `Temporal.Instant`; `undefined` for anything else. */
export function unixNanoseconds(time: unknown): bigint | undefined {
  if (typeof time === "bigint") return time;
  if (isDigits(time)) return BigInt(time);
  if (time instanceof Date) {
    const milliseconds = time.getTime();
    return Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * nanosecondsPerMillisecond;
  }
  const { epochNanoseconds } = (time ?? {}) as { epochNanoseconds?: unknown };
  return typeof epochNanoseconds === "bigint" ? epochNanoseconds : undefined;
}

/**
 * Whether a time is probably not in nanoseconds: digits before 2000, such as a year, or a `bigint` of seconds to
 * microseconds.
 */
export function isYearOrSeconds(time: unknown): boolean {
  if (typeof time === "bigint") return time >= 10n ** 9n && time < 10n ** 16n;
  return isDigits(time) && BigInt(time) < 946_684_800n * 10n ** 9n && BigInt(time) !== 0n;
}

function parseRfc3339(text: string): bigint {
  const [, date, time = "00:00:00", fraction = "", offset = "Z"] = rfc3339.exec(text) ?? [];
  const wallClock = new Date(`${date}T${time}Z`);
  // Engines differ on days that do not exist: V8 turns 30 February into the first of March, others return an invalid
  // date.
  if (Number.isNaN(wallClock.getTime()) || !wallClock.toISOString().startsWith(`${date}T${time}`)) {
    const expected = 'a time such as "2024-02-09" or "2024-02-09T16:54:49.123Z", or digits of Unix nanoseconds';
    refuseValue("time", expected, text);
  }
  const milliseconds = Date.parse(`${date}T${time}${offset.toUpperCase()}`);
  return BigInt(milliseconds) * nanosecondsPerMillisecond + BigInt(fraction.padEnd(9, "0"));
}

/** Division of `bigint` truncates; this one rounds down. */
export const floorDivide = (value: bigint, unit: bigint) => (value - (((value % unit) + unit) % unit)) / unit;

/** The microsecond of a time. Nodes keep times in microseconds, and compare them so (observed on v0.74 nodes). */
export const microsecondOf = (time: bigint): bigint => floorDivide(time, 1000n);

/** The first microsecond from a time in Unix nanoseconds on. */
export const microsecondFrom = (time: bigint): bigint => -microsecondOf(-time);

/** The first nanosecond of a microsecond. */
export const toTime = (microsecond: bigint): bigint => microsecond * 1000n;
