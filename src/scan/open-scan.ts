import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import type { Batches } from "../async/item-iterator.js";
import type { Connection } from "../evidence/connection.js";
import { listReader } from "../evidence/reader.js";
import { pageSender, select } from "../evidence/sender.js";
import type { CallSettings } from "../http/call-options.js";
import type { OperationRoute } from "../http/route.js";
import { splitFilters } from "../list/filters.js";
import { checkPage } from "./records.js";
import type { ScanSettings } from "./scan-options.js";
import { ScanRun } from "./scan-run.js";

/** How the pages of a scan are requested. */
export interface ScannedList {
  connection: Connection;
  route: OperationRoute;
  call: CallSettings;
}

const operation = operations.listBalanceChanges;

/** Begins a scan of balance changes: of the list operation, by ranges of time. */
export function openScan(
  list: ScannedList,
  { dateRange, ...given }: CheckedArguments,
  options: ScanSettings,
): Batches<BalanceChange> {
  const { connection, route, call } = list;
  const { filters, isWanted } = select<BalanceChange>(operation, given);
  const { catchUp } = options;
  const send = pageSender<BalanceChange>({ ...list, operation });
  const run = new ScanRun(
    {
      operation: route.operation,
      ...timesOf({ dateRange }, operation.range),
      readers: splitFilters(filters).map((filters) =>
        listReader<BalanceChange>({
          ...list,
          operation,
          send,
          filters,
          catchUp,
          check: (page, response) => checkPage(route.operation, page.request, page, response),
        }),
      ),
      nodeCount: call.node === undefined ? connection.nodeCount : 1,
      isWanted,
    },
    // How many are read for so many that are wanted is not known.
    isWanted ? { ...options, maxItems: Number.POSITIVE_INFINITY } : options,
  );
  let last: readonly BalanceChange[] | undefined;
  return {
    maxItems: options.maxItems,
    signal: options.signal,
    next: async () => {
      last = await run.next();
      return last;
    },
    coverage: (taken) => (taken === undefined ? run.coverage : run.coverageUpTo(last?.[taken - 1])),
    end: () => run.end(),
  };
}
