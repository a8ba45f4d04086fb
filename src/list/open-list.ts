import { hints } from "../../generated/hints.js";
import type { Pagination } from "../../generated/types.js";
import type { ListOperation } from "../arguments/operation.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import type { Connection } from "../evidence/connection.js";
import { directionOf, type NodePage } from "../evidence/page.js";
import { earlierOf } from "../evidence/ranges.js";
import { type ListReaderOptions, listReader } from "../evidence/reader.js";
import { type CursorRules, select } from "../evidence/sender.js";
import { type CallSettings, defaultCatchUp } from "../http/call-options.js";
import type { OperationRoute } from "../http/route.js";
import { splitFilters } from "./filters.js";
import type { OpenRange, WalkRequest } from "./plan.js";
import { type OpenWalk, openWalk } from "./walk.js";
import type { WalkSettings } from "./walk-options.js";

/** What a caller reads of a list. */
export interface ListRequest<T> {
  id: string;
  operation: ListOperation<T>;
  connection: Connection;
  route: OperationRoute;
  call: CallSettings;
  checked: CheckedArguments;
}

type FetchListPage<T> = (...args: Parameters<WalkRequest<T>["fetchPage"]>) => Promise<NodePage<T>>;

export function openList<T>(list: ListRequest<T> & { walk: WalkSettings }): OpenWalk<T> {
  const { id, operation, checked, walk } = list;
  const { range, isWanted, lists } = listsOf(list, { catchUp: defaultCatchUp });
  const [only, ...others] = lists;
  if (others.length > 0 && range) {
    const place = { operation: id, argument: "filter" };
    const what = `must fit a URL; this one takes ${lists.length} requests`;
    refuseByRule(place, `${what}. Use \`scanBalanceChanges\`, which sends them`);
  }
  return openWalk({
    ...walk,
    ...(only as ListSource<T>),
    pagination: (checked["pagination"] ?? {}) as Pagination,
    pageSize: operation.defaultPageSize,
    range,
    ...(isWanted && { isWanted }),
    ...(others.length > 0 && { fetchPage: inTurn(id, lists) }),
  });
}

/** What a walk reads that does not depend on its range and its options. */
export type ListSource<T> = Pick<WalkRequest<T>, "operation" | "cursorsLack" | "advice" | "readHistory"> & {
  fetchPage: FetchListPage<T>;
};

/** The lists that show what the arguments select: one for each request that the filter takes. */
export function listsOf<T>(
  list: ListRequest<T>,
  options: Pick<ListReaderOptions<T>, "catchUp" | "check">,
): { range: OpenRange | undefined; isWanted?: (record: T) => boolean; lists: readonly ListSource<T>[] } {
  const { id, operation, checked } = list;
  const { pagination: _, ...others } = checked;
  const [group = ""] = operation.range?.start.split(".") ?? [];
  const { [group]: __, ...given } = others;
  const { filters, isWanted } = select<T>(operation, given);
  const { start = 0n, end } = timesOf(checked, operation.range);
  const lists = splitFilters(filters).map((filters): ListSource<T> => {
    const reader = listReader<T>({ ...list, ...options, filters, rules: rejectedCursor(operation, id) });
    return {
      operation: id,
      cursorsLack: lackOf(operation),
      advice: hintsOf(id).repeatedCursor,
      fetchPage: (request, expectation, signal, decidesStart) =>
        (decidesStart ? reader.readOldest : reader.read)(request, expectation, signal),
      readHistory: operation.range && reader.readHistory,
    };
  });
  return {
    range: operation.range && { start: start > 0n ? start : undefined, end },
    ...(isWanted && { isWanted }),
    lists,
  };
}

/** Reads several lists one after the other. A cursor begins with the number of its list, and is valid for the same filters only. */
function inTurn<T>(operation: string, lists: readonly ListSource<T>[]): FetchListPage<T> {
  const fetchPage: FetchListPage<T> = async ({ pagination }, ...rest) => {
    const { size, cursor: name, more, nextCursor } = directionOf(pagination);
    const isForward = name === "after";
    const { [name]: given = `${isForward ? 0 : lists.length - 1}:`, ...others } = pagination;
    const [, digits, own = ""] = /^(\d+):(.*)$/s.exec(given) ?? [];
    const index = Number(digits);
    const list = lists[index];
    if (list === undefined) {
      const place = { operation, argument: `pagination.${name}` };
      return refuse(place, `a cursor of this list, which takes ${lists.length} requests`, given);
    }
    const page = await list.fetchPage({ pagination: { ...others, ...(own && { [name]: own }) } }, ...rest);
    const next = index + (isForward ? 1 : -1);
    const isLast = page.pageInfo?.[more] || lists[next] === undefined;
    const { startCursor = "", endCursor = "", hasNextPage = false, hasPreviousPage = false } = page.pageInfo ?? {};
    const numbered = (cursor: string) => cursor && `${index}:${cursor}`;
    const pageInfo = {
      hasNextPage: hasNextPage || index < lists.length - 1,
      hasPreviousPage: hasPreviousPage || index > 0,
      startCursor: numbered(startCursor),
      endCursor: numbered(endCursor),
      ...(!isLast && { [nextCursor]: `${next}:` }),
    };
    const edges = page.edges.map((edge) => edge && { ...edge, cursor: numbered(edge.cursor) });
    const left = (pagination[size] ?? 0) - edges.length;
    if (isLast || left <= 0) return { ...page, edges, pageInfo };
    const following = await fetchPage({ pagination: { ...others, [size]: left, [name]: `${next}:` } }, ...rest);
    const { [more]: hasMore = false, [nextCursor]: end } = following.pageInfo ?? {};
    // What a page leaves of a list needs a cursor, and v0.74 nodes reject those of profiles: such a list begins a page of its own.
    if (hasMore && !end?.endsWith(":")) return { ...page, edges, pageInfo };
    return {
      ...following,
      edges: isForward ? [...edges, ...following.edges] : [...following.edges, ...edges],
      pageInfo: { ...pageInfo, [nextCursor]: end || pageInfo[nextCursor], [more]: hasMore },
      extra: earlierOf(page.extra, following.extra),
    };
  };
  return fetchPage;
}

/** What a caller can do about a cursor that repeats, and about one that the node rejects. */
const hintsOf = (id: string): { repeatedCursor?: string; rejectedCursor?: string } =>
  (hints as { readonly [id: string]: object })[id] ?? {};

/** For a list whose cursors a node refuses: a retry does not help. */
function rejectedCursor({ cursors }: ListOperation<never>, id: string): CursorRules {
  const status = cursors?.rejectedWith;
  return status === undefined ? {} : { finalStatuses: [status], hints: { [status]: hintsOf(id).rejectedCursor ?? "" } };
}

function lackOf<T>({ cursors }: ListOperation<T>): WalkRequest<T>["cursorsLack"] {
  if (cursors === undefined) return "proof";
  if (cursors.timeMember === undefined) return undefined;
  return cursors.missingMember === undefined ? "record" : "account";
}
