import { InvalidArgumentError } from "commander";
import { type Block, toNanoseconds } from "vegaprotocol-client";

const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Reads a time as Unix nanoseconds: a year, month, day or time of RFC 3339, digits of Unix seconds, milliseconds, microseconds or
 * nanoseconds, or a duration before now, as in `24h`.
 */
export function readTime(value: string): bigint {
  const time = parseTime(value);
  if (time !== undefined) return time;
  throw new InvalidArgumentError(
    "Expected a time such as 2024, 2024-02-01, 2024-02-01T12:00:00Z, digits of Unix seconds, milliseconds, microseconds or " +
      "nanoseconds, or a time before now such as 24h or 7d.",
  );
}

function parseTime(value: string): bigint | undefined {
  const [, number, unit = ""] = /^(\d+)([mhdw])$/.exec(value) ?? [];
  if (number !== undefined) return BigInt(Date.now() - Number(number) * (milliseconds[unit] ?? 0)) * 1_000_000n;
  // Other numbers of four digits are no years: there was no chain.
  if (/^(?:19[7-9]|2[01]\d)\d$/.test(value)) return parseRfc3339(`${value}-01-01T00:00:00Z`);
  if (/^\d+$/.test(value)) {
    // Seconds have 9 or 10 digits from the year 1973 to the year 2286, milliseconds three more, and so on.
    const thousands = [10, 13, 16, 19].findIndex((digits) => value.length === digits || value.length === digits - 1);
    if (thousands >= 0) return BigInt(value) * 1000n ** BigInt(3 - thousands);
    return value === "0" ? 0n : undefined;
  }
  if (/^\d{4}-\d\d$/.test(value)) return parseRfc3339(`${value}-01T00:00:00Z`);
  return parseRfc3339(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value);
}

function parseRfc3339(text: string): bigint | undefined {
  try {
    return /^\d+-/.test(text) ? toNanoseconds(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a duration as milliseconds. A number without a unit is seconds. */
export function readDuration(value: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? [];
  if (number === undefined) throw new InvalidArgumentError("Expected a duration such as 30s, 500ms or 2m.");
  return Number(number) * (milliseconds[unit] ?? 0);
}

/** Shows milliseconds in the largest unit that has two of them. */
export function describeDuration(duration: number): string {
  if (duration === Number.POSITIVE_INFINITY) return "ever";
  const unit = ["d", "h", "m"].find((each) => duration >= 2 * (milliseconds[each] ?? 0)) ?? "s";
  return `${Math.ceil(duration / (milliseconds[unit] ?? 1))}${unit}`;
}

/** Nodes keep times in microseconds: everything before this time is final in a block of this time. */
export const finalTime = ({ timestamp }: Block): bigint => timestamp - (timestamp % 1000n);
