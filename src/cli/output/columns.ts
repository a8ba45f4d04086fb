import { isDigits } from "../../values/digits.js";
import { toNanoseconds } from "../../values/times.js";
import { formatUnits, parseUnits } from "../../values/units.js";
import { UsageError } from "../exit.js";
import type { ColumnKind } from "../operation-texts.js";
import { suggest } from "../suggest.js";

/** A record as a node sent it. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** How the members of records are printed. */
export interface Presentation {
  /** How many decimal places amounts have. Absent: they are integers in the smallest unit. */
  readonly decimals?: number | undefined;
  /** Whether times are digits of Unix nanoseconds. */
  readonly raw: boolean;
}

/** A member of a record and how it is printed. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Converts the text of the node to the printed one. */
  readonly print: (text: string) => string;
  /** The inverse of {@link Column.print}. Throws for a text that it does not return. */
  readonly parse: (text: string) => string;
}

/** The columns of a list: those that the user named, or all. */
export function readColumns(
  kinds: Readonly<Record<string, ColumnKind>>,
  names: string | undefined,
  presentation: Presentation,
): Column[] {
  const known = Object.keys(kinds);
  return (names?.split(",") ?? known).map((entered, index, all) => {
    const name = entered.trim();
    const kind = kinds[name];
    if (kind === undefined) {
      throw new UsageError(
        `There is no column ${name || '""'}.${suggest(name, known) || ` There are ${known.join(", ")}.`}`,
      );
    }
    if (all.indexOf(entered) !== index) throw new UsageError(`Expected each column once, got ${name} twice.`);
    return { name, kind, ...conversionOf(kind, presentation) };
  });
}

const asIs = (text: string) => text;

function conversionOf(kind: ColumnKind, { decimals, raw }: Presentation): Pick<Column, "print" | "parse"> {
  if (kind === "time") {
    const parse = (text: string) => (text === "" ? text : String(toNanoseconds(text)));
    return { print: raw ? asIs : timePrinter(), parse };
  }
  if (kind === "amount" && decimals !== undefined) {
    return {
      // v0.74 nodes can send an empty amount.
      print: (text) => (isDigits(text) ? formatUnits(text, decimals) : text),
      parse: (text) => (text === "" ? text : String(parseUnits(text, decimals))),
    };
  }
  return { print: asIs, parse: asIs };
}

/** Prints a time in Unix nanoseconds as RFC 3339. */
export const formatTime = (time: bigint | string): string => timePrinter()(String(time));

/** Prints Unix nanoseconds as RFC 3339. Neighboring records often have the same time, or the same second. */
function timePrinter(): (text: string) => string {
  let second = "";
  let date = "";
  let last = { text: "", printed: "" };
  const print = (text: string) => {
    if (!isDigits(text) || text.startsWith("-")) return text;
    const digits = text.padStart(10, "0");
    const whole = digits.slice(0, -9);
    if (whole !== second) {
      const milliseconds = Number(whole) * 1000;
      // A time that RFC 3339 cannot express stays as it is.
      if (milliseconds > Date.parse("9999-12-31T23:59:59Z")) return text;
      second = whole;
      date = new Date(milliseconds).toISOString().slice(0, -5);
    }
    return `${date}.${digits.slice(-9)}Z`;
  };
  return (text) => {
    if (text !== last.text) last = { text, printed: print(text) };
    return last.printed;
  };
}

/** The text of a member, as the node sent it: empty if it is absent or `null`, JSON if it is an object or an array. */
export function wireText(record: WireRecord, { name }: Column): string {
  const value = record[name];
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** The text of a member as a cell of a table. */
export const cellText = (record: WireRecord, column: Column): string => column.print(wireText(record, column));
