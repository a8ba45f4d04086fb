import { escapeInJson } from "../io.js";
import type { ColumnKind } from "../operations.js";
import { type Column, cellText, type Encoder, type WireRecord } from "./columns.js";

/**
 * The places where a spreadsheet can find a formula, also after apostrophes: at the start of a cell, and after
 * `;`, `|`, a tab or a line break, which divide cells in some languages.
 */
const formula = /(?<=^|[;|\t\r\n])( *)('*)(?=[=+\-@\t\r\n＝＋－＠])/g;
/** Most cells have none of these characters there: looking for a formula takes longer. */
const suspect = /^[ '=+\-@\t\r\n＝＋－＠]|[;|\t\r\n]/;
/** Numbers and base64 can begin with such a character, and run nothing. */
const harmless = /^(?:-?\d+(?:\.\d+)?|[\w+/]*={0,2})$/;
/**
 * The same in JSON, in which other characters do not follow each other outside of a text. A pattern that begins with
 * the lookbehind takes quadratic time for many spaces.
 */
const formulaInJson = /[=+\-@＝＋－＠](?<=[;|] *'*.)/g;

/** An apostrophe makes a spreadsheet show a formula as text. In JSON, an escape does. */
function guard(text: string, kind: ColumnKind): string {
  if (!suspect.test(text)) return text;
  if (kind === "json") return text.replaceAll(formulaInJson, escapeInJson);
  return kind !== "text" && harmless.test(text) ? text : text.replaceAll(formula, "$1'$2");
}

const quoteIfNeeded = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** CSV by RFC 4180, with a header. */
export const csv = (columns: readonly Column[], show = (text: string) => text): Encoder => {
  const line = (cells: readonly string[]) => `${cells.map(quoteIfNeeded).join(",")}\r\n`;
  const cellsOf = (record: WireRecord) => columns.map((column) => guard(show(cellText(record, column)), column.kind));
  return {
    head: columns.length > 0 ? line(columns.map(({ name }) => guard(show(name), "text"))) : "",
    encode: (records) => records.map((record) => line(cellsOf(record))).join(""),
    end: () => "",
  };
};
