import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import type { CallSettings } from "../http/context.js";
import type { OperationRoute } from "../http/operation-route.js";
import { splitFilters } from "../pagination/merge/split.js";
import type { Connection } from "../source/connection.js";
import { pageSender } from "../source/page-sender.js";
import { listReader } from "../source/read-list.js";
import { contentOf, type FetchRange } from "./range-page.js";
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
  { dateRange, ...filters }: CheckedArguments,
  options: ScanSettings,
  controller: AbortController,
): ScanRun {
  const { connection, route, call } = list;
  const send = pageSender<BalanceChange>({ ...list, operation });
  const fetchRange = (filters: CheckedArguments): FetchRange => {
    const read = listReader<BalanceChange>({ ...list, operation, send, filters, catchUp: options.catchUp });
    return async ({ start, end, size, newestFirst, after }, signal, demand) => {
      const pagination = { first: size, newestFirst, ...(after !== undefined && { after }) };
      const page = await read({ pagination, start, end }, signal, demand);
      return { ...contentOf(page), block: page.extra.block, response: page.extra.response };
    };
  };
  const source = {
    operation: route.operation,
    ...timesOf({ dateRange }, operation.range),
    fetchRanges: splitFilters(filters).map(fetchRange),
    nodeCount: call.node === undefined ? connection.nodeCount : 1,
  };
  return new ScanRun(source, options, controller);
}
