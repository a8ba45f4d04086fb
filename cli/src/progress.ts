import { count, type Io, isTerminal, printable, widthOf } from "./io.js";
import { describeDuration } from "./times.js";

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

/** The range of time that is read, in Unix nanoseconds. */
export interface ProgressRange {
  readonly start: bigint | undefined;
  readonly end: bigint;
  readonly isNewestFirst: boolean;
}

/** One line on a terminal that shows how far a command is. */
export class Progress {
  readonly #now: () => number;
  readonly #line: StatusLine;
  readonly #range: ProgressRange | undefined;
  readonly #startedAt: number;
  #printedAt: number;
  #first: bigint | undefined;

  constructor(io: Io, isWanted: boolean, range?: ProgressRange) {
    this.#now = io.now;
    this.#line = new StatusLine(io, isWanted);
    this.#range = range;
    this.#startedAt = io.now();
    this.#printedAt = this.#startedAt;
  }

  /**
   * Reports how many records were read.
   *
   * @param time - The time of the last record in Unix nanoseconds.
   */
  update(records: number, time: unknown): void {
    // Looking at the clock for each record takes longer than everything else here.
    if (!this.#line.isShown || (records > 1 && records % 64 !== 0)) return;
    const position = typeof time === "string" && /^\d+$/.test(time) ? BigInt(time) : undefined;
    this.#first ??= position;
    const now = this.#now();
    if (now - this.#printedAt < interval) return;
    this.#printedAt = now;
    const seconds = (now - this.#startedAt) / 1000;
    const texts = [count(records, "record"), `${Math.round(records / seconds).toLocaleString("en")}/s`];
    const share = position === undefined ? undefined : this.#shareOf(position);
    if (share !== undefined) texts.push(`${Math.floor(100 * share)} %`);
    if (share) texts.push(`${describeDuration((1000 * seconds * (1 - share)) / share)} left`);
    this.#line.show(texts.join(", "));
  }

  clear(): void {
    this.#line.clear();
  }

  /** The part of the range that was read, from 0 to 1. */
  #shareOf(position: bigint): number | undefined {
    if (this.#range === undefined) return undefined;
    const { isNewestFirst, end } = this.#range;
    const start = this.#range.start ?? (isNewestFirst ? undefined : this.#first);
    if (start === undefined || start >= end) return undefined;
    const read = isNewestFirst ? end - position : position - start;
    return Math.min(1, Math.max(0, Number(read) / Number(end - start)));
  }
}
