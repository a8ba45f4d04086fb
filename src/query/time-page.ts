import type { Listing, ListingOptions, Page } from "../client/listing.js";
import { checkPage, type Timed } from "../scan/range-page.js";
import { earlyStart, microsecondOf, toTime } from "../values/microseconds.js";
import type { InfinitePage } from "./infinite-data.js";

/** An argument of an infinite list, as far as it concerns its pages. */
export interface InfiniteArgument {
  readonly pagination?: { readonly first?: number; readonly newestFirst?: boolean };
  readonly [name: string]: unknown;
}

export type ListMethod<T> = (query: object, options: ListingOptions) => Listing<T>;

export interface TimePageRequest<T> {
  operation: string;
  list: ListMethod<T>;
  query: InfiniteArgument;
  /** The two times of the argument, as in `dateRange.startTimestamp`. */
  range: { readonly start: string; readonly end: string };
  /** Where the page begins, in Unix nanoseconds. Default: at the start of the list. */
  time: string | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Reads a page of a list that is sorted by time. The next page begins with the last microsecond of this one, of which this one may
 * not have all records: nothing depends on a cursor that a node loses records after.
 */
export async function readTimePage<T extends Timed>(request: TimePageRequest<T>): Promise<InfinitePage<T>> {
  const { operation, list, query, range, time, signal } = request;
  const newestFirst = query.pagination?.newestFirst ?? true;
  const start = time === undefined ? undefined : microsecondOf(BigInt(time));
  const isBeforeStart = ({ timestamp }: T) => {
    const microsecond = microsecondOf(BigInt(timestamp));
    return start !== undefined && (newestFirst ? microsecond >= start : microsecond < start);
  };
  const [group = "", name = ""] = (newestFirst ? range.end : range.start).split(".");
  const bound = start !== undefined && { [name]: newestFirst ? toTime(start) : earlyStart(start) };
  const listing = list({ ...query, [group]: { ...(query[group] as object), ...bound } }, { signal });
  const nodes: T[] = [];
  let stale = false;
  for (let page: Page<T> | undefined = await listing; page; page = await page.nextPage()) {
    const { edges, pageInfo, response } = page;
    const hasMore = pageInfo?.hasNextPage ?? false;
    checkPage(operation, { pagination: { newestFirst } }, { edges, pageInfo, response });
    stale ||= page.stale;
    nodes.push(...page.nodes.filter((record) => !isBeforeStart(record)));
    const last = nodes.at(-1);
    if (!hasMore || last === undefined) continue;
    const border = microsecondOf(BigInt(last.timestamp));
    const complete = nodes.filter(({ timestamp }) => microsecondOf(BigInt(timestamp)) !== border);
    if (complete.length > 0)
      return { nodes: complete, next: { time: `${toTime(newestFirst ? border + 1n : border)}` }, stale };
  }
  return { nodes, stale };
}
