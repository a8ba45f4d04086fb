/** How times are printed. */
import type { Flags } from "../flags.js";
import { localOffset } from "../times.js";

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

/** Returns a function that prints Unix nanoseconds as the flags say. */
export function timeFormat({ raw, times = raw ? "unix" : "iso", timeZone }: Flags): (time: string) => string {
  if (times === "unix") return (time) => time;
  const toLocal = timeZone === undefined ? () => ({ shift: 0, offset: "Z" }) : localOffset(timeZone);
  return (time) => {
    const utc = formatTime(time);
    if (utc === time) return time;
    const { shift, offset } = toLocal(Date.parse(utc));
    const local = shift === 0 ? utc : formatTime(BigInt(time) + BigInt(shift) * 1_000_000n);
    // Spreadsheets know milliseconds.
    return times === "iso" ? local.slice(0, -1) + offset : local.slice(0, 23).replace("T", " ");
  };
}
