/** The bytes of base64, read as Go does: line breaks are skipped, padding is required. `undefined` for another text. */
export function base64ToBytes(text: string): Uint8Array | undefined {
  const base64 = text.replace(/[\r\n]/g, "");
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

export const bytesToBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export const bytesToHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON as Go writes it, with HTML characters escaped. */
export const toJson = (content: unknown): string =>
  JSON.stringify(content).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);

/**
 * Times in the unit of a node's database: whole microseconds since 1970, as numbers. Those of records stay below 2^53
 * (until the year 2255), where numbers are exact.
 */
export type Microseconds = number;

/** The latest time that a record can have, in microseconds. */
export const latestTime: Microseconds = Number.MAX_SAFE_INTEGER;

/** Cuts Unix nanoseconds to microseconds, as v0.74 nodes do with every time. */
export function toMicroseconds(nanoseconds: string | bigint): Microseconds {
  // Slicing digits is several times faster than BigInt arithmetic, which matters with a million records.
  if (typeof nanoseconds === "string" && /^[1-9]\d{3,}$/.test(nanoseconds)) return Number(nanoseconds.slice(0, -3));
  const value = BigInt(nanoseconds);
  // Division rounds towards zero, a node towards the past.
  return Number(value / 1000n) - (value % 1000n < 0n ? 1 : 0);
}

/** Unix nanoseconds in digits, as on the wire. */
export const toNanosecondDigits = (time: Microseconds): `${bigint}` => `${BigInt(time) * 1000n}`;

const day: Microseconds = 86_400e6;

/** The time at which the next day in UTC begins, in Unix nanoseconds. */
export const startOfNextDay = (time: Microseconds): bigint => BigInt((Math.floor(time / day) + 1) * day) * 1000n;

/** RFC 3339 in UTC without zeros at the end of the fraction, as Go writes a time. */
export function toRfc3339(time: Microseconds): string {
  const seconds = Math.floor(time / 1e6);
  const fraction = String(time - seconds * 1e6)
    .padStart(6, "0")
    .replace(/0+$/, "");
  const text = new Date(seconds * 1000).toISOString().slice(0, -5);
  return fraction === "" ? `${text}Z` : `${text}.${fraction}Z`;
}

/** Reads RFC 3339, cut to microseconds; `undefined` for another text. */
export function parseRfc3339(text: string): Microseconds | undefined {
  const [, date, fraction = "", zone = ""] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const milliseconds = Date.parse(`${date}${zone}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return milliseconds * 1000 + Number(fraction.slice(0, 6).padEnd(6, "0"));
}

/** Go's zero time, the first instant of the year 1, which a cursor without a time stands for. */
export const zeroTime: Microseconds = Date.parse("0001-01-01T00:00:00Z") * 1000;
