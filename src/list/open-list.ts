import { hints } from "../../generated/hints.js";
import type { Pagination } from "../../generated/types.js";
import type { ListOperation } from "../arguments/operation.js";
import { type CheckedArguments, timesOf } from "../arguments/read-arguments.js";
import { refuse, refuseByRule } from "../arguments/refuse.js";
import type { NodeExtra } from "../http/call.js";
import { defaultCatchUp } from "../http/call-options.js";
import { isPageInfo } from "./envelope.js";
import { splitFilters, withoutRejectedNames } from "./filters.js";
import { historyOf } from "./history.js";
import { directionOf, type Edge, type PageContent } from "./page.js";
import type { ListKind, OpenRange, WalkRequest } from "./plan.js";
import { type ListReaderOptions, pageReader } from "./reader.js";
import { type OpenWalk, openWalk } from "./walk.js";
import type { WalkSettings } from "./walk-options.js";
import { throughWindows } from "./windows.js";

/** The part of a list that a caller reads, by its checked arguments. */
export interface ListRequest<T> extends Omit<ListReaderOptions<T>, "finalStatuses" | "catchUp"> {
  checked: CheckedArguments;
}

export function openList<T>(list: ListRequest<T> & { walk: WalkSettings }): OpenWalk<T> {
  const { id, operation, checked, walk } = list;
  const { range, isWanted, lists } = listsOf(list, Math.min(defaultCatchUp, list.call.settings.totalTimeout));
  const [only, ...others] = lists;
  if (others.length > 0) {
    const place = { operation: id, argument: operation.range ? "filter" : "parties" };
    const advice = operation.range ? "Use `scanBalanceChanges`, which sends them" : "List them in several calls";
    refuseByRule(place, `does not fit in one URL and needs ${lists.length} requests. ${advice}`);
  }
  return openWalk({
    ...walk,
    ...(only as ListSource<T>),
    pagination: (checked["pagination"] ?? {}) as Pagination,
    pageSize: operation.defaultPageSize,
    range,
    ...(isWanted && { isWanted }),
  });
}

/** Opens a list of a caller's own source, whose edges can lack records. */
export const openSource = <T>(
  walk: Omit<WalkRequest<T>, "fetchPage">,
  fetchPage: (pagination: Pagination, signal: AbortSignal) => PromiseLike<PageContent<T>>,
): OpenWalk<T> =>
  openWalk({
    ...walk,
    fetchPage: async ({ pagination }, _, signal) => {
      const content = await fetchPage(pagination, signal);
      if (!Array.isArray(content?.edges) || !isPageInfo(content.pageInfo, pagination)) {
        const what = `a function that returns \`{ edges, pageInfo }\`, with \`${directionOf(pagination).more}\` in \`pageInfo\``;
        return refuse({ argument: "fetchPage" }, what, content);
      }
      const edges = content.edges.filter((edge) => edge?.node != null) as Edge<T>[];
      return { edges, pageInfo: content.pageInfo, extra: {} as NodeExtra, completeFrom: 0n };
    },
  });

/** The list of a walk, apart from its range and its options. */
export type ListSource<T> = Pick<
  WalkRequest<T>,
  "operation" | "kind" | "advice" | "history" | "isRecent" | "fetchPage"
>;

/** How far the block of a chain that goes on can be from the clock of the client, in milliseconds. */
const recent = 60_000;

/** The lists for the arguments: one for each request that the filter takes. */
export function listsOf<T>(list: ListRequest<T>, catchUp: number) {
  const { id, operation, checked, connection } = list;
  const [group = ""] = operation.range?.start.split(".") ?? [];
  const { pagination: _, [group]: __, ...given } = checked;
  const { filters, isWanted } = withoutRejectedNames<T>(operation, given);
  const { start = 0n, end } = timesOf(checked, operation.range);
  const range: OpenRange | undefined = operation.range && { start: start > 0n ? start : undefined, end };
  const advice: { repeatedCursor?: string; rejectedCursor?: string } = Object(hints[id as keyof typeof hints]);
  const { rejectedWith } = operation.cursors ?? {};
  // A retry does not help.
  const finalStatuses = rejectedWith === undefined ? undefined : { [rejectedWith]: advice.rejectedCursor ?? "" };
  const lists = splitFilters(filters).map((filters): ListSource<T> => {
    const reader = { ...list, catchUp, finalStatuses };
    const read = pageReader<T>(reader, filters);
    const history = operation.range && historyOf(reader, filters, read);
    return {
      operation: id,
      kind: kindOf(operation),
      advice: advice.repeatedCursor,
      fetchPage: history ? throughWindows(read, history, connection.isPool) : read,
      history,
      isRecent: (time) => Math.abs(connection.clock.date() - Number(time / 1_000_000n)) < recent,
    };
  });
  return { range, isWanted, lists };
}

function kindOf<T>({ cursors }: ListOperation<T>): ListKind | undefined {
  if (cursors === undefined) return "signatures";
  if (cursors.timeMember === undefined) return undefined;
  return cursors.missingMember === undefined ? "votes" : "changes";
}
