import type { BalanceChange } from "../../generated/types.js";
import { type OptionChecks, oneOf, positiveInteger } from "../arguments/check-options.js";
import { type CallOptions, callChecks } from "../http/call-options.js";
import { ItemIterator } from "../pagination/item-iterator.js";
import { ScanRun, type ScanSource } from "./scan-run.js";

/** Options of a scan. */
export interface ScanWalkOptions {
  /**
   * The order of time in which records are yielded. Records of one time come in the order of asset, party, market and
   * account type, or exactly reversed.
   *
   * @default "oldest-first"
   */
  order?: "oldest-first" | "newest-first" | undefined;
  /**
   * How many records to yield at most.
   *
   * @default Infinity
   */
  maxItems?: number | undefined;
  /**
   * How many requests may be in flight at once; with a pool, for each of its nodes.
   *
   * @default 4
   */
  concurrency?: number | undefined;
  /**
   * How many records to request at once.
   *
   * @default 5000
   */
  pageSize?: number | undefined;
  /**
   * What to do if the range begins before the oldest record that the node keeps. By default a node keeps balance changes
   * for seven days and returns what is left of a longer range, without a mark (observed on v0.74 nodes).
   *
   * `"error"` rejects with a {@link PaginationError} with the `reason` `"pruned"` and `availableFrom`. `"ignore"` reads
   * what is left. A range without a start begins with the oldest record that the node keeps.
   *
   * @default "error"
   */
  missingHistory?: "error" | "ignore" | undefined;
  /** Ends the scan and every request in flight: a call that waits for a record rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of one scan. */
export interface ScanOptions extends CallOptions, ScanWalkOptions {}

export const scanChecks: OptionChecks<ScanOptions> = {
  ...callChecks,
  order: oneOf("oldest-first", "newest-first"),
  maxItems: positiveInteger,
  concurrency: positiveInteger,
  pageSize: positiveInteger,
  missingHistory: oneOf("error", "ignore"),
};

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
    // First, because it checks the options.
    const opened = this.#source.open();
    const {
      order,
      maxItems = Number.POSITIVE_INFINITY,
      concurrency = 4,
      pageSize = 5000,
      missingHistory,
      signal,
    } = this.#options;
    this.limit(maxItems, signal);
    return new ScanRun(this.#source, opened, {
      isNewestFirst: order === "newest-first",
      maxItems,
      concurrency: concurrency * (opened.nodes?.count ?? 1),
      pageSize,
      checksHistory: missingHistory !== "ignore",
      signal,
      controller: this.#controller,
    });
  }
}
