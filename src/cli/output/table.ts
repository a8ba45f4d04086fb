import { type Column, cellText, type WireRecord } from "./columns.js";
import { printable } from "./printable.js";
import { pad, widthOf } from "./width.js";

/** How many rows are known before the widths of the columns are guessed. */
const sampleSize = 100;

export interface TableOptions {
  /** How many characters a line of the terminal has. Absent: lines have any length. */
  readonly width: number | undefined;
  readonly bold: (text: string) => string;
}

/**
 * Prints records as a table. No value is cut and no column is left out: if the first rows are too wide for the terminal, each
 * record is a block with a line for each value.
 */
export class Table {
  readonly #columns: readonly Column[];
  readonly #options: TableOptions;
  #sample: string[][] = [];
  /** The widths of the columns, which later rows can widen; empty if each record is a block. */
  #widths: number[] | undefined;
  #blocks = 0;

  constructor(columns: readonly Column[], options: TableOptions) {
    this.#columns = columns;
    this.#options = options;
  }

  /** Adds a record. Returns what to print, which is nothing while the widths are not known. */
  line(record: WireRecord): string {
    this.#sample.push(this.#columns.map((column) => printable(cellText(record, column))));
    return this.#widths === undefined && this.#sample.length < sampleSize ? "" : this.flush();
  }

  /** Returns the rows that were not printed yet. */
  flush(): string {
    const rows = this.#sample;
    if (rows.length === 0) return "";
    this.#sample = [];
    const isFirst = this.#widths === undefined;
    const names = this.#columns.map(({ name }) => name);
    this.#widths ??= this.#fit([names, ...rows]);
    const widths = this.#widths;
    if (widths.length === 0) return rows.map((cells) => this.#block(cells)).join("");
    const head = isFirst ? this.#row(names, widths, this.#options.bold) : "";
    return head + rows.map((cells) => this.#row(cells, widths)).join("");
  }

  /** The widths of the columns; none if they are wider than the terminal. */
  #fit(rows: readonly (readonly string[])[]): number[] {
    const { width = Number.POSITIVE_INFINITY } = this.#options;
    const widths = this.#columns.map((_, index) => Math.max(...rows.map((cells) => widthOf(cells[index] ?? ""))));
    const total = widths.reduce((sum, each) => sum + each + gap.length, -gap.length);
    return total <= width ? widths : [];
  }

  #row(cells: readonly string[], widths: number[], style = (text: string) => text): string {
    const texts = cells.map((text, index) => {
      widths[index] = Math.max(widths[index] ?? 0, widthOf(text));
      return pad(text, widths[index], this.#columns[index]?.kind === "amount" ? "start" : "end");
    });
    return `${style(texts.join(gap).trimEnd())}\n`;
  }

  #block(cells: readonly string[]): string {
    const { bold, width = 80 } = this.#options;
    const longest = Math.max(...this.#columns.map(({ name }) => name.length));
    const lines = this.#columns.map(({ name }, index) => `${bold(pad(name, longest, "end"))}${gap}${cells[index]}`);
    const title = `-- ${++this.#blocks} `.padEnd(Math.min(width, longest + 40), "-");
    return `${[title, ...lines.map((line) => line.trimEnd())].join("\n")}\n`;
  }
}

const gap = "  ";
