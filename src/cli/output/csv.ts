import type { ColumnKind } from "../operation-texts.js";
import { type Column, cellText, type WireRecord } from "./columns.js";

/**
 * Where a spreadsheet can find a formula, behind apostrophes that were added or typed: at the beginning of a cell, which is also
 * behind `;`, `|`, a tab or a line break if it divides rows there, as it does in some languages.
 */
const formula = /(?<=^|[;|\t\r\n])( *)('*)(?=[=+\-@\t\r\n＝＋－＠])/g;
const guarded = /(?<=^|[;|\t\r\n])( *)'('*)(?=[=+\-@\t\r\n＝＋－＠])/g;
/** Most cells have none of these characters there: looking for a formula takes longer. */
const suspect = /^[ '=+\-@\t\r\n＝＋－＠]|[;|\t\r\n]/;
/** Numbers and base64 can begin with such a character, and run nothing. */
const harmless = /^(?:-?\d+(?:\.\d+)?|[\w+/]*={0,2})$/;
/** The same in JSON, in which other characters do not follow each other outside of a text. */
const formulaInJson = /(?<=[;|] *'*)[=+\-@＝＋－＠]/g;

/** An apostrophe makes a spreadsheet show a formula as text. In JSON, an escape does. */
function guard(text: string, kind: ColumnKind): string {
  if (!suspect.test(text)) return text;
  if (kind === "json") return text.replaceAll(formulaInJson, (character) => escapeInJson(character));
  return kind !== "text" && harmless.test(text) ? text : text.replaceAll(formula, "$1'$2");
}

const escapeInJson = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function unguard(cell: string, kind: ColumnKind): string {
  if (kind === "json") return cell === "" ? cell : JSON.stringify(JSON.parse(cell));
  return cell.includes("'") ? cell.replaceAll(guarded, "$1$2") : cell;
}

const quoteIfNeeded = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A text as a cell of CSV. */
export const csvCell = (text: string, kind: ColumnKind): string => quoteIfNeeded(guard(text, kind));

/** A row of CSV as in RFC 4180, with the line break. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(quoteIfNeeded).join(",")}\r\n`;

/** @param show - Applied to the text of each cell. */
export function csvLine(
  record: WireRecord,
  columns: readonly Column[],
  show: (text: string) => string = (text) => text,
): string {
  return csvRow(columns.map((column) => guard(show(cellText(record, column)), column.kind)));
}

/** The texts that the node sent, of a row without its line break. `undefined` if it is not a row of these columns. */
export function parseCsvLine(line: string, columns: readonly Column[]): string[] | undefined {
  const cells = splitRow(line);
  if (cells?.length !== columns.length) return undefined;
  return columns.map(({ kind, parse }, index) => {
    const cell = cells[index] ?? "";
    return parse(unguard(cell, kind));
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
