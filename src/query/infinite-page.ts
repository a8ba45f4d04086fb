import { operations } from "../../generated/operations.js";
import { checkedWhenRead, checkOptions } from "../arguments/check-options.js";
import type { ListOperation } from "../arguments/operation.js";
import type { ListId, Page } from "../client/listing.js";
import { PaginationError } from "../errors/index.js";
import type { Timed } from "../scan/range-page.js";
import type { InfinitePage, PageStart } from "./infinite-data.js";
import { type InfiniteArgument, type ListMethod, readTimePage } from "./time-page.js";

export interface InfinitePageRequest<T> {
  operation: ListId;
  list: ListMethod<T>;
  query: InfiniteArgument | undefined;
  /** Where the page begins; `null` for the start of the list. */
  start: PageStart | null;
  signal: AbortSignal | undefined;
}

/** Reads a page of an infinite list. */
export async function readInfinitePage<T>(request: InfinitePageRequest<T>): Promise<InfinitePage<T>> {
  const { operation, list, query = {}, start, signal } = request;
  const { pagination = {} } = query;
  // A cursor or another direction would contradict the places where pages begin.
  checkOptions({ first: checkedWhenRead, newestFirst: checkedWhenRead }, pagination, {
    name: `${operation}.infinite`,
    operation,
    prefix: "pagination.",
  });
  if (start && "unreachable" in start) {
    throw new PaginationError(start.unreachable, { operation, reason: start.reason });
  }
  const { range }: ListOperation<never> = operations[operation];
  if (range && (start === null || "time" in start)) {
    // The records of lists with a time range are sorted by their timestamp.
    const timed = list as ListMethod<T & Timed>;
    return readTimePage({ operation, list: timed, query, range, time: start?.time, signal });
  }
  const page = await list({ ...query, pagination: start ?? pagination }, { signal });
  return { nodes: page.nodes, ...nextOf(page), stale: page.stale };
}

function nextOf(page: Pick<Page<unknown>, "next">): { next?: PageStart } {
  try {
    const { next } = page;
    return next ? { next } : {};
  } catch (error) {
    // The records of this page are shown before the error.
    if (PaginationError.is(error)) return { next: { unreachable: error.message, reason: error.reason } };
    throw error;
  }
}
