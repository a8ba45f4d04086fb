import { styleText } from "node:util";
import { type NamedContent, readSuffixes, type Target } from "../files/target.js";
import type { Values } from "../flag-values.js";
import { type FormatName, formats } from "../flags.js";
import { hasColors, type Io } from "../io.js";
import type { Column, WireRecord } from "./columns.js";
import { csvLine, csvRow } from "./csv.js";
import { jsonOf, ndjsonLine } from "./ndjson.js";
import { Table } from "./table.js";

/** Turns records into text. */
export interface Format {
  readonly head: string;
  line(record: WireRecord): string;
  /** What a format holds back until it knows further records. */
  flush(): string;
  /** What follows the last record. */
  end(): string;
}

/** The format that the user chose, or that of the terminal or of the pipe. */
export const readFormat = (values: Values, { stdout }: Io): FormatName =>
  values.choice("format", formats) ?? (stdout.isTTY === true ? "table" : "ndjson");

/** What is written to stdout, or to a file. */
export function readOutput(values: Values, io: Io, target: Target | undefined): NamedContent & { format: FormatName } {
  if (target === undefined) return { format: readFormat(values, io), compression: undefined };
  const { format, compression } = readSuffixes(target, values.choice("format", formats));
  return { format: format ?? "ndjson", compression };
}

export function createFormat(name: FormatName, columns: readonly Column[], io: Io, isFile: boolean): Format {
  switch (name) {
    case "csv":
      return {
        head: csvRow(columns.map((column) => column.name)),
        line: (record) => csvLine(record, columns),
        ...nothingHeld,
      };
    case "ndjson":
      return { head: "", line: (record) => ndjsonLine(record, columns), ...nothingHeld };
    case "json":
      return jsonArray(columns);
    case "table":
      return { head: "", ...tableFormat(columns, io, isFile) };
  }
}

const nothingHeld = { flush: () => "", end: () => "" };

function jsonArray(columns: readonly Column[]): Format {
  let isEmpty = true;
  return {
    head: "[",
    line(record) {
      const separator = isEmpty ? "\n" : ",\n";
      isEmpty = false;
      return separator + jsonOf(record, columns);
    },
    flush: () => "",
    end: () => (isEmpty ? "]\n" : "\n]\n"),
  };
}

function tableFormat(columns: readonly Column[], io: Io, isFile: boolean) {
  const isColored = !isFile && hasColors(io, io.stdout);
  const bold = (text: string) => (isColored ? styleText("bold", text, { validateStream: false }) : text);
  const table = new Table(columns, { width: isFile ? undefined : widthOfOutput(io), bold });
  return { line: (record: WireRecord) => table.line(record), flush: () => table.end(), end: () => table.end() };
}

/** The width of the terminal; in a pipe, `COLUMNS` sets it. */
function widthOfOutput({ stdout, env }: Io): number | undefined {
  if (stdout.isTTY === true) return stdout.columns;
  const width = Number(env["COLUMNS"]);
  return width > 0 ? width : undefined;
}
