import { ignore } from "../async/item-iterator.js";
import type { Coverage } from "../values/coverage.js";

/** The coverage of the first of several loops, as a promise. */
export class CoveragePromise {
  readonly promise: Promise<Coverage>;
  #settle: CoverageSettler | undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // If the caller does not use it, its rejection must not end the process.
    this.promise.catch(ignore);
  }

  /** Returns what settles the promise to the first caller, and `undefined` to the others. */
  take(): CoverageSettler | undefined {
    const first = this.#settle;
    this.#settle = undefined;
    return first;
  }
}

/** Settles the promise of a coverage. */
export interface CoverageSettler {
  resolve(coverage: Coverage): void;
  reject(error: unknown): void;
}
