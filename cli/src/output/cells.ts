/** How members of a record are printed, in a terminal and on the pages of the documentation. */
import type { ColumnKind } from "../operations.js";

/** A record as a node sent it. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** A member of a record and how it is printed. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Converts the text of the node to the printed one. */
  readonly print: (text: string, record: WireRecord) => string;
}

/** Turns records into text. */
export interface Encoder {
  /** What comes before the first record. */
  readonly head: string;
  encode(records: readonly WireRecord[]): string;
  /** What follows the last record. */
  end(): string;
}

/** The text of a member: empty if it is absent or `null`, JSON if it is an object or an array. */
export function cellText(record: WireRecord, { name, print }: Column): string {
  const value = record[name];
  if (typeof value === "string") return print(value, record);
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Prints a time in Unix nanoseconds as RFC 3339. */
export const formatTime = (time: bigint | string): string => timePrinter()(String(time));

/** Prints Unix nanoseconds as RFC 3339. Neighboring records often have the same time, or the same second. */
export function timePrinter(): (text: string) => string {
  let second = "";
  let date = "";
  let last = { text: "", printed: "" };
  const print = (text: string) => {
    if (!/^\d+$/.test(text)) return text;
    const digits = text.padStart(10, "0");
    const whole = digits.slice(0, -9);
    if (whole !== second) {
      const time = Number(whole) * 1000;
      // A time that RFC 3339 cannot express stays as it is.
      if (time > Date.parse("9999-12-31T23:59:59Z")) return text;
      second = whole;
      date = new Date(time).toISOString().slice(0, -5);
    }
    return `${date}.${digits.slice(-9)}Z`;
  };
  return (text) => {
    if (text !== last.text) last = { text, printed: print(text) };
    return last.printed;
  };
}
