import type { Bytes } from "./bytes.js";
import type { Column, WireRecord } from "./columns.js";
import { csvCell } from "./csv.js";

/** The formats of files with a row for each record. */
export type RowFormat = "csv" | "ndjson";

const codeOf = (character: string) => character.charCodeAt(0);
const [quote, comma, colon, lineFeed] = ['"', ",", ":", "\n"].map(codeOf) as [number, number, number, number];
const [openBrace, closeBrace, openBracket, closeBracket] = [..."{}[]"].map(codeOf) as [number, number, number, number];
const carriageReturn = codeOf("\r");

/** The characters that each format writes as they are: 1 anywhere, 2 behind the first one. */
const plain = new Uint8Array(128);
for (let code = 0; code < plain.length; code++) {
  const character = String.fromCharCode(code);
  if (/\w/.test(character)) plain[code] = 1;
  else if (/[-+:./= ]/.test(character)) plain[code] = 2;
}

/** Writes records as rows of bytes, together with their canonical lines. Most texts need no escape, and are copied. */
export class RowEncoder {
  readonly #format: RowFormat;
  readonly #columns: readonly Column[];
  readonly #rows: Bytes;
  readonly #lines: Bytes;

  /**
   * @param rows - Where rows are added.
   * @param lines - Where the canonical lines of the same records are added.
   */
  constructor(format: RowFormat, columns: readonly Column[], rows: Bytes, lines: Bytes) {
    this.#format = format;
    this.#columns = columns;
    this.#rows = rows;
    this.#lines = lines;
  }

  add(record: WireRecord): void {
    if (this.#format === "csv") this.#addCsv(record);
    else this.#addNdjson(record);
  }

  #addCsv(record: WireRecord): void {
    const rows = this.#rows;
    let index = 0;
    for (const column of this.#columns) {
      if (index > 0) rows.addByte(comma);
      const value = record[column.name];
      const text = typeof value === "string" ? value : textOf(value);
      this.#addToLine(text, index++);
      const printed = column.print(text);
      if (!rows.addIfAllowed(printed, plain)) rows.addText(csvCell(printed, column.kind));
    }
    rows.addByte(carriageReturn);
    rows.addByte(lineFeed);
    this.#endLine();
  }

  #addNdjson(record: WireRecord): void {
    const rows = this.#rows;
    let separator = openBrace;
    let index = 0;
    for (const column of this.#columns) {
      const value = record[column.name];
      const isText = typeof value === "string";
      const text = isText ? value : textOf(value);
      this.#addToLine(text, index++);
      if (value === undefined) continue;
      rows.addByte(separator);
      separator = comma;
      addJson(rows, column.name);
      rows.addByte(colon);
      if (isText) addJson(rows, column.print(text));
      else rows.addText(JSON.stringify(value));
    }
    if (separator === openBrace) rows.addByte(openBrace);
    rows.addByte(closeBrace);
    rows.addByte(lineFeed);
    this.#endLine();
  }

  #addToLine(text: string, index: number): void {
    this.#lines.addByte(index === 0 ? openBracket : comma);
    addJson(this.#lines, text);
  }

  #endLine(): void {
    this.#lines.addByte(closeBracket);
    this.#lines.addByte(lineFeed);
  }
}

const textOf = (value: unknown) => (value === undefined || value === null ? "" : JSON.stringify(value));

function addJson(bytes: Bytes, text: string): void {
  bytes.addByte(quote);
  if (bytes.addIfAllowed(text, plain)) {
    bytes.addByte(quote);
    return;
  }
  bytes.addText(JSON.stringify(text).slice(1));
}
