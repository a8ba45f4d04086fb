import type { Pagination } from "../../generated/types.js";
import type { Shown } from "../http/demand.js";
import { nanosecondsPerDay } from "../values/nanoseconds.js";
import { type PageContent, timeOf } from "./node-page.js";

/** A time that no record reaches, in Unix nanoseconds. */
export const never = (1n << 63n) - 1n;

/** A node keeps at least one day, so that a range that begins less than an hour before its block needs no proof. */
const certain = nanosecondsPerDay / 24n;

export const startOfDay = (time: bigint): bigint => time - (time % nanosecondsPerDay);

/** Returns whether a node reads a list downwards for a page. */
export function isDescending({ last, before, newestFirst = true }: Pagination): boolean {
  return (last === undefined && before === undefined) === newestFirst;
}

/**
 * The time from which on no record of the list is missing before the oldest one of a page, in Unix nanoseconds; 0 if older pages follow,
 * which decide it. A page without records proves nothing.
 *
 * A node that does not keep everything drops balance changes by whole days, the oldest first: the database of a node keeps them in
 * chunks of one day (UTC). So a record of a day shows that nothing of that day and of later ones was dropped.
 *
 * @param start - The start of the range; 0 if it is open.
 */
export function completeFrom({ data, block }: Shown<PageContent<unknown>>, pagination: Pagination, start = 0n): bigint {
  const { edges, pageInfo } = data;
  const { newestFirst = true } = pagination;
  const hasOlder = newestFirst ? pageInfo?.hasNextPage : pageInfo?.hasPreviousPage;
  if (hasOlder && isDescending(pagination)) return 0n;
  if (block !== undefined && start >= block.timestamp - certain) return start;
  const oldest = timeOf(edges.at(newestFirst ? -1 : 0));
  return oldest === undefined ? never : startOfDay(oldest);
}
