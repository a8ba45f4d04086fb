import type { Pagination } from "../../generated/types.js";
import { readBlock } from "../http/block.js";
import type { Demand, Shown } from "../http/demand.js";
import { directionOf, inWalkOrder } from "./direction.js";
import { isDescending, never } from "./history.js";
import { type NodePage, ofEarlierBlock, type PageContent, type ReadList } from "./node-page.js";
import { isAccepted, isRefused, type RangeLimits, type TimeRange, windowsOf } from "./range-limits.js";

/**
 * Reads pages of a list with a range also from nodes that refuse a range without an end, or a long one, as v0.75 and later nodes do
 * (observed on v0.79 nodes). Such a page comes from the first year of the range that has records, and reports that more follow if others
 * are left. With a cursor, nodes need no range: the page can have records outside of it.
 */
export function inWindows<T>(read: ReadList<T>, limits: RangeLimits): ReadList<T> {
  return async (request, signal, demand) => {
    const { pagination, start = 0n, end } = request;
    const hasCursor = (pagination.after ?? pagination.before) !== undefined;
    const isOpen = request.start === undefined && end === undefined;
    const isFine = isAccepted(request.start, end) || (hasCursor && isOpen);
    if (isFine || !limits.isNeeded) {
      try {
        return await read(request, signal, demand);
      } catch (error) {
        if (isFine || !isRefused(error)) throw error;
        limits.isNeeded = true;
        limits.observe(readBlock(error));
      }
    }
    if (hasCursor) return read({ pagination }, signal, demand);
    for (;;) {
      const range = { start, end: end ?? limits.end };
      // Within an open range, the place can be in any of its years. A range with a bound begins at the place.
      const isPlaced = (isDescending(pagination) ? end : request.start) !== undefined;
      const page = await readFirst(range, pagination, signal, demand && (isPlaced ? demand : unplaced(demand)));
      // An open end is taken to be a day after the latest block so far: a node that is further ahead has later records.
      if (end !== undefined || (page.extra.block?.timestamp ?? 0n) < range.end) return page;
    }
  };

  /** Reads the first year of a range that has records. */
  async function readFirst(
    range: TimeRange,
    pagination: Pagination,
    signal: AbortSignal,
    demand?: Demand<PageContent<T>>,
  ): Promise<NodePage<T>> {
    const windows = [...windowsOf(range, isDescending(pagination))];
    const { more, size } = directionOf(pagination);
    const [isOne, rest] = [pagination[size] === 1, pagination[size] && { [size]: pagination[size] - 1 }];
    /** The only record of its window. A page has two if there are two, so that the next page can begin with the second one. */
    let only: NodePage<T> | undefined;
    for (const window of windows) {
      const isLast = window === windows.at(-1);
      const own = demand && !isLast ? followed(demand, pagination) : demand;
      const page = only
        ? joinPages(
            only,
            await read({ pagination: { ...pagination, ...rest }, ...window }, signal, own && unplaced(own)),
            pagination,
          )
        : await read({ pagination, ...window }, signal, own);
      if (isLast) return page;
      if (page.edges.length > 1 || page.pageInfo?.[more] || (isOne && page.edges.length > 0))
        return withMore(page, pagination);
      if (page.edges.length > 0) only = page;
    }
    return read({ pagination, start: limits.end, end: limits.end }, signal, demand);
  }
}

/** One page of two that follow each other in the order of reading. */
function joinPages<T>(first: NodePage<T>, second: NodePage<T>, pagination: Pagination): NodePage<T> {
  const direction = directionOf(pagination);
  const { more, nextCursor } = direction;
  const edges = inWalkOrder(
    [...inWalkOrder(first.edges, direction), ...inWalkOrder(second.edges, direction)],
    direction,
  );
  const end = second.edges.length > 0 ? second : first;
  const pageInfo = {
    ...(first.pageInfo ?? noCursors),
    [nextCursor]: end.pageInfo?.[nextCursor] ?? "",
    [more]: second.pageInfo?.[more] ?? false,
  };
  return { ...second, edges, pageInfo, extra: ofEarlierBlock(first.extra, second.extra) };
}

/** The demand on a page that others follow, in other windows. */
function followed<T>(demand: Demand<PageContent<T>>, pagination: Pagination): Demand<PageContent<T>> {
  const { lacksBlock, completeFrom } = demand;
  return {
    ...demand,
    ...(lacksBlock && {
      lacksBlock: (shown, namesBlocks) => lacksBlock({ ...shown, data: withMore(shown.data, pagination) }, namesBlocks),
    }),
    ...(completeFrom && {
      // A year without records can be one that the node does not keep.
      completeFrom: (shown) => (isEmpty(shown) ? never : completeFrom(shown)),
    }),
  };
}

/** The demand on a page of a range that can begin with years without records. */
function unplaced<T>({ holdsPlace, ...demand }: Demand<PageContent<T>>): Demand<PageContent<T>> {
  return {
    ...demand,
    ...(holdsPlace && {
      holdsPlace: (data) => data.edges.length === 0 || holdsPlace(data),
      historyFrom: 0n,
      completeFrom: (shown) => (isEmpty(shown) ? never : 0n),
    }),
  };
}

const isEmpty = ({ data }: Shown<PageContent<unknown>>): boolean => data.edges.length === 0;

const noCursors = { hasNextPage: false, hasPreviousPage: false, startCursor: "", endCursor: "" };

const withMore = <Page extends PageContent<unknown>>(page: Page, { last, before }: Pagination): Page => ({
  ...page,
  pageInfo: {
    ...(page.pageInfo ?? noCursors),
    [last === undefined && before === undefined ? "hasNextPage" : "hasPreviousPage"]: true,
  },
});
