import { ignore } from "../async/item-iterator.js";
import type { Block } from "../http/block.js";

/** What a scan or a loop over a listing has read: every record from `start` to `end`, in Unix nanoseconds. The end does not belong to it. */
export interface Coverage {
  /**
   * The time from which on no record is missing. It is later than the start of the range if the responses do not show more: a node that
   * keeps a part of the history does not return the rest, and a list whose first record is later does not show that nothing is missing.
   */
  readonly start: bigint;
  /** `undefined` if a response came without block headers, so that nothing shows how far the node had come. */
  readonly end: bigint | undefined;
  /** The newest block of the responses; `undefined` if they had no block headers. */
  readonly block: Block | undefined;
}

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
