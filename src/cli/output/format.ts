import { styleText } from "node:util";
import { type NamedContent, readSuffixes, type Target } from "../files/target.js";
import type { Values } from "../flag-values.js";
import { type FormatName, formats } from "../flags.js";
import { hasColors, type Io } from "../io.js";
import type { Column, WireRecord } from "./columns.js";
import { csvLine, csvRow } from "./csv.js";
import { jsonOf } from "./ndjson.js";
import { printable, printableJson } from "./printable.js";
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
  // A file has the data as it is.
  const isTerminal = !isFile && io.stdout.isTTY === true;
  const json = (record: WireRecord) => (isTerminal ? printableJson : asIs)(jsonOf(record, columns));
  switch (name) {
    case "csv":
      return {
        head: csvRow(columns.map((column) => column.name)),
        line: (record) => csvLine(record, columns, isTerminal ? printable : asIs),
        ...nothingHeld,
      };
    case "ndjson":
      return { head: "", line: (record) => `${json(record)}\n`, ...nothingHeld };
    case "json":
      return jsonArray(json);
    case "table":
      return tableFormat(columns, io, isFile ? undefined : widthOfOutput(io), isFile);
  }
}

const nothingHeld = { flush: () => "", end: () => "" };

const asIs = (text: string) => text;

function jsonArray(json: (record: WireRecord) => string): Format {
  let isEmpty = true;
  return {
    head: "[",
    line(record) {
      const separator = isEmpty ? "\n" : ",\n";
      isEmpty = false;
      return separator + json(record);
    },
    flush: () => "",
    end: () => (isEmpty ? "]\n" : "\n]\n"),
  };
}

/** @param width - How wide a row may be. Absent: of any width. */
export function tableFormat(columns: readonly Column[], io: Io, width?: number, isFile = false): Format {
  const isColored = !isFile && hasColors(io, io.stdout);
  const bold = (text: string) => (isColored ? styleText("bold", text, { validateStream: false }) : text);
  const table = new Table(columns, { width, bold });
  return {
    head: "",
    line: (record: WireRecord) => table.line(record),
    flush: () => table.flush(),
    end: () => table.flush(),
  };
}

/** The width of the terminal; in a pipe, `COLUMNS` sets it. */
function widthOfOutput({ stdout, env }: Io): number | undefined {
  if (stdout.isTTY === true) return stdout.columns;
  const width = Number(env["COLUMNS"]);
  return width > 0 ? width : undefined;
}
