import { styleText } from "node:util";
import { hasColors, type Io } from "./io.js";

/** Names with their texts. */
export type Rows = readonly (readonly [name: string, text: string])[];

/** Arranges sections in the width of the terminal. */
export class Layout {
  readonly #width: number;
  readonly #bold: (text: string) => string;
  readonly #blocks: string[] = [];

  constructor(io: Io) {
    const { stdout, env } = io;
    const width = (stdout.isTTY ? stdout.columns : Number(env["COLUMNS"])) || 100;
    this.#width = Math.min(100, Math.max(40, width));
    this.#bold = (text) => (hasColors(io, stdout) ? styleText("bold", text, { validateStream: false }) : text);
  }

  text(text: string): void {
    this.#blocks.push(this.#wrap(text, "").join("\n"));
  }

  section(title: string, lines: readonly string[]): void {
    this.#blocks.push([this.#bold(title), ...lines.map((line) => `  ${line}`)].join("\n"));
  }

  /** Commands of the program, which can be copied: one that is too long has several lines. */
  commands(title: string, commands: readonly string[]): void {
    const lines = commands.flatMap((command) => {
      // A flag stays with its value.
      const words = `vegaprotocol-client ${command}`.split(/ (?=-)/);
      const found: string[] = [];
      for (const word of words) {
        const last = found.at(-1);
        if (last === undefined) found.push(`$ ${word}`);
        else if (last.length + word.length + 5 <= this.#width) found[found.length - 1] = `${last} ${word}`;
        else found.push(`    ${word}`);
      }
      return found.map((line, index) => (index < found.length - 1 ? `${line} \\` : line));
    });
    this.section(title, lines);
  }

  table(title: string, rows: Rows): void {
    if (rows.length === 0) return;
    const column = Math.min(28, Math.max(...rows.map(([name]) => name.length + 4)), Math.floor(this.#width / 3));
    const lines = rows.flatMap(([name, text]) => {
      const [first = "", ...others] = this.#wrap(text, " ".repeat(column));
      return name.length + 4 > column
        ? [name, first.slice(2), ...others.map((line) => line.slice(2))]
        : [name.padEnd(column - 2) + first.trimStart(), ...others.map((line) => line.slice(2))];
    });
    this.section(title, lines);
  }

  end(): string {
    return `${this.#blocks.join("\n\n")}\n`;
  }

  #wrap(text: string, indent: string): string[] {
    const lines: string[] = [];
    let line = "";
    for (const word of text.split(" ")) {
      if (line !== "" && indent.length + line.length + word.length + 1 > this.#width) {
        lines.push(indent + line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, indent + line];
  }
}
