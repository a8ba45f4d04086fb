import type { Pagination } from "../../generated/types.js";
import type { Shown } from "../http/demand.js";
import { minimum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/nanoseconds.js";
import { type PageContent, timeOf } from "./node-page.js";

/** A time that no record reaches, in Unix nanoseconds. */
export const never = (1n << 63n) - 1n;

/** A node keeps at least one day, so that nothing is missing that is less than an hour older than its block. */
const certain = nanosecondsPerDay / 24n;

export const startOfDay = (time: bigint): bigint => time - (time % nanosecondsPerDay);

/** Returns whether a node reads a list downwards for a page. */
export function isDescending({ last, before, newestFirst = true }: Pagination): boolean {
  return (last === undefined && before === undefined) === newestFirst;
}

/**
 * The time from which on no record of the list is missing before the oldest one of a page, in Unix nanoseconds; 0 if older pages follow,
 * which decide it.
 *
 * A node that does not keep everything drops balance changes by whole days, the oldest first: the database of a node keeps them in
 * chunks of one day (UTC). So a record of a day shows that nothing of that day and of later ones was dropped.
 */
export function completeFrom({ data, block }: Shown<PageContent<unknown>>, pagination: Pagination): bigint {
  const { edges, pageInfo } = data;
  const { newestFirst = true } = pagination;
  const hasOlder = newestFirst ? pageInfo?.hasNextPage : pageInfo?.hasPreviousPage;
  if (hasOlder && isDescending(pagination)) return 0n;
  const oldest = timeOf(edges.at(newestFirst ? -1 : 0));
  const day = oldest === undefined ? never : startOfDay(oldest);
  return block === undefined ? day : minimum(day, block.timestamp - certain);
}
