import type { ListBalanceChangesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { readArguments, readAtOnce } from "../arguments/read-arguments.js";
import type { Coverage } from "../errors/index.js";
import { readCallOptions } from "../http/call-options.js";
import { readScanOptions, type ScanOptions, scanChecks } from "../scan/scan-options.js";
import { printedAs } from "../values/show.js";
import { type ClientContext, loadLists, withCoverage } from "./loop.js";

/**
 * All records in a range of time. Nothing is sent before it is used, and each loop is a scan of its own.
 *
 * A scan yields every record of the range exactly once, in order of time, also on nodes whose pages lose records. How
 * much is prefetched is bounded, however slow the caller is. A {@link VegaError} that ends a scan has `resume`, with
 * the `dateRange` of the records that were not yielded.
 */
export interface Scan<T> extends AsyncIterable<T> {
  /** Every record in order of time. Concurrent calls of `next()` are resolved in order. */
  [Symbol.asyncIterator](): AsyncGenerator<T, undefined, undefined>;
  /** Every record in an array. `maxItems` bounds it. */
  toArray(): Promise<T[]>;
  /**
   * The range that the latest loop over the scan has read, once it has ended. If `break` or `maxItems` ends it, the
   * range is shorter: it ends before the time of the last record, which others can share. It rejects with the error
   * that ends the loop, and before the first loop.
   *
   * @example
   * ```ts
   * const scan = client.scanBalanceChanges({ dateRange: { startTimestamp: "2024-02-01" } });
   * const changes = await scan.toArray();
   * const { end, block } = await scan.coverage;
   * console.log(`${changes.length} changes before ${end}, of block ${block?.height}`);
   * ```
   */
  readonly coverage: Promise<Coverage>;
}

/** The argument of `scanBalanceChanges`. */
export interface ScanBalanceChangesArguments extends Omit<ListBalanceChangesArguments, "pagination"> {}

const id = "scanBalanceChanges";
const list = operations.listBalanceChanges;
const { pagination: _, ...scanArguments } = list.arguments;

export function scanOperation(
  { connection, defaults }: ClientContext,
  argument: ScanBalanceChangesArguments | undefined,
  options: ScanOptions | undefined,
): Scan<BalanceChange> {
  const taken = readAtOnce(() => ({
    call: readCallOptions(id, options, defaults, scanChecks),
    options: readScanOptions(options),
    checked: readArguments(id, { arguments: scanArguments, range: list.range }, argument),
  }));
  const scan = withCoverage(id, (start) => {
    const records = () =>
      start(async () => {
        const { options, ...request } = taken();
        const { ScanRun } = await loadLists(options.signal);
        return new ScanRun({ id, described: "listBalanceChanges", operation: list, connection, ...request }, options);
      });
    return { [Symbol.asyncIterator]: records, toArray: () => records().drain() };
  });
  return printedAs(scan, `Scan of ${id}(). Use \`for await\` or \`toArray()\` for all records.`);
}
