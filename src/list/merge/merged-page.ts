import { refuse } from "../../arguments/refuse.js";
import { backward, type Direction, forward, inWalkOrder } from "../../evidence/direction.js";
import type { Edge, PageContent } from "../page.js";

/** The place of a page in one of the merged lists: the cursors to continue from in both directions. */
export interface MergePosition {
  /** `undefined`: from the start of the list; `false`: nothing follows. */
  after?: string | false;
  /** `undefined`: from the end of the list; `false`: nothing comes before. */
  before?: string | false;
}

/** What a page takes from one of the merged lists. */
export interface Span {
  /** The cursor that the page continued from, as in {@link MergePosition}. */
  start: string | false | undefined;
  /** The cursor of the first record that was read and not taken. */
  next: string | undefined;
  /** Whether records follow. */
  isOpen: boolean;
}

/** A record of a page, and the number of its list. */
export interface ListedEdge<T> {
  list: number;
  edge: Edge<T>;
}

/**
 * A page of merged lists. Its cursors hold a place in each list, so that they are valid for the same filters only.
 *
 * @param taken - The records in the order of the walk.
 */
export function mergedPage<T>(
  taken: readonly ListedEdge<T>[],
  spans: readonly Span[],
  direction: Direction,
  hasEarlier: boolean,
): PageContent<T> {
  const edges = taken.map(({ edge: { node } }, index) => ({
    node,
    // It is long for a list that was split often, and rarely needed.
    get cursor() {
      return cursorAfter(index + 1, taken, spans, direction);
    },
  }));
  const end = cursorAfter(taken.length, taken, spans, direction);
  const start = edges[0]?.cursor ?? end;
  const hasMore = spans.some(({ isOpen }) => isOpen);
  const [startCursor, endCursor] = inWalkOrder([start, end], direction) as [string, string];
  const [hasPreviousPage, hasNextPage] = inWalkOrder([hasEarlier, hasMore], direction) as [boolean, boolean];
  return {
    edges: inWalkOrder(edges, direction),
    pageInfo: { startCursor, endCursor, hasNextPage, hasPreviousPage },
  };
}

/** The cursor after so many records of a page. */
function cursorAfter<T>(
  count: number,
  taken: readonly ListedEdge<T>[],
  spans: readonly Span[],
  direction: Direction,
): string {
  const before = taken.slice(0, count).reverse();
  const after = taken.slice(count);
  const places = spans.map(({ start, next, isOpen }, list): MergePosition => {
    const isOfList = (each: ListedEdge<T>) => each.list === list;
    const here = before.find(isOfList)?.edge.cursor ?? start;
    const following = after.find(isOfList)?.edge.cursor ?? next;
    const isLast = before[0]?.list === list;
    const back = isLast ? here : here === undefined ? false : following;
    return {
      [direction.cursor]: following === undefined && !isOpen ? false : here,
      [direction === forward ? backward.cursor : forward.cursor]: back,
    };
  });
  return JSON.stringify(places);
}

/** Reads the places of so many lists from a cursor. */
export function readPlaces(
  operation: string,
  direction: Direction,
  cursor: string | undefined,
  count: number,
): readonly MergePosition[] {
  if (cursor === undefined) return [];
  try {
    const places: unknown = JSON.parse(cursor);
    if (Array.isArray(places) && places.length === count) return places as MergePosition[];
  } catch {
    // Refused below.
  }
  const argument = `pagination.${direction.cursor}`;
  return refuse({ operation, argument }, `a cursor of this list, which takes ${count} requests`, cursor);
}
