import { readBlock } from "../http/block.js";
import type { Demand } from "../http/demand.js";
import { maximum, minimum } from "../values/integers.js";
import { nanosecondsOf } from "./block-cursor.js";
import { type ListRequest, type NodePage, ofEarlierBlock, type PageContent, type ReadList } from "./node-page.js";
import { isAccepted, isRefused, type RangeLimits, type TimeRange, windowsOf } from "./range-limits.js";

/**
 * Reads pages of a list with a range also from nodes that refuse a range without an end, or a long one, as v0.75 and later nodes do: page
 * by page as if they did not.
 */
export function inWindows<T>(read: ReadList<T>, limits: RangeLimits): ReadList<T> {
  const readWindows: ReadList<T> = async (request, signal, demand) => {
    const { pagination } = request;
    const { first, last = first, newestFirst = true } = pagination;
    const isForward = pagination.last === undefined && pagination.before === undefined;
    const isDescending = isForward === newestFirst;
    const windows = [...windowsOf(remaining(request, isDescending, limits), isDescending)];
    const sizeName = isForward ? "first" : "last";
    const size = last ?? 1000;
    let page: NodePage<T> | undefined;
    for (const [index, window] of windows.entries()) {
      const isLast = index === windows.length - 1;
      const left = size - (page?.edges.length ?? 0);
      const { after, before, ...rest } = pagination;
      const next = { ...(page ? rest : pagination), [sizeName]: left };
      const found = await read(
        { pagination: next, ...window },
        signal,
        demandOf(demand, { isForward, isContinued: page !== undefined && page.edges.length > 0, isLast }),
      );
      limits.observe(found.extra.block);
      page = page ? joined(page, found, isForward) : found;
      if (!isLast) page = withMore(page, isForward);
      if (page.edges.length >= size) break;
    }
    return page ?? read({ ...request, start: limits.end, end: limits.end }, signal, demand);
  };
  return async (request, signal, demand) => {
    const { pagination, start, end } = request;
    const cursor = pagination.after ?? pagination.before;
    const isOpen = start === undefined && end === undefined;
    const isFine = isAccepted(start, end) || (cursor !== undefined && (isOpen || nanosecondsOf(cursor) === undefined));
    if (isFine || !limits.isNeeded) {
      try {
        return await read(request, signal, demand);
      } catch (error) {
        if (isFine || !isRefused(error)) throw error;
        limits.observe(readBlock(error));
      }
    }
    const page = await readWindows(request, signal, demand);
    limits.isNeeded = true;
    return page;
  };
}

/** What is left of the range behind the cursor. */
function remaining({ pagination, start, end }: ListRequest, isDescending: boolean, limits: RangeLimits): TimeRange {
  const cursor = pagination.after ?? pagination.before;
  const place = cursor === undefined ? undefined : nanosecondsOf(cursor);
  const range = { start: start ?? 0n, end: end ?? limits.end };
  if (place === undefined) return range;
  // Nodes keep times in microseconds. The cursor's own record is among those that are read.
  if (isDescending) return { ...range, end: minimum(range.end, place + 1000n) };
  return { ...range, start: maximum(range.start, place) };
}

/** What one of several windows has to show: the first one the place, and the last one the end. */
function demandOf<T>(
  demand: Demand<PageContent<T>> | undefined,
  { isForward, isContinued, isLast }: { isForward: boolean; isContinued: boolean; isLast: boolean },
): Demand<PageContent<T>> | undefined {
  if (demand === undefined) return undefined;
  const { lacksBlock, holdsStart, holdsPlace } = demand;
  const whole = (data: PageContent<T>) => (isLast ? data : withMore(data, isForward));
  return {
    ...demand,
    // The first window that has records has the place.
    ...(holdsPlace && {
      holdsPlace: (data) => isContinued || (!isLast && data.edges.length === 0) || holdsPlace(data),
    }),
    ...(holdsStart && { holdsStart: (shown) => holdsStart({ ...shown, data: whole(shown.data) }) }),
    ...(lacksBlock && {
      lacksBlock: (shown, namesBlocks) => lacksBlock({ ...shown, data: whole(shown.data) }, namesBlocks),
    }),
  };
}

const noCursors = { hasNextPage: false, hasPreviousPage: false, startCursor: "", endCursor: "" };

/** A page that others follow, in other windows. */
const withMore = <Page extends PageContent<unknown>>(page: Page, isForward: boolean): Page => ({
  ...page,
  pageInfo: { ...(page.pageInfo ?? noCursors), [isForward ? "hasNextPage" : "hasPreviousPage"]: true },
});

/** Two pages that follow each other as one. */
function joined<T>(page: NodePage<T>, next: NodePage<T>, isForward: boolean): NodePage<T> {
  const [a, b] = isForward ? [page, next] : [next, page];
  const edges = [...a.edges, ...b.edges];
  const pageInfo = {
    hasPreviousPage: a.pageInfo?.hasPreviousPage ?? false,
    hasNextPage: b.pageInfo?.hasNextPage ?? false,
    startCursor: edges.at(0)?.cursor ?? "",
    endCursor: edges.at(-1)?.cursor ?? "",
  };
  return { ...next, edges, pageInfo, extra: ofEarlierBlock(page.extra, next.extra) };
}
