import { describeDuration } from "./durations.js";
import type { Io } from "./io.js";
import { StatusLine } from "./status-line.js";

/** How often the line is printed anew, in milliseconds. */
const interval = 200;

/** The range of time that is read, in Unix nanoseconds. */
export interface ProgressRange {
  readonly start: bigint | undefined;
  readonly end: bigint;
  readonly isNewestFirst: boolean;
}

export const count = (number: number): string => number.toLocaleString("en");

/** One line on a terminal that says how far a command is. */
export class Progress {
  readonly #io: Io;
  readonly #line: StatusLine;
  readonly #range: ProgressRange | undefined;
  readonly #startedAt: number;
  #printedAt: number;
  #first: bigint | undefined;

  constructor(io: Io, isWanted: boolean, range?: ProgressRange) {
    this.#io = io;
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
    const now = this.#io.now();
    if (now - this.#printedAt < interval) return;
    this.#printedAt = now;
    const seconds = (now - this.#startedAt) / 1000;
    const texts = [`${count(records)} records`, `${count(Math.round(records / seconds))}/s`];
    const share = position === undefined ? undefined : this.#shareOf(position);
    if (share !== undefined) {
      texts.push(`${Math.floor(100 * share)} %`);
      if (share > 0) texts.push(`${describeDuration((1000 * seconds * (1 - share)) / share)} left`);
    }
    this.#line.show(texts.join(", "));
  }

  /** Removes the line. */
  clear(): void {
    this.#line.clear();
  }

  /** The part of the range that was read, from 0 to 1. */
  #shareOf(position: bigint): number | undefined {
    const range = this.#range;
    if (range === undefined) return undefined;
    const { isNewestFirst, end } = range;
    const start = range.start ?? (isNewestFirst ? undefined : this.#first);
    if (start === undefined || start >= end) return undefined;
    const read = isNewestFirst ? end - position : position - start;
    return Math.min(1, Math.max(0, Number(read) / Number(end - start)));
  }
}
