/** What a terminal shows while a command runs. */
import { count, type Io, isTerminal, printable, widthOf } from "./io.js";
import { formatTime } from "./output/cells.js";

/** One line at the end of a terminal, which is overwritten. */
export class StatusLine {
  readonly #stderr: Io["stderr"];
  readonly isShown: boolean;
  #hasLine = false;

  /** @param isWanted - Whether it is shown if stderr is a terminal. */
  constructor(io: Io, isWanted: boolean) {
    this.#stderr = io.stderr;
    this.isShown = isWanted && isTerminal(io, io.stderr);
  }

  show(text: string): void {
    if (!this.isShown) return;
    this.#stderr.write(`\r\x1b[K${printable(text).slice(0, widthOf(this.#stderr) - 1)}`);
    this.#hasLine = true;
  }

  clear(): void {
    if (this.#hasLine) this.#stderr.write("\r\x1b[K");
    this.#hasLine = false;
  }
}

/** How often the line is printed again, in milliseconds. */
const interval = 200;

/** How far a command that reads many records is. */
export class Progress {
  readonly #now: () => number;
  readonly #line: StatusLine;
  readonly #startedAt: number;
  #printedAt: number;

  constructor(io: Io, isWanted: boolean) {
    this.#now = io.now;
    this.#line = new StatusLine(io, isWanted);
    this.#startedAt = io.now();
    this.#printedAt = this.#startedAt;
  }

  /** @param time - The time of the last record in Unix nanoseconds, if it has one. */
  update(records: number, time: unknown): void {
    if (!this.#line.isShown) return;
    const now = this.#now();
    if (now - this.#printedAt < interval) return;
    this.#printedAt = now;
    const rate = Math.round((1000 * records) / (now - this.#startedAt)).toLocaleString("en");
    const place = typeof time === "string" ? `, at ${formatTime(time).slice(0, 19)}Z` : "";
    this.#line.show(`${count(records, "record")}, ${rate}/s${place}`);
  }

  clear(): void {
    this.#line.clear();
  }
}
