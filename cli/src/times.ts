import { createRequire } from "node:module";
import { InvalidArgumentError } from "commander";
import { UsageError } from "./errors.js";

const milliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export const day = 86_400_000_000_000n;

/** The start of the day of a time, in UTC. */
export const dayOf = (time: bigint): bigint => time - (time % day);

/** A day, or a time with or without seconds and a zone. Spreadsheets have a space in place of the T. */
const dayOrTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i;

const durationBeforeNow = /^(\d+)([mhdw])$/;

/** Whether a time is another one each time that it is read. */
export const isRelative = (value: string): boolean => value === "now" || durationBeforeNow.test(value);

/**
 * Reads a time as Unix nanoseconds: a year, month, day or time of RFC 3339, digits of Unix seconds, milliseconds,
 * microseconds or nanoseconds, `now`, or a duration before now, such as `24h`.
 *
 * @param others - Other values of the flag, for its error.
 */
export function readTime(value: string, timeZone?: string, others = ""): bigint {
  const time = parseTime(value, timeZone);
  // The year 1970 of a time zone begins before or after 0. The client takes most numbers up to this one for seconds.
  if (time !== undefined) return time < 10n ** 16n ? 0n : time;
  throw new InvalidArgumentError(
    `Expected ${others}a time such as 2024, 2024-02-01, 2024-02-01T12:00:00Z, digits of Unix seconds, milliseconds, microseconds or ` +
      "nanoseconds, now, or a time before now such as 24h or 7d.",
  );
}

/** @throws {@link UsageError} if a range ends before it begins, or at its start unless that time belongs to it. */
export function checkRange(
  start: bigint | undefined,
  end: bigint | undefined,
  { from, to = "" }: { readonly from?: string | undefined; readonly to?: string | undefined },
  { isEndExcluded = false, show = (name: string) => `--${name}` } = {},
): void {
  if (start === undefined || end === undefined || end > start) return;
  const names = `${show("to")} to be no earlier than ${show("from")}`;
  if (end < start) throw new UsageError(`Expected ${names}, got "${to}" and "${from}".`);
  const isDay = from === to && /^\d{4}-\d\d-\d\d$/.test(to);
  const advice = isDay ? ` For the whole day, use --to ${dateOf(readTime(to) + day)}.` : "";
  if (isEndExcluded) throw new UsageError(`The range is empty: it does not include --to, ${to}.${advice}`);
}

export function checkTime(value: string, others?: string): string {
  readTime(value, undefined, others);
  return value;
}

function parseTime(value: string, timeZone: string | undefined): bigint | undefined {
  if (value === "now") return BigInt(Date.now()) * 1_000_000n;
  const [, number, unit = ""] = durationBeforeNow.exec(value) ?? [];
  if (number !== undefined) {
    const time = Date.now() - Number(number) * (milliseconds[unit] ?? 0);
    return time > 0 ? BigInt(time) * 1_000_000n : undefined;
  }
  // Other numbers of four digits are no years: there was no chain.
  if (/^(?:19[7-9]|2[01]\d)\d$/.test(value)) return parseDate(`${value}-01-01`, timeZone);
  if (/^\d+$/.test(value)) {
    // Seconds have 9 or 10 digits from the year 1973 to the year 2286, milliseconds three more, and so on.
    const thousands = [10, 13, 16, 19].findIndex((digits) => value.length === digits || value.length === digits - 1);
    if (thousands >= 0) return BigInt(value) * 1000n ** BigInt(3 - thousands);
    return value === "0" ? 0n : undefined;
  }
  return parseDate(/^\d{4}-\d\d$/.test(value) ? `${value}-01` : value, timeZone);
}

/** Loads Temporal, which takes a tenth of the start of a command: few read a time or have a time zone. */
const temporal = (): typeof import("temporal-polyfill").Temporal =>
  createRequire(import.meta.url)("temporal-polyfill").Temporal;

/** Of a local time that occurs twice, the first one is used. A time that clocks skip is shifted by as much as they are. */
function parseDate(value: string, timeZone = "UTC"): bigint | undefined {
  const [found, zone] = dayOrTime.exec(value) ?? [];
  if (found === undefined) return undefined;
  try {
    if (zone !== undefined) return temporal().Instant.from(value).epochNanoseconds;
    return temporal().PlainDateTime.from(value).toZonedDateTime(timeZone).epochNanoseconds;
  } catch {
    return undefined;
  }
}

export function readTimeZone(timeZone: string): string {
  try {
    const { ZonedDateTime } = temporal();
    return new ZonedDateTime(0n, timeZone) && timeZone;
  } catch {
    throw new InvalidArgumentError("Expected a time zone such as Europe/Berlin or UTC.");
  }
}

/** Reads a duration as milliseconds. A number without a unit is seconds. */
export function readDuration(value: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? [];
  if (number === undefined) throw new InvalidArgumentError("Expected a duration such as 30s, 500ms or 2m.");
  const duration = Number(number) * (milliseconds[unit] ?? 0);
  // Node.js ends a longer timer at once.
  if (duration >= 2 ** 31) throw new InvalidArgumentError("Expected a duration of at most 596h.");
  return duration;
}

/** Shows milliseconds in the largest unit that has two of them. */
export function describeDuration(duration: number): string {
  if (duration === Number.POSITIVE_INFINITY) return "ever";
  const unit = ["d", "h", "m"].find((each) => duration >= 2 * (milliseconds[each] ?? 0)) ?? "s";
  const amount = duration / (milliseconds[unit] ?? 1);
  return `${Math.round(amount) || Math.ceil(amount)}${unit}`;
}

const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000;

/** Prints Unix nanoseconds as RFC 3339. A time that RFC 3339 cannot express stays as it is. */
export function formatTime(time: bigint | string): string {
  const text = String(time);
  if (!/^\d{1,21}$/.test(text)) return text;
  const digits = text.padStart(10, "0");
  const seconds = Number(digits.slice(0, -9));
  if (seconds > lastSecond) return text;
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${digits.slice(-9)}Z`;
}

export const dateOf = (time: bigint | string): string => formatTime(time).slice(0, 10);

export interface TimeFlags {
  readonly raw?: true;
  readonly times?: "iso" | "spreadsheet" | "unix";
  readonly timeZone?: string | undefined;
}

export function timeFormat({ raw, times = raw ? "unix" : "iso", timeZone = "UTC" }: TimeFlags) {
  const { Instant } = timeZone === "UTC" || times === "unix" ? {} : temporal();
  return (time: string): string => {
    const utc = times === "unix" ? time : formatTime(time);
    // RFC 3339 cannot express it.
    if (utc === time) return time;
    const local = Instant && new Instant(BigInt(time)).toZonedDateTimeISO(timeZone);
    const text = local?.toString({ timeZoneName: "never", fractionalSecondDigits: 9 }) ?? utc;
    // Spreadsheets know milliseconds.
    return times === "iso" ? text : text.slice(0, 23).replace("T", " ");
  };
}

export const latest = (first: bigint, ...others: readonly (bigint | undefined)[]): bigint =>
  others.reduce<bigint>((a, b = a) => (b > a ? b : a), first);

export function earliest(first: bigint, ...others: (bigint | undefined)[]): bigint;
export function earliest(...times: (bigint | undefined)[]): bigint | undefined;
export function earliest(...times: (bigint | undefined)[]): bigint | undefined {
  return times.reduce((a, b = a) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined);
}

/** Cuts a time to microseconds, as nodes do. Earlier records are final once a node has a block of that time. */
export const finalTime = (time: bigint): bigint => time - (time % 1000n);
