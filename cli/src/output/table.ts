import stringWidth from "string-width";
import { printable } from "../io.js";
import { type Column, cellText, type Encoder, type WireRecord } from "./cells.js";

/** How many rows are known before the widths of the columns are decided. */
const sampleSize = 100;
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

/** A table with a bold head. Its columns are as wide as the first rows need; a later row can be wider. */
export function table(columns: readonly Column[], options: TableOptions): Encoder {
  const { bold, width = Number.POSITIVE_INFINITY, isShort = false, onHidden } = options;
  let sample: string[][] = [];
  let widths: number[] | undefined;

  const cellsOf = (record: WireRecord) =>
    columns.map((column) => {
      const text = printable(cellText(record, column));
      return isShort && (column.kind === "text" || column.kind === "exact") ? shorten(text) : text;
    });

  const row = (cells: readonly string[], shown: number[]) =>
    shown
      .map((_, index) => {
        const text = cells[index] ?? "";
        const textWidth = stringWidth(text);
        const cellWidth = Math.max(shown[index] ?? 0, textWidth);
        shown[index] = cellWidth;
        const space = " ".repeat(cellWidth - textWidth);
        return columns[index]?.kind === "amount" ? space + text : text + space;
      })
      .join(gap)
      .trimEnd();

  /** Decides which columns are shown, and how wide they are. */
  function fit(rows: readonly (readonly string[])[]): number[] {
    const all = columns.map((_, index) => Math.max(...rows.map((cells) => stringWidth(cells[index] ?? ""))));
    const shown = all.findIndex((_, index) => rowWidth(all.slice(0, index + 1)) > width);
    if (shown <= 0) return all;
    onHidden?.(columns.slice(shown).map(({ name }) => name));
    return all.slice(0, shown);
  }

  function flush(): string {
    if (sample.length === 0) return "";
    const rows = sample;
    sample = [];
    const names = columns.map(({ name }) => name);
    const isFirst = widths === undefined;
    widths ??= fit([names, ...rows]);
    const shown = widths;
    const head = isFirst ? `${bold(row(names, shown))}\n` : "";
    return head + rows.map((cells) => `${row(cells, shown)}\n`).join("");
  }

  return {
    head: "",
    encode(record) {
      sample.push(cellsOf(record));
      return widths === undefined && sample.length < sampleSize ? "" : flush();
    },
    flush,
    end: flush,
  };
}

const rowWidth = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each + gap.length, -gap.length);

/** An id, a hash or a signature with its first and last four characters. */
const shorten = (text: string): string =>
  /^[\w+/=-]{32,}$/.test(text) ? `${text.slice(0, 4)}…${text.slice(-4)}` : text;
