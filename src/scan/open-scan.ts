import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import type { Batches } from "../async/item-iterator.js";
import type { Connection } from "../evidence/connection.js";
import { completeFrom } from "../evidence/history.js";
import type { ListRequest, OldestPage, PageContent } from "../evidence/node-page.js";
import { pageSender } from "../evidence/page-sender.js";
import { listReader } from "../evidence/read-list.js";
import { select } from "../evidence/selection.js";
import type { CallSettings } from "../http/call-options.js";
import type { OperationRoute } from "../http/route.js";
import { splitFilters } from "../list/merge/split.js";
import { checkPage, contentOf, type FetchRange } from "./range-page.js";
import type { ScanSettings } from "./scan-options.js";
import { ScanRun } from "./scan-run.js";

/** How the pages of a scan are requested. */
export interface ScannedList {
  connection: Connection;
  route: OperationRoute;
  call: CallSettings;
}

const operation = operations.listBalanceChanges;
/** Requests begin a microsecond early, because the reference does not say whether the start belongs to the range. */
const lead = 1000n;

/** Begins a scan of balance changes: of the list operation, by ranges of time. */
export function openScan(
  list: ScannedList,
  { dateRange, ...given }: CheckedArguments,
  options: ScanSettings,
): Batches<BalanceChange> {
  const { connection, route, call } = list;
  const { filters, isWanted } = select<BalanceChange>(operation, given);
  const send = pageSender<BalanceChange>({ ...list, operation });
  const fetchRange = (filters: CheckedArguments): FetchRange => {
    const check = (request: ListRequest, page: PageContent<BalanceChange> & { response: Response }) =>
      checkPage(route.operation, request, page);
    const reader = listReader<BalanceChange>({ ...list, operation, send, filters, catchUp: options.catchUp, check });
    return async ({ start, end, size, newestFirst, after, decidesStart, before }, signal, demand) => {
      const pagination = { first: size, newestFirst, ...(after !== undefined && { after }) };
      const how = {
        lead: typeof before === "bigint" ? (start ?? 0n) - before : lead,
        takesWhatIsLeft: options.ignoresMissingHistory || before === "none",
        isProbe: decidesStart === "probe",
      };
      const page = decidesStart
        ? await reader.readOldest({ pagination, start, end }, signal, demand, how)
        : await reader.read({ pagination, start: start && start - lead, end }, signal, demand);
      const { block, response } = page.extra;
      const { availableFrom }: Partial<OldestPage<BalanceChange>> = page;
      return {
        ...contentOf(page),
        block,
        response,
        completeFrom: completeFrom({ data: page, block }, pagination, start),
        availableFrom,
      };
    };
  };
  const source = {
    operation: route.operation,
    ...timesOf({ dateRange }, operation.range),
    fetchRanges: splitFilters(filters).map(fetchRange),
    nodeCount: call.node === undefined ? connection.nodeCount : 1,
    isWanted,
  };
  // How many are read for so many that are wanted is not known.
  const own = isWanted ? { ...options, maxItems: Number.POSITIVE_INFINITY } : options;
  const controller = new AbortController();
  const run = new ScanRun(source, own, controller);
  let last: readonly BalanceChange[] | undefined;
  return {
    maxItems: options.maxItems,
    signal: options.signal,
    next: async () => {
      last = await run.next();
      return last;
    },
    coverage: (taken) => (taken === undefined ? run.coverage : run.coverageUpTo(last?.[taken - 1])),
    end: () => controller.abort(),
  };
}
