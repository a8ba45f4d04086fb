import type { BalanceChange } from "../../generated/types.js";
import { untilAborted } from "../async/abort.js";
import { ItemIterator } from "../async/item-iterator.js";
import { annotate, VegaError } from "../errors/index.js";
import { CoveragePromise, type CoverageSettler } from "../evidence/coverage.js";
import type { Coverage } from "../values/coverage.js";
import type { ScanSettings } from "./scan-options.js";
import type { ScanRun } from "./scan-run.js";

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
  /**
   * What the first loop over the scan has read, once it has ended. If `break` or `maxItems` ends it, that is less: it ends before the
   * time of the last record, of which more can follow. It rejects with the error that ends the loop.
   *
   * @example
   * ```ts
   * const scan = client.scanBalanceChanges({ dateRange: { startTimestamp: new Date("2024-02-01") } });
   * const changes = await scan.toArray();
   * const { end, block } = await scan.coverage;
   * console.log(`${changes.length} changes before ${end}, of block ${block?.height}`);
   * ```
   */
  readonly coverage: Promise<Coverage>;
}

/** The checked options of a scan, and how it begins. */
export interface ScanRequest {
  options: ScanSettings;
  /** @param controller - Ends every request of the scan. */
  open(controller: AbortController): Promise<ScanRun>;
}

/**
 * A scan of a range of time.
 *
 * @param read - Returns what was requested, or throws what is wrong with it. Called when the scan is used.
 */
export function scan(read: () => ScanRequest): Scan<BalanceChange> {
  const coverage = new CoveragePromise();
  const records = () => new ScanIterator(read, coverage.take());
  return {
    [Symbol.asyncIterator]: records,
    toArray: () => records().drain(),
    coverage: coverage.promise,
  };
}

class ScanIterator extends ItemIterator<BalanceChange> {
  readonly #read: () => ScanRequest;
  readonly #settle: CoverageSettler | undefined;
  readonly #controller = new AbortController();
  #run: ScanRun | undefined;

  /** @param settle - Called with what the scan has covered. */
  constructor(read: () => ScanRequest, settle: CoverageSettler | undefined) {
    super();
    this.#read = read;
    this.#settle = settle;
  }

  protected override async more(): Promise<readonly BalanceChange[] | undefined> {
    try {
      this.#run ??= await this.#open();
      const records = await this.#run.next();
      if (records === undefined) this.#settle?.resolve(this.#run.coverage);
      return records;
    } catch (error) {
      if (VegaError.is(error) && this.#run) annotate(error, { coverage: this.#run.coverageUpTo(this.last) });
      this.#settle?.reject(error);
      this.#controller.abort(error);
      throw error;
    }
  }

  protected override cancel(): void {
    super.cancel();
    this.#controller.abort();
    // Has no effect after the last record.
    if (this.#run) this.#settle?.resolve(this.#run.coverageUpTo(this.last));
  }

  #open(): Promise<ScanRun> {
    const { options, open } = this.#read();
    this.limit(options.maxItems, options.signal);
    return untilAborted(options.signal, this.#controller, () => open(this.#controller));
  }
}
