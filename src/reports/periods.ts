/** The ends of calendar periods. A time that ends a period is part of it. */
import { type Place, refuse } from "../arguments/refuse.js";
import { unlessThrown } from "../errors/index.js";
import { compareDigits } from "../values/integers.js";
import { floorDivide, nanosecondsPerDay } from "../values/times.js";

/** @inline */
export type Period = "change" | "minute" | "hour" | "day" | "week" | "month";

const nanosecondsPerMinute = nanosecondsPerDay / 1440n;
/** In nanoseconds. Weeks begin on Monday, and 1970 began on a Thursday. */
const lengths = {
  minute: nanosecondsPerMinute,
  hour: 60n * nanosecondsPerMinute,
  day: nanosecondsPerDay,
  week: 7n * nanosecondsPerDay,
};
const firstMonday = 4n * nanosecondsPerDay;

/** Returns how far the clocks of a time zone are ahead of UTC, in nanoseconds, at a time in Unix nanoseconds. */
type Offset = (time: bigint) => bigint;

/** Reads a time zone of the caller. Default: UTC. */
export function readOffset(place: Place, timeZone: unknown): Offset {
  if (timeZone === undefined) return () => 0n;
  // Node.js 20 has no time zones with the name of an offset.
  const fixed = typeof timeZone === "string" ? /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(timeZone) : undefined;
  if (fixed) {
    const offset = toOffset(fixed);
    return () => offset;
  }
  const format = unlessThrown(
    () => new Intl.DateTimeFormat("en", { timeZone: timeZone as string, timeZoneName: "longOffset" }),
  );
  if (typeof timeZone !== "string" || format === undefined) {
    return refuse(place, 'a time zone, such as "Europe/Berlin" or "+01:00"', timeZone);
  }
  return (time) => {
    // Such as `2/9/2024, GMT+01:00`; UTC is just `GMT`.
    const text = format.format(Number(floorDivide(time, 1_000_000n)));
    return toOffset(/GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []);
  };
}

const toOffset = ([, sign = "+", hours = "0", minutes = "0"]: readonly (string | undefined)[]): bigint =>
  BigInt(`${sign}1`) * (BigInt(hours) * 60n + BigInt(minutes)) * nanosecondsPerMinute;

/** Returns a function that returns the end of the period with a time, both in Unix nanoseconds. */
export function periodEnds(every: Period, offsetAt: Offset): (time: string) => string {
  if (every === "change") return (time) => time;
  let [start, end] = ["1", "0"];
  return (time) => {
    // Most records are in the period of the one before.
    if (compareDigits(start, time) <= 0 && compareDigits(time, end) <= 0) return end;
    start = time;
    end = String(endOf(BigInt(time), every, offsetAt));
    return end;
  };
}

function endOf(time: bigint, every: Exclude<Period, "change">, offsetAt: Offset): bigint {
  // Clocks can change at the very end of a period.
  const offset = offsetAt(time - 1n);
  const local = time + offset;
  const end = every === "month" ? endOfMonth(local) : endOfLength(local, lengths[every]);
  const unchanged = end - offset;
  // An hour that the clocks repeat is two periods.
  if (every === "minute" || every === "hour") return unchanged;
  const found = end - offsetAt(unchanged);
  // Clocks that skip midnight have no such time: the period ends when they do.
  return found + offsetAt(found) === end ? found : unchanged;
}

const endOfLength = (time: bigint, length: bigint) => firstMonday - floorDivide(firstMonday - time, length) * length;

function endOfMonth(time: bigint): bigint {
  const date = new Date(Number(floorDivide(time - 1n, 1_000_000n)));
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)) * 1_000_000n;
}
