import type { FormatName } from "../flags.js";
import type { Column } from "../output/columns.js";
import { csvRow, parseCsvLine } from "../output/csv.js";
import { parseNdjsonLine } from "../output/ndjson.js";
import { type Compression, readContent } from "./compression.js";

/** A file of records. */
export interface RecordFile {
  readonly path: string;
  readonly format: FormatName;
  readonly compression: Compression | undefined;
  readonly columns: readonly Column[];
}

/** A record of a file. */
export interface FileRecord {
  /** The number of its first line, counted from 1. */
  readonly line: number;
  /** The texts of the columns, as the node sent them; `undefined` if the line is not a record of these columns. */
  readonly texts: readonly string[] | undefined;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines of a text, with their line breaks. What follows the last line break is a line, too. */
async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Line, undefined, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 1;
  for await (const chunk of content) {
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let index = bytes.indexOf(0x0a); index !== -1; index = bytes.indexOf(0x0a, start)) {
      const text = bytes.toString("utf8", start, index + 1);
      start = index + 1;
      yield { number: number++, text };
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) yield { number, text: rest.toString("utf8") };
  return undefined;
}

/** A quote that is never closed must not take the rest of a large file into memory. */
const longestRow = 1024 * 1024;

/** Joins lines of CSV whose line break is inside of a quoted cell. */
async function* rowsOf(lines: AsyncIterable<Line>): AsyncGenerator<Line, undefined, undefined> {
  let open: Line | undefined;
  for await (const line of lines) {
    const row: Line = open === undefined ? line : { number: open.number, text: open.text + line.text };
    open = row.text.length < longestRow && hasOpenQuote(row.text) ? row : undefined;
    if (open === undefined) yield row;
  }
  if (open !== undefined) yield open;
  return undefined;
}

const hasOpenQuote = (text: string) => text.includes('"') && (text.match(/"/g) ?? []).length % 2 === 1;

/** The head of a file of this format. */
export const headOf = (format: FormatName, columns: readonly Column[]): string =>
  format === "csv" ? csvRow(columns.map(({ name }) => name)) : "";

/**
 * The records of a file, in bounded memory.
 *
 * @param size - How many bytes of the file are read. Default: all.
 */
export async function* recordsOf(
  { path, format, compression, columns }: RecordFile,
  size?: number,
): AsyncGenerator<FileRecord, undefined, undefined> {
  const isCsv = format === "csv";
  const head = headOf(format, columns);
  const lines = linesOf(readContent(path, compression, size));
  for await (const { number, text } of isCsv ? rowsOf(lines) : lines) {
    if (isCsv && number === 1 && text === head) continue;
    yield { line: number, texts: number === 1 && isCsv ? undefined : parseLine(text, isCsv, columns) };
  }
  return undefined;
}

function parseLine(line: string, isCsv: boolean, columns: readonly Column[]): string[] | undefined {
  const end = isCsv ? "\r\n" : "\n";
  // A file that was written for another system has other line breaks.
  if (!line.endsWith(end) || (!isCsv && line.endsWith("\r\n"))) return undefined;
  try {
    return (isCsv ? parseCsvLine : parseNdjsonLine)(line.slice(0, -end.length), columns);
  } catch {
    return undefined;
  }
}
