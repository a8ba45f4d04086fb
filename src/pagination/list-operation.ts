import type { OperationTypes, Pagination } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import type { ListOperation, OperationId, OperationTable, RecordOf } from "../arguments/operation.js";
import { readArguments } from "../arguments/read-arguments.js";
import { take } from "../arguments/take.js";
import { type CallSettings, type Requester, readBlock } from "../http/index.js";
import type { OperationRoute } from "../http/operation-route.js";
import { compareDigits } from "./cursors.js";
import { compareWithAllPages, compareWithLastTime } from "./deduplicator.js";
import { type Listing, walk } from "./listing.js";
import { mergePages } from "./merge.js";
import { keyBy } from "./natural-key.js";
import type { FetchFrom, KeepNode, NodeExtra } from "./node-walk.js";
import type { PageContent } from "./page.js";
import type { Source, WalkOptions } from "./request-plan.js";
import { splitFilters } from "./split.js";

/** The name of an operation that returns a list. */
export type ListId = { [Id in OperationId]: OperationTypes[Id]["record"] extends object ? Id : never }[OperationId];

/** How a list operation is sent, for each use of the listing. */
export interface ListRequests<Id extends ListId> {
  id: Id;
  requester: Requester;
  route: OperationRoute;
  argument: unknown;
  readSettings(): CallSettings;
  /** Set if the client has several nodes. */
  keepNode: KeepNode | undefined;
}

const lists: { readonly [Id in ListId]: ListOperation<RecordOf<Id>> & OperationTable[Id] } = operations;

/** The listing of a list operation. */
export function listOperation<Id extends ListId>(
  { id, requester, route, argument, readSettings, keepNode }: ListRequests<Id>,
  options: WalkOptions | undefined,
): Listing<RecordOf<Id>> {
  type Content = PageContent<RecordOf<Id>>;
  const operation = lists[id];
  const { envelope, defaultPageSize: pageSize, range, naturalKey } = operation;
  const common = { operation: id, ...cursorRules(operation), advice: operation.hints?.repeatedCursor };
  const taken = take(() => ({
    settings: readSettings(),
    ...takePagination(readArguments(id, operation, argument).query),
  }));
  const open = () => {
    const { settings, filters, pagination } = taken();
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
      const fetchFrom: FetchFrom<RecordOf<Id>> = async (page, signal, target = settings.target) => {
        const hasCursor = (page.after ?? page.before) !== undefined;
        const pageRoute = { ...route, read, ...(hasCursor && rejectedCursor(operation)) };
        const parameters = { query: { ...query, ...toWire(page) }, path: {}, body: {} };
        const { data, response, stale } = await requester.send(pageRoute, parameters, { ...settings, signal, target });
        const { edges, pageInfo } = data;
        return { edges, pageInfo, extra: { response, block: readBlock(response), stale } };
      };
      if (keepNode && !settings.target) return keepNode(fetchFrom, { ...common, naturalKey, range, query });
      return (page: Pagination, signal: AbortSignal) => fetchFrom(page, signal);
    });
    if (fetchPage !== undefined && others.length === 0) return { pagination, pageSize, fetchPage };
    const compare = range && ((a: RecordOf<Id>, b: RecordOf<Id>) => compareDigits(timeOf(a), timeOf(b)));
    const fetchPages = fetchPage === undefined ? [] : [fetchPage, ...others];
    return {
      pagination,
      pageSize,
      fetchPage: mergePages({ source: common, fetchPages, compare, choose: ofEarlierBlock }),
    };
  };
  return walk<RecordOf<Id>, NodeExtra>({ ...common, open }, { ...options });
}

/** Of the blocks that several responses name, a page names the earliest: only the records before it are final in all of them. */
const ofEarlierBlock = (a: NodeExtra, b: NodeExtra): NodeExtra => {
  const isEarlier = a.block === undefined || (b.block !== undefined && a.block.timestamp <= b.block.timestamp);
  return { ...(isEarlier ? a : b), stale: a.stale || b.stale };
};

/** Lists with a time range are sorted by this member of their records. */
const timeOf = (record: object): string => String("timestamp" in record && record.timestamp);
const hasTime = (record: object): boolean => /^-?\d+$/.test(timeOf(record));

/** What the cursors of a list lack on v0.74 nodes, and which records can come again because of it. */
function cursorRules<Id extends ListId>({ cursors, naturalKey }: ListOperation<RecordOf<Id>>) {
  if (cursors?.timeMember === undefined) return {};
  const keyOf = keyBy<RecordOf<Id>>(naturalKey);
  const rules: Pick<Source<RecordOf<Id>, object>, "cursors" | "deduplicator"> = cursors.missingMember === undefined
    ? // A record that is written again during a walk comes again.
      { cursors: { lack: "record", keyOf }, deduplicator: () => compareWithAllPages(keyOf) }
    : { cursors: { lack: "account", keyOf }, deduplicator: () => compareWithLastTime(keyOf, timeOf) };
  return rules;
}

/** For a list whose cursors a node refuses: a retry does not help. */
function rejectedCursor({ cursors, hints }: ListOperation<never>) {
  const status = cursors?.rejectedWith;
  return status !== undefined && { finalStatuses: [status], hints: { [status]: hints?.rejectedCursor ?? "" } };
}

/** The envelope of a page, if it is one: without edges or without `pageInfo`, a walk would end too early. */
export const readEnvelope = <T>(envelope: PageContent<T> | null | undefined): PageContent<T> | undefined =>
  Array.isArray(envelope?.edges) && envelope.pageInfo !== undefined ? envelope : undefined;

const prefix = "pagination.";

/** Separates the parameters that differ from page to page. */
function takePagination(query: Record<string, unknown>) {
  const isPagination = ([name]: [string, unknown]) => name.startsWith(prefix);
  const entries = Object.entries(query);
  const pagination = entries.filter(isPagination).map(([name, value]) => [name.slice(prefix.length), value] as const);
  return {
    filters: Object.fromEntries(entries.filter((entry) => !isPagination(entry))),
    pagination: Object.fromEntries(pagination) as Pagination,
  };
}

/** The pagination parameters of a request. */
export const toWire = (page: Pagination): Record<string, unknown> =>
  Object.fromEntries(Object.entries(page).map(([name, value]) => [prefix + name, value]));
