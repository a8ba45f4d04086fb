import type { OperationTypes, Pagination } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { ListOperation, Operation, OperationId, OperationTable, RecordOf } from "../arguments/operation.js";
import { readArguments } from "../arguments/read-arguments.js";
import { take } from "../arguments/take.js";
import type { CallSettings } from "../http/context.js";
import type { Demand } from "../http/demand.js";
import type { OperationRoute } from "../http/operation-route.js";
import type { Connection } from "../source/connection.js";
import { type NodeExtra, ofEarlierBlock, readEnvelope } from "../source/node-page.js";
import { defaultCatchUp } from "../source/patience.js";
import type { RangeLimits } from "../source/range-limits.js";
import { listReader } from "../source/read-list.js";
import { keyBy } from "../values/natural-key.js";
import { compareWithAllPages, compareWithLastTime } from "./deduplicator.js";
import { type Listing, type ReadingOptions, reading, walk } from "./listing.js";
import { mergePages } from "./merge/merge.js";
import { splitFilters } from "./merge/split.js";
import type { PageContent } from "./page.js";
import { compareDigits } from "./repair/cursors.js";
import type { Source } from "./request-plan.js";

/** The name of an operation that returns a list. */
export type ListId = { [Id in OperationId]: OperationTypes[Id]["record"] extends object ? Id : never }[OperationId];

/** How a list operation is sent, for each use of the listing. */
export interface ListRequests<Id extends ListId> {
  id: Id;
  connection: Connection;
  route: OperationRoute;
  argument: unknown;
  readSettings(): CallSettings;
  limits: RangeLimits;
}

const lists: { readonly [Id in ListId]: ListOperation<RecordOf<Id>> & OperationTable[Id] } = operations;

/** The listing of a list operation. */
export function listOperation<Id extends ListId>(
  { id, connection, route, argument, readSettings, limits }: ListRequests<Id>,
  options: ReadingOptions | undefined,
): Listing<RecordOf<Id>> {
  type Content = PageContent<RecordOf<Id>>;
  const operation = lists[id];
  const { envelope, defaultPageSize: pageSize, range } = operation;
  const common = { operation: id, ...cursorRules(operation), advice: operation.hints?.repeatedCursor };
  const taken = take(() => ({
    settings: readSettings(),
    ...takePagination(readArguments(id, operation, argument).query, range),
  }));
  const open = () => {
    const { settings, filters, times, pagination } = taken();
    const queries = splitFilters(filters);
    const isMerged = queries.length > 1;
    const read = (body: { [Name in typeof envelope]?: Content | null }) => {
      const page = readEnvelope(body[envelope]);
      // Merging compares times. Of a page that is not merged, the envelope alone is checked.
      return page && isMerged && range && !page.edges.every((edge) => edge?.node == null || hasTime(edge.node))
        ? undefined
        : page;
    };
    const [fetchPage, ...others] = queries.map((query) => {
      const common = { connection, settings, query, range, limits, catchUp: defaultCatchUp };
      const readPage = listReader<RecordOf<Id>>({ ...common, route: { ...route, read } });
      const readAfterCursor = listReader<RecordOf<Id>>({
        ...common,
        route: { ...route, read, ...rejectedCursor(operation) },
      });
      return (page: Pagination, signal: AbortSignal, demand: Demand<Content>) => {
        const hasCursor = (page.after ?? page.before) !== undefined;
        return (hasCursor ? readAfterCursor : readPage)({ pagination: page, ...times }, signal, demand);
      };
    });
    const comparesHistory = connection.nodeCount > 1 && settings.node === undefined;
    const { [reading]: own } = options ?? {};
    const { start = 0n } = own ?? times;
    const history = range && { start: start > 0n ? start : undefined, reading: own, comparesHistory };
    if (fetchPage !== undefined && others.length === 0) return { pagination, pageSize, fetchPage, ...history };
    const compare = range && ((a: RecordOf<Id>, b: RecordOf<Id>) => compareDigits(timeOf(a), timeOf(b)));
    const fetchPages = fetchPage === undefined ? [] : [fetchPage, ...others];
    return {
      pagination,
      pageSize,
      fetchPage: mergePages({ source: common, fetchPages, compare, choose: ofEarlierBlock, history }),
    };
  };
  return walk<RecordOf<Id>, NodeExtra>({ ...common, open }, { ...options });
}

/** Lists with a time range are sorted by this member of their records. */
const timeOf = (record: object): string => String("timestamp" in record && record.timestamp);
const hasTime = (record: object): boolean => /^-?\d+$/.test(timeOf(record));

/** What the cursors of a list lack on v0.74 nodes, and which records can come again because of it. */
function cursorRules<Id extends ListId>({ cursors, naturalKey }: ListOperation<RecordOf<Id>>) {
  if (cursors?.timeMember === undefined) return {};
  const keyOf = keyBy<RecordOf<Id>>(naturalKey);
  const rules: Pick<Source<RecordOf<Id>, object>, "cursors" | "deduplicator"> = cursors.missingMember === undefined
    ? // A record that is rewritten during a walk can repeat.
      { cursors: { lack: "record", keyOf }, deduplicator: () => compareWithAllPages(keyOf) }
    : { cursors: { lack: "account", keyOf }, deduplicator: () => compareWithLastTime(keyOf, timeOf) };
  return rules;
}

/** For a list whose cursors a node refuses: a retry does not help. */
function rejectedCursor({ cursors, hints }: ListOperation<never>) {
  const status = cursors?.rejectedWith;
  return status !== undefined && { finalStatuses: [status], hints: { [status]: hints?.rejectedCursor ?? "" } };
}

const prefix = "pagination.";

/** Separates the parameters that differ from page to page, and the range. */
export function takePagination(query: Record<string, unknown>, range: Operation["range"]) {
  const nanoseconds = (name: string | undefined) => {
    const time = name === undefined ? undefined : query[name];
    return typeof time === "string" ? BigInt(time) : undefined;
  };
  const pagination: Record<string, unknown> = {};
  const filters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    if (name.startsWith(prefix)) pagination[name.slice(prefix.length)] = value;
    else if (name !== range?.start && name !== range?.end) filters[name] = value;
  }
  const times = { start: nanoseconds(range?.start), end: nanoseconds(range?.end) };
  return { filters, times, pagination: pagination as Pagination };
}
