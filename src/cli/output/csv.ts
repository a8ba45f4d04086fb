import { type Column, cellText, type WireRecord } from "./columns.js";

/** What a spreadsheet runs as a formula, also behind apostrophes that were added or typed. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** A cell of free text. A leading apostrophe makes a spreadsheet show a formula as text. */
const guard = (text: string) => (formula.test(text) ? `'${text}` : text);
const unguard = (text: string) => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);

const quoteIfNeeded = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A row of CSV as in RFC 4180, with the line break. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(quoteIfNeeded).join(",")}\r\n`;

export function csvLine(record: WireRecord, columns: readonly Column[]): string {
  return csvRow(
    columns.map((column) => {
      const text = cellText(record, column);
      return column.kind === "text" ? guard(text) : text;
    }),
  );
}

/** The texts that the node sent, of a row without its line break. `undefined` if it is not a row of these columns. */
export function parseCsvLine(line: string, columns: readonly Column[]): string[] | undefined {
  const cells = splitRow(line);
  if (cells?.length !== columns.length) return undefined;
  return columns.map(({ kind, parse }, index) => {
    const cell = cells[index] ?? "";
    return parse(kind === "text" ? unguard(cell) : cell);
  });
}

function splitRow(line: string): string[] | undefined {
  if (!line.includes('"')) return line.split(",");
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const match = cell.exec(line);
    if (match === null) return undefined;
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "") return cells;
  }
}
