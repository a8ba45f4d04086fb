import type { Forward } from "../../generated/client.js";
import type { PaginationError } from "../errors/index.js";
import { keyBy } from "../values/natural-key.js";

/** Where a page of an infinite list begins, as JSON. */
export type PageStart =
  /** After a cursor. */
  | Forward
  /** At a time, in Unix nanoseconds. */
  | { time: `${bigint}` }
  /** No cursor leads there: the request of the page rejects with a `PaginationError`. */
  | { unreachable: string; reason: PaginationError["reason"] };

/** A page of an infinite list as JSON. */
export interface InfinitePage<T> {
  /** The records. */
  nodes: T[];
  /** Where the next page begins. Absent at the end of the list. */
  next?: PageStart;
  /** Whether the page may be out of date, because no node of a pool gave a fresh one. */
  stale: boolean;
}

/** The pages of an infinite list, as TanStack Query keeps them. */
export interface InfiniteData<T> {
  pages: InfinitePage<T>[];
  /** Where each page begins; `null` for the start of the list. */
  pageParams: (PageStart | null)[];
}

/** Returns a function that leaves out records that an earlier page has. */
export function withoutRepeats<T>(naturalKey: readonly (keyof T)[]) {
  const keyOf = keyBy<T>(naturalKey);
  return ({ pages, pageParams }: InfiniteData<T>): InfiniteData<T> => {
    const known = new Set<string>();
    const isNew = (record: T) => {
      const { size } = known;
      return known.add(keyOf(record)).size > size;
    };
    return { pages: pages.map((page) => ({ ...page, nodes: page.nodes.filter(isNew) })), pageParams };
  };
}
