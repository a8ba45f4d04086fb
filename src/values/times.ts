import { ArgumentError } from "../errors/index.js";
import { isDigits } from "./digits.js";
import { nanosecondsPerMillisecond, unixNanoseconds } from "./nanoseconds.js";
import { show } from "./show.js";

/**
 * A point in time for a query: Unix nanoseconds as a `bigint` or a string of digits, a `Date`, or an object with
 * `epochNanoseconds`, such as a `Temporal.Instant`. A `number` cannot hold current nanoseconds exactly and is not accepted.
 */
export type NanosecondTime = bigint | `${bigint}` | (string & {}) | Date | { readonly epochNanoseconds: bigint };

const rfc3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Converts a time to Unix nanoseconds.
 *
 * @param time - Unix nanoseconds as a `bigint` or a string of digits, a `Date`, RFC 3339 text with up to nine fractional digits
 * (as in `bannedUntil`), or an object with `epochNanoseconds`, such as a `Temporal.Instant`.
 * @throws {@link ArgumentError} for anything else, `number` and dates that do not exist included.
 * @example
 * ```ts
 * toNanoseconds("2024-02-09T16:54:49.123456789Z"); // 1707497689123456789n
 * ```
 */
export function toNanoseconds(time: NanosecondTime): bigint {
  if (typeof time === "string" && !isDigits(time)) return parseRfc3339(time);
  const nanoseconds = unixNanoseconds(time);
  if (nanoseconds !== undefined) return nanoseconds;
  if (time instanceof Date) throw new ArgumentError("Expected a time, got an invalid Date.", { argument: "time" });
  throw new ArgumentError(
    `Expected a time as a bigint or digits of Unix nanoseconds, a Date, RFC 3339 text or a Temporal.Instant, got ${
      typeof time === "number" ? `the number ${time}, which cannot hold nanoseconds exactly` : show(time)
    }.`,
    { argument: "time" },
  );
}

/**
 * Converts a time of the network to a `Date`, truncated to milliseconds.
 *
 * @param time - Unix nanoseconds as a string of digits (as in `timestamp`) or a `bigint`, or RFC 3339 text (as in
 * `bannedUntil`).
 * @throws {@link ArgumentError} for anything else, and for a time that a `Date` cannot hold.
 * @example
 * ```ts
 * toDate("1707497689123456000").toISOString(); // "2024-02-09T16:54:49.123Z"
 * ```
 */
export function toDate(time: `${bigint}` | (string & {}) | bigint): Date {
  if (typeof time !== "string" && typeof time !== "bigint") {
    throw new ArgumentError(
      `Expected a time as digits or a bigint of Unix nanoseconds, or RFC 3339 text, got ${show(time)}.`,
      { argument: "time" },
    );
  }
  const nanoseconds = toNanoseconds(time);
  const remainder = ((nanoseconds % nanosecondsPerMillisecond) + nanosecondsPerMillisecond) % nanosecondsPerMillisecond;
  const date = new Date(Number((nanoseconds - remainder) / nanosecondsPerMillisecond));
  if (Number.isNaN(date.getTime())) {
    throw new ArgumentError(`Expected a time that a Date can hold, got ${show(time)}.`, { argument: "time" });
  }
  return date;
}

/**
 * Decodes base64. Returns an empty array for `null`, which nodes send for empty bytes (observed on v0.74 nodes).
 *
 * @param base64Text - Standard base64 with padding, as in `sig` of a node signature.
 * @throws {@link ArgumentError} for any other value.
 * @example
 * ```ts
 * toBytes("+/8="); // Uint8Array [251, 255]
 * ```
 */
export function toBytes(base64Text: string | null): Uint8Array {
  if (base64Text === null) return new Uint8Array();
  if (typeof base64Text !== "string" || !base64.test(base64Text)) {
    throw new ArgumentError(`Expected standard base64 with padding, got ${show(base64Text)}.`, {
      argument: "base64Text",
    });
  }
  return Uint8Array.from(atob(base64Text), (character) => character.charCodeAt(0));
}

function parseRfc3339(text: string): bigint {
  const [, date, time, fraction = "", offset = ""] = rfc3339.exec(text) ?? [];
  const wallClock = new Date(`${date}T${time}Z`);
  // Engines differ on days that do not exist: V8 turns 30 February into the first of March, others return an invalid date.
  if (Number.isNaN(wallClock.getTime()) || !wallClock.toISOString().startsWith(`${date}T${time}`)) {
    throw new ArgumentError(
      `Expected a time as digits of Unix nanoseconds or RFC 3339 text such as "2024-02-09T16:54:49.123456789Z", got ${show(text)}.`,
      { argument: "time" },
    );
  }
  const [hours = 0, minutes = 0] = offset.length > 1 ? offset.slice(1).split(":").map(Number) : [];
  const shift = (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return BigInt(wallClock.getTime() - shift) * nanosecondsPerMillisecond + BigInt(fraction.padEnd(9, "0"));
}
