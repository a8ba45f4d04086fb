import {
  itemLimit,
  milliseconds,
  type OptionChecks,
  oneOf,
  positiveInteger,
  withDefaults,
} from "../arguments/check-options.js";
import { type CallOptions, callChecks, defaultCatchUp } from "../http/call-options.js";

/** Options of one scan. */
export interface ScanOptions extends CallOptions {
  /**
   * The order of time in which records are yielded. Records of one time come in the order of asset, party, market and
   * account type, or exactly reversed. Default: `"oldest-first"`.
   */
  order?: "oldest-first" | "newest-first" | undefined;
  /** The maximum number of records to yield. Default: `Infinity`. */
  maxItems?: number | undefined;
  /** How many requests may be in flight at once; with a pool, for each of its nodes. Default: 4. */
  concurrency?: number | undefined;
  /** How many records to request at once. Default: 5000. */
  pageSize?: number | undefined;
  /**
   * What to do if the range begins before the oldest record that the node keeps. A node that was set up to keep less
   * than the whole chain silently returns the rest of a longer range (observed on v0.74 and v0.79 nodes). `"error"`
   * rejects with a {@link PaginationError} with the `reason` `"pruned"` and `availableFrom`. `"ignore"` reads what is
   * left. A range without a start begins with the oldest record that the node keeps. Default: `"error"`.
   */
  missingHistory?: "error" | "ignore" | undefined;
  /**
   * How long to wait for a node that has not reached the end of the range, in milliseconds. Then the scan rejects with
   * a {@link PaginationError} with the `reason` `"behind"`. Default: 15_000.
   */
  catchUp?: number | undefined;
}

export const scanChecks: OptionChecks<ScanOptions> = {
  ...callChecks,
  order: oneOf("oldest-first", "newest-first"),
  maxItems: itemLimit,
  concurrency: positiveInteger,
  pageSize: positiveInteger,
  missingHistory: oneOf("error", "ignore"),
  catchUp: milliseconds,
};

export const readScanOptions = (options: ScanOptions = {}) => ({
  ...withDefaults({ maxItems: Number.POSITIVE_INFINITY, concurrency: 4, catchUp: defaultCatchUp }, options),
  pageSize: options.pageSize,
  newestFirst: options.order === "newest-first",
  ignoresMissingHistory: options.missingHistory === "ignore",
  signal: options.signal,
});

export type ScanSettings = ReturnType<typeof readScanOptions>;
