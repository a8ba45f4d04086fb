import { toNanoseconds } from "../values/times.js";
import { quote, UsageError } from "./exit.js";

/** How many nanoseconds the units of Unix times have, by their number of digits from the year 1973 to the year 2286. */
const units: Readonly<Record<number, bigint>> = {
  9: 1_000_000_000n,
  10: 1_000_000_000n,
  12: 1_000_000n,
  13: 1_000_000n,
  15: 1000n,
  16: 1000n,
  18: 1n,
  19: 1n,
};

/**
 * Reads a time as Unix nanoseconds: a year, month, day or time of RFC 3339, or digits of Unix seconds, milliseconds,
 * microseconds or nanoseconds.
 *
 * @param name - The flag of the time.
 */
export function readTime(name: string, value: string): bigint {
  const time = parseTime(value);
  if (time !== undefined) return time;
  const meant = guesses(value).find((guess) => parseTime(guess) !== undefined);
  const expected = `Expected --${name} to be a time such as 2024, 2024-02-01, 2024-02-01T12:00:00Z or digits of Unix`;
  const digits = "seconds, milliseconds, microseconds or nanoseconds";
  throw new UsageError(
    `${expected} ${digits}, got ${quote(value)}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
  );
}

function parseTime(value: string): bigint | undefined {
  if (/^\d{4}$/.test(value)) return isYear(value) ? parseRfc3339(`${value}-01-01T00:00:00Z`) : undefined;
  if (/^\d+$/.test(value)) {
    const unit = units[value.length];
    return value === "0" ? 0n : unit && BigInt(value) * unit;
  }
  if (/^\d{4}-\d\d$/.test(value)) return parseRfc3339(`${value}-01T00:00:00Z`);
  return parseRfc3339(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value);
}

/** Other numbers of four digits are no years: there was no chain. */
const isYear = (value: string) => Number(value) >= 1970 && Number(value) < 2200;

function parseRfc3339(text: string): bigint | undefined {
  try {
    return /^\d+-/.test(text) ? toNanoseconds(text) : undefined;
  } catch {
    return undefined;
  }
}

/** What a value may mean that is not a time: a date without dashes, or a time without its zone or its seconds. */
function guesses(value: string): string[] {
  const dashed = value.replace(/^(\d{4})(\d\d)(\d\d)?$/, (_, year, month, day) =>
    [year, month, day].filter(Boolean).join("-"),
  );
  const [, date = "", time = "", seconds = ":00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i.exec(value) ?? [];
  return [dashed, `${date}T${time}${seconds}${zone}`];
}
