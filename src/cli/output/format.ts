import { styleText } from "node:util";
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
  /** What follows the last record. */
  end(): string;
}

/** The format that the user chose, or that of the suffix of the file, of the terminal or of the pipe. */
export function readFormat(values: Values, { stdout }: Io, file?: string): FormatName {
  const suffix = /\.([a-z]+)$/i.exec(file ?? "")?.[1]?.toLowerCase();
  return (
    values.choice("format", formats) ??
    formats.find((name) => name === suffix || (name === "ndjson" && suffix === "jsonl")) ??
    (file === undefined && stdout.isTTY === true ? "table" : "ndjson")
  );
}

export function createFormat(name: FormatName, columns: readonly Column[], io: Io, isFile: boolean): Format {
  switch (name) {
    case "csv":
      return {
        head: csvRow(columns.map((column) => column.name)),
        line: (record) => csvLine(record, columns),
        end: () => "",
      };
    case "ndjson":
      return { head: "", line: (record) => ndjsonLine(record, columns), end: () => "" };
    case "json":
      return jsonArray(columns);
    case "table":
      return { head: "", ...tableFormat(columns, io, isFile) };
  }
}

function jsonArray(columns: readonly Column[]): Format {
  let isEmpty = true;
  return {
    head: "[",
    line(record) {
      const separator = isEmpty ? "\n" : ",\n";
      isEmpty = false;
      return separator + jsonOf(record, columns);
    },
    end: () => (isEmpty ? "]\n" : "\n]\n"),
  };
}

function tableFormat(columns: readonly Column[], io: Io, isFile: boolean) {
  const isColored = !isFile && hasColors(io, io.stdout);
  const bold = (text: string) => (isColored ? styleText("bold", text, { validateStream: false }) : text);
  const table = new Table(columns, { width: isFile ? undefined : widthOfOutput(io), bold });
  return { line: (record: WireRecord) => table.line(record), end: () => table.end() };
}

/** The width of the terminal; in a pipe, `COLUMNS` sets it. */
function widthOfOutput({ stdout, env }: Io): number | undefined {
  if (stdout.isTTY === true) return stdout.columns;
  const width = Number(env["COLUMNS"]);
  return width > 0 ? width : undefined;
}
