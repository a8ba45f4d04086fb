import { createReadStream } from "node:fs";
import type { FormatName } from "../flags.js";
import type { Column } from "../output/columns.js";
import { csvRow, parseCsvLine } from "../output/csv.js";
import { parseNdjsonLine } from "../output/ndjson.js";

/** A record of an exported file. */
export interface FileRecord {
  /** The number of its first line, counted from 1. */
  readonly line: number;
  /** The texts of the columns, as the node sent them; `undefined` if the line is not a record of these columns. */
  readonly texts: readonly string[] | undefined;
  /** The position in the file after its line break, in bytes. */
  readonly end: number;
}

interface Line {
  readonly number: number;
  readonly text: string;
  readonly end: number;
}

/** The complete lines of a file, with their line breaks. What follows the last line break is left out. */
async function* linesOf(file: string): AsyncGenerator<Line, undefined, undefined> {
  let rest: Uint8Array = new Uint8Array();
  let [number, position] = [1, 0];
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let index = bytes.indexOf(0x0a); index !== -1; index = bytes.indexOf(0x0a, start)) {
      const text = bytes.toString("utf8", start, index + 1);
      start = index + 1;
      yield { number: number++, text, end: position + start };
    }
    position += start;
    rest = bytes.subarray(start);
  }
  return undefined;
}

/** A quote that is never closed must not take the rest of a large file into memory. */
const longestRow = 1024 * 1024;

/** Joins lines of CSV whose line break is inside of a quoted cell. */
async function* rowsOf(lines: AsyncIterable<Line>): AsyncGenerator<Line, undefined, undefined> {
  let open: Line | undefined;
  for await (const line of lines) {
    const row: Line = open === undefined ? line : { ...line, number: open.number, text: open.text + line.text };
    open = row.text.length < longestRow && hasOpenQuote(row.text) ? row : undefined;
    if (open === undefined) yield row;
  }
  return undefined;
}

const hasOpenQuote = (text: string) => text.includes('"') && (text.match(/"/g) ?? []).length % 2 === 1;

/** The head of a file of this format. */
export const headOf = (format: FormatName, columns: readonly Column[]): string =>
  format === "csv" ? csvRow(columns.map(({ name }) => name)) : "";

/**
 * The complete records of an exported file, in bounded memory.
 *
 * @throws if the file begins with another head.
 */
export async function* recordsOf(
  file: string,
  format: FormatName,
  columns: readonly Column[],
): AsyncGenerator<FileRecord, undefined, undefined> {
  const isCsv = format === "csv";
  const head = headOf(format, columns);
  for await (const { number, text, end } of isCsv ? rowsOf(linesOf(file)) : linesOf(file)) {
    if (number > 1 || !isCsv) {
      yield { line: number, texts: parseLine(text, isCsv, columns), end };
    } else if (text !== head) {
      throw new Error(
        `Expected ${file} to begin with ${JSON.stringify(head.trimEnd())}, got ${JSON.stringify(text.trimEnd())}.`,
      );
    }
  }
  return undefined;
}

function parseLine(line: string, isCsv: boolean, columns: readonly Column[]): string[] | undefined {
  try {
    return isCsv
      ? line.endsWith("\r\n")
        ? parseCsvLine(line.slice(0, -2), columns)
        : undefined
      : parseNdjsonLine(line, columns);
  } catch {
    return undefined;
  }
}
