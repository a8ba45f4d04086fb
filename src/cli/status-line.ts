import type { Io } from "./io.js";
import { printable } from "./output/printable.js";

/** One line at the end of a terminal, which is overwritten. */
export class StatusLine {
  readonly #stderr: Io["stderr"];
  readonly #isShown: boolean;
  #hasLine = false;

  /** @param isWanted - Whether it is shown if stderr is a terminal. */
  constructor({ stderr }: Io, isWanted: boolean) {
    this.#stderr = stderr;
    this.#isShown = isWanted && stderr.isTTY === true;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  show(text: string): void {
    if (!this.#isShown) return;
    this.#stderr.write(`\r\x1b[K${printable(text).slice(0, (this.#stderr.columns ?? 80) - 1)}`);
    this.#hasLine = true;
  }

  /** Removes the line. */
  clear(): void {
    if (this.#hasLine) this.#stderr.write("\r\x1b[K");
    this.#hasLine = false;
  }
}
