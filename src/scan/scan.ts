import type { BalanceChange } from "../../generated/types.js";
import { ItemIterator } from "../pagination/item-iterator.js";
import type { ScanWalkOptions } from "./scan-options.js";
import { ScanRun, type ScanSource } from "./scan-run.js";

/**
 * All records in a range of time. Nothing is sent before it is used, and each loop is a scan of its own.
 *
 * A scan yields every record of the range exactly once, in order of time, also on nodes whose pages lose records. How much
 * is prefetched is bounded, however slow the caller is. A {@link VegaError} that ends a scan has `resume`, the `dateRange` of
 * what was not yielded.
 */
export interface Scan<T> extends AsyncIterable<T> {
  /** Every record in order of time. Concurrent calls of `next()` are resolved in order. */
  [Symbol.asyncIterator](): AsyncGenerator<T, undefined, undefined>;
  /** Every record in an array. `maxItems` bounds it. */
  toArray(): Promise<T[]>;
}

/** A scan of a range of time. */
export function scan(source: ScanSource, options: ScanWalkOptions = {}): Scan<BalanceChange> {
  const records = () => new ScanIterator(source, options);
  return {
    [Symbol.asyncIterator]: records,
    toArray: () => records().drain(),
  };
}

class ScanIterator extends ItemIterator<BalanceChange> {
  readonly #source: ScanSource;
  readonly #options: ScanWalkOptions;
  readonly #controller = new AbortController();
  #run: ScanRun | undefined;

  constructor(source: ScanSource, options: ScanWalkOptions) {
    super();
    this.#source = source;
    this.#options = options;
  }

  protected override async more(): Promise<readonly BalanceChange[] | undefined> {
    this.#run ??= this.#open();
    try {
      return await this.#run.next();
    } catch (error) {
      this.#controller.abort(error);
      throw error;
    }
  }

  protected override cancel(): void {
    super.cancel();
    this.#controller.abort();
  }

  #open(): ScanRun {
    // This comes first, because it checks the options.
    const run = new ScanRun(this.#source, this.#options, this.#controller);
    this.limit(this.#options.maxItems, this.#options.signal);
    return run;
  }
}
