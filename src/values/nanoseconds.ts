import { isDigits } from "./digits.js";

export const nanosecondsPerMillisecond = 1_000_000n;
export const nanosecondsPerDay = 86_400_000n * nanosecondsPerMillisecond;

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
