import { type Column, cellText, type WireRecord } from "./columns.js";
import { pad, shorten, widthOf } from "./width.js";

/** How many rows decide the widths of the columns. Later rows are printed as they come. */
const sampleSize = 100;

export interface TableOptions {
  /** How many characters a line of the terminal has. Absent: lines have any length. */
  readonly width: number | undefined;
  readonly bold: (text: string) => string;
}

/** Prints records as a table, with the widths of the first rows. */
export class Table {
  readonly #columns: readonly Column[];
  readonly #options: TableOptions;
  #sample: string[][] | undefined = [];
  #layout: { column: Column; index: number; width: number }[] = [];

  constructor(columns: readonly Column[], options: TableOptions) {
    this.#columns = columns;
    this.#options = options;
  }

  /** Adds a record. Returns what to print, which is nothing while the widths are not known. */
  line(record: WireRecord): string {
    const cells = this.#columns.map((column) => printable(cellText(record, column)));
    if (this.#sample === undefined) return this.#row(cells);
    this.#sample.push(cells);
    return this.#sample.length < sampleSize ? "" : this.end();
  }

  /** Returns the rows that were not printed yet. */
  end(): string {
    const rows = this.#sample;
    if (rows === undefined || rows.length === 0) return "";
    this.#sample = undefined;
    this.#layout = layoutOf(this.#columns, rows, this.#options.width);
    const head = this.#row(
      this.#columns.map(({ name }) => name),
      this.#options.bold,
    );
    return head + rows.map((cells) => this.#row(cells)).join("");
  }

  #row(cells: readonly string[], style = (text: string) => text): string {
    const texts = this.#layout.map(({ column, index, width }) => {
      const text = shorten(cells[index] ?? "", width);
      return pad(text, width, isNumber(column) ? "start" : "end");
    });
    return `${style(texts.join("  ").trimEnd())}\n`;
  }
}

const isNumber = ({ kind }: Column) => kind === "amount";

/** Line breaks and control characters of free text would move the cursor of the terminal. */
const printable = (text: string) => text.replaceAll(/\p{Cc}|\p{Bidi_Control}/gu, "�");

/** The columns that have a value, with widths that fit a line: ids are shortened first, then other text. */
function layoutOf(columns: readonly Column[], rows: readonly (readonly string[])[], width: number | undefined) {
  const layout = columns.flatMap((column, index) => {
    const values = Math.max(...rows.map((cells) => widthOf(cells[index] ?? "")));
    return values === 0 ? [] : [{ column, index, width: Math.max(values, widthOf(column.name)) }];
  });
  const space = width === undefined ? Number.POSITIVE_INFINITY : width - 2 * (layout.length - 1);
  const flexible = layout.filter(({ column }) => isFlexible(column));
  for (const group of [flexible.filter((each) => each.width > longestName), flexible]) {
    for (;;) {
      const excess = layout.reduce((sum, each) => sum + each.width, 0) - space;
      const widest = Math.max(...group.map((each) => each.width));
      if (excess <= 0 || widest <= narrowest) break;
      for (const each of group) if (each.width === widest) each.width--;
    }
  }
  return layout;
}

/** Text that is longer than the name of an account type is an id, or as long. */
const longestName = 50;
/** Enough of an id to recognise it. */
const narrowest = 9;
/** Times and amounts are never shortened. */
const isFlexible = ({ kind }: Column) => kind === "text" || kind === "json" || kind === "exact";
