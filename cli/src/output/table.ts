import stringWidth from "string-width";
import { printable } from "../io.js";
import { type Column, cellText, type Encoder, type WireRecord } from "./columns.js";

const gap = "  ";

export interface TableOptions {
  readonly bold: (text: string) => string;
  /** How wide a row may be: columns at the end that do not fit are left out. Default: any width. */
  readonly width?: number | undefined;
  /** Whether ids are shortened in the middle. */
  readonly isShort?: boolean;
  /** Called with the names of columns that are left out. */
  readonly onHidden?: (names: readonly string[]) => void;
}

/** A table with a bold head. Its columns are as wide as the rows of the first batch need; a later row can be wider. */
export function table(columns: readonly Column[], options: TableOptions): Encoder {
  const { bold, width = Number.POSITIVE_INFINITY, isShort = false, onHidden } = options;
  const names = columns.map(({ name }) => name);
  let widths: number[] | undefined;

  const cellsOf = (record: WireRecord) =>
    columns.map((column) => {
      const text = printable(cellText(record, column));
      return isShort && (column.kind === "text" || column.kind === "exact") ? shorten(text) : text;
    });

  /** Decides which columns are shown, and how wide they are. */
  function fit(rows: readonly (readonly string[])[]): number[] {
    const all = names.map((_, index) => Math.max(...rows.map((cells) => stringWidth(cells[index] ?? ""))));
    const shown = all.findIndex((_, index) => rowWidth(all.slice(0, index + 1)) > width);
    if (shown <= 0) return all;
    onHidden?.(names.slice(shown));
    return all.slice(0, shown);
  }

  const row = (cells: readonly string[], shown: number[]) =>
    shown
      .map((cellWidth, index) => {
        const text = cells[index] ?? "";
        shown[index] = Math.max(cellWidth, stringWidth(text));
        const space = " ".repeat(shown[index] - stringWidth(text));
        return columns[index]?.kind === "amount" ? space + text : text + space;
      })
      .join(gap)
      .trimEnd();

  return {
    head: "",
    encode(records) {
      if (records.length === 0) return "";
      const rows = records.map(cellsOf);
      const isFirst = widths === undefined;
      widths ??= fit([names, ...rows]);
      const shown = widths;
      return (isFirst ? `${bold(row(names, shown))}\n` : "") + rows.map((cells) => `${row(cells, shown)}\n`).join("");
    },
    end: () => "",
  };
}

const rowWidth = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each + gap.length, -gap.length);

/** An id, a hash or a signature with its first and last four characters. */
const shorten = (text: string): string =>
  /^[\w+/=-]{32,}$/.test(text) ? `${text.slice(0, 4)}…${text.slice(-4)}` : text;
