import type { ListBalanceChangesArguments } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange, BalanceChangeList } from "../../generated/types.js";
import { readArguments } from "../arguments/read-arguments.js";
import { take } from "../arguments/take.js";
import type { CallSettings } from "../http/context.js";
import type { Demand } from "../http/demand.js";
import type { OperationRoute } from "../http/operation-route.js";
import { takePagination } from "../pagination/list-operation.js";
import { splitFilters } from "../pagination/merge/split.js";
import type { Connection } from "../source/connection.js";
import { hasRecord, type PageContent, readEnvelope } from "../source/node-page.js";
import type { RangeLimits } from "../source/range-limits.js";
import { listReader } from "../source/read-list.js";
import type { FetchRange, RangeContent } from "./range-page.js";
import type { ScanSource } from "./scan-run.js";

/** The argument of `scanBalanceChanges`. */
export interface ScanBalanceChangesArguments extends Omit<ListBalanceChangesArguments, "pagination"> {}

const name = "scanBalanceChanges";
const { pagination: _, ...scanArguments } = operations.listBalanceChanges.arguments;
const { range, envelope } = operations.listBalanceChanges;

export interface ScanRequests {
  connection: Connection;
  route: OperationRoute;
  argument: unknown;
  readSettings(): CallSettings;
  limits: RangeLimits;
}

/** What a scan of balance changes reads: the list operation, by ranges of time. */
export const openScan = ({ connection, route, argument, readSettings, limits }: ScanRequests): ScanSource["open"] => {
  const taken = take(() => {
    const settings = readSettings();
    const { query } = readArguments(name, { arguments: scanArguments, range }, argument);
    return { settings, ...takePagination(query, range) };
  });
  return (catchUp) => {
    const { settings, filters, times } = taken();
    const read = (body: Partial<BalanceChangeList>) => readEnvelope(body[envelope]);
    const fetchRange = (query: Record<string, unknown>): FetchRange => {
      const scanRoute = { ...route, operation: name, read };
      const readPage = listReader<BalanceChange>({
        connection,
        route: scanRoute,
        settings,
        query,
        range,
        limits,
        catchUp: catchUp(),
      });
      return async ({ start, end, size, newestFirst, after }, signal, demand = {}) => {
        const pagination = { first: size, newestFirst, ...(after !== undefined && { after }) };
        const page = await readPage({ pagination, start, end }, signal, onPages(demand));
        return { ...contentOf(page), block: page.extra.block, response: page.extra.response };
      };
    };
    return {
      ...times,
      fetchRanges: splitFilters(filters).map(fetchRange),
      nodeCount: settings.node === undefined ? connection.nodeCount : 1,
    };
  };
};

const contentOf = ({ edges, pageInfo }: PageContent<BalanceChange>): RangeContent => ({
  edges: edges.filter(hasRecord<BalanceChange>),
  hasMore: pageInfo?.hasNextPage ?? false,
  endCursor: pageInfo?.endCursor,
});

/** What is demanded of a page, as it is sent. */
function onPages({
  holdsStart,
  holdsPlace,
  lacksBlock,
  ...demand
}: Demand<RangeContent>): Demand<PageContent<BalanceChange>> {
  return {
    ...demand,
    ...(holdsStart && { holdsStart: ({ data, block }) => holdsStart({ data: contentOf(data), block }) }),
    ...(holdsPlace && { holdsPlace: (data) => holdsPlace(contentOf(data)) }),
    ...(lacksBlock && {
      lacksBlock: ({ data, block }, namesBlocks) => lacksBlock({ data: contentOf(data), block }, namesBlocks),
    }),
  };
}
