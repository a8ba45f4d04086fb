import type { BalanceChange } from "../../../generated/types.js";
import { blockTimeOf, nanosecondsOf } from "../../evidence/block-cursor.js";
import type { Edge } from "../page.js";
import { type AccountPlace, blockNeededFor, continuingAt, isAt, placeOf, withAccountId } from "./cursors.js";

/** Returns the edges that follow what is known; `undefined` if the page does not show that it continues there. */
type Accept<T> = (edges: readonly Edge<T>[]) => readonly Edge<T>[] | undefined;

/** How a page is requested that follows others, and what shows that it does. */
export interface Continuation<T> {
  /** `undefined`: from the start of the list. */
  cursor: string | undefined;
  /** The cursor to continue from in another walk, if it is another one: after the last record, on a node that follows it. */
  resume?: string | undefined;
  /** Names the place. Continuations of one place lead to the same page. */
  id: string;
  /** How many of the requested records are known; `"all"` if the size of the page must not depend on what the caller needs. */
  overlap: number | "all";
  /** Default: all edges are accepted. */
  accept?: Accept<T>;
  /** The time that the node must have passed, in Unix nanoseconds: that of the cursor's block. */
  after?: bigint | undefined;
  /** What to continue from if no page is accepted. */
  fallback?: (() => Continuation<T> | undefined) | undefined;
  /** Set if the node leaves out one record of a block: the keys of the block's records that are known. */
  passing?: { time: string; known: ReadonlySet<string> };
  /** Set for a cursor of which nothing but the place is known: returns the continuation from the records before it. */
  locate?(before: readonly Edge<T>[]): Continuation<T>;
}

/** What the cursors of a list lack on v0.74 nodes. Cursors of another form than theirs are followed as they are. */
export interface UnreliableCursors<T> {
  /**
   * `"record"`: the cursor names a block, and a node leaves out the first record of that block, whichever it is.
   * `"account"`: the cursor lacks the account id that records of one block are sorted by.
   */
  lack: "record" | "account";
  /** Returns the natural key of a record as text. */
  keyOf(record: T): string;
}

/** Records that are read before the last one, if the account ids of those between are not known. */
export const longestOverlap = 50;

/** Nodes allow pages of this size (observed on v0.74 nodes). */
export const largestPage = 5000;

interface Continuations<T> {
  ways: readonly Continuation<T>[];
  /** The cursor that leaves nothing out, for another walk. */
  resume: string | undefined;
}

/**
 * The ways to continue after a page, best first. A walk takes the first whose place it has not continued from before.
 *
 * @param edges - The page in the order of the walk.
 * @param before - The last records before it.
 * @param completesAccounts - Whether the node follows cursors with an account id.
 * @param isFirstPage - Whether the page is at the start of the list.
 */
export function continuationsAfter<T>(
  edges: readonly Edge<T>[],
  before: readonly Edge<T>[],
  endCursor: string,
  cursors: UnreliableCursors<T> | undefined,
  { completesAccounts, isFirstPage }: { completesAccounts: boolean; isFirstPage: boolean },
): Continuations<T> {
  const asSent: Continuation<T> = { cursor: endCursor, id: endCursor, overlap: 0 };
  const time = cursors && blockTimeOf(endCursor);
  if (cursors === undefined || time === undefined) return { ways: [asSent], resume: endCursor };
  if (cursors.lack === "account") {
    const known = [...before, ...edges];
    const fallback = () => fromEarlierBlocks(known, cursors.keyOf, isFirstPage);
    const exact = fromRecordBefore(known, fallback);
    const way = completesAccounts ? exact : fallback();
    return { ways: way ? [{ ...way, resume: exact?.cursor }] : [], resume: exact?.cursor };
  }
  const start = startOfBlock(edges, edges.length, time);
  const previousBlock = fromBlockOf(edges[start - 1]);
  const known = new Set(edges.slice(start).map(({ node }) => cursors.keyOf(node)));
  const passing: Continuation<T> = { ...fromBlock(endCursor, time), passing: { time, known } };
  const safe = [guarded(edges, start, 2), previousBlock].filter((way) => way !== undefined);
  return { ways: [...safe, passing], resume: safe[0]?.cursor };
}

/** The index of the first edge of a block that ends before another index. */
function startOfBlock<T>(
  edges: readonly Edge<T>[],
  end: number,
  time = blockTimeOf(edges[end - 1]?.cursor ?? ""),
): number {
  let start = end;
  while (start > 0 && blockTimeOf(edges[start - 1]?.cursor ?? "") === time) start--;
  return start;
}

/**
 * From the record before the last one, or an earlier one whose account id is known: the page begins with the last record, which
 * shows that the node follows the cursor, and that it has what comes after.
 */
export function fromRecordBefore<T>(
  edges: readonly Edge<T>[],
  fallback?: Continuation<T>["fallback"],
): Continuation<T> | undefined {
  const last = edges.at(-1);
  if (last === undefined) return undefined;
  const place = placeOf(last.node as BalanceChange);
  const { cursor: own = last.cursor } = withAccountId(last.cursor, last.node as BalanceChange) ?? {};
  for (let overlap = 1; overlap < edges.length && overlap <= longestOverlap; overlap++) {
    const edge = edges[edges.length - 1 - overlap] as Edge<T>;
    const completed = withAccountId(edge.cursor, edge.node as BalanceChange);
    if (completed === undefined) continue;
    const cursor = place ? continuingAt(completed.cursor, place) : completed.cursor;
    // v0.74 nodes begin the last page with the cursor's own record, since they compare cursors as text.
    return { cursor, id: last.cursor, overlap, accept: after(last, overlap), fallback };
  }
  return edges.length > 1 || place === undefined ? fallback?.() : fromPlace(own, place, { id: last.cursor });
}

/** Accepts a page that has a record among its first ones. */
function after<T>(last: Edge<T>, mostBefore: number): Accept<T> {
  const isLast = sameAs(last);
  return (edges) => {
    const index = edges.slice(0, mostBefore + 1).findIndex(isLast);
    return index < 0 ? undefined : edges.slice(index + 1);
  };
}

/** Compares cursors, and if they differ, as between versions of nodes, the places of the records. */
function sameAs<T>({ cursor, node }: Edge<T>): (edge: Edge<T>) => boolean {
  const place = placeOf(node as BalanceChange);
  return (edge) => edge.cursor === cursor || (place !== undefined && isAt(edge.node as BalanceChange, place));
}

/** For nodes that do not follow completed cursors: from before the last block, which is repeated as a whole. */
function fromEarlierBlocks<T>(
  edges: readonly Edge<T>[],
  keyOf: (record: T) => string,
  isFirstPage: boolean,
): Continuation<T> | undefined {
  const keys = new Set(edges.map(({ node }) => keyOf(node)));
  const last = edges.at(-1);
  if (last === undefined) return undefined;
  const isLast = sameAs(last);
  const isKnown = ({ node }: Edge<T>) => keys.has(keyOf(node));
  // Newer records can stand before those that are known.
  const fresh = (page: readonly Edge<T>[]) => page.slice(page.findIndex(isKnown)).filter((edge) => !isKnown(edge));
  const start = startOfBlock(edges, edges.length);
  let index = startOfBlock(edges, start);
  while (index > 0 && start - index < 2) index = startOfBlock(edges, index);
  const times = new Set(edges.slice(index, start).map(({ cursor }) => blockTimeOf(cursor)));
  const block = edges.slice(start).map(({ node }) => keyOf(node));
  const ways: (Continuation<T> | undefined)[] = [
    // The node leaves out the first record of the next block, which is known, so that the page begins in a known block.
    fromEdge(edges[index - 1], (page) =>
      times.has(blockTimeOf(page[0]?.cursor ?? "")) && page.some(isLast) ? fresh(page) : undefined,
    ),
    // It leaves out the first record of the last block: that was known if another one that was known is missing.
    fromEdge(edges[start - 1], (page) => {
      const shown = new Set(page.map(({ node }) => keyOf(node)));
      const isLeftOut = block.length > 1 && block.filter((key) => !shown.has(key)).length === 1;
      return isLeftOut ? fresh(page) : undefined;
    }),
    isFirstPage
      ? {
          cursor: undefined,
          id: last.cursor,
          overlap: edges.length,
          accept: (page) => (page.some(isLast) ? fresh(page) : undefined),
        }
      : undefined,
  ];
  return ways.reduceRight<Continuation<T> | undefined>(
    (fallback, way) => (way ? { ...way, fallback: () => fallback } : fallback),
    undefined,
  );
}

const fromEdge = <T>(edge: Edge<T> | undefined, accept: Accept<T>): Continuation<T> | undefined =>
  edge && { ...fromBlock<T>(edge.cursor, blockTimeOf(edge.cursor) ?? ""), accept };

/**
 * From an edge so far before the last block that the page begins in a known block, also if votes have moved meanwhile: a
 * vote that is rewritten leaves its place, and the node would leave out a record of the last block instead.
 */
function guarded<T>(edges: readonly Edge<T>[], start: number, distance: number): Continuation<T> | undefined {
  const index = Math.max(0, start - distance);
  const way: Continuation<T> | undefined = start < 2 ? undefined : fromBlockOf(edges[index]);
  // If every known vote of the page has moved away, there is no earlier cursor to continue from.
  if (way === undefined || index === 0) return way;
  const guard = new Set(edges.slice(index, start).map(({ cursor }) => blockTimeOf(cursor)));
  return {
    ...way,
    accept: (page) => (guard.has(blockTimeOf(page[0]?.cursor ?? "")) ? page : undefined),
    fallback: () => guarded(edges, start, 2 * distance),
  };
}

/** After a cursor that the caller brings, of which no page is known. */
export function continuationFrom<T>(cursor: string, cursors: UnreliableCursors<T> | undefined): Continuation<T> {
  const asSent: Continuation<T> = { cursor, id: cursor, overlap: 0, after: nanosecondsOf(cursor) };
  if (cursors?.lack === "record")
    return { ...asSent, id: blockTimeOf(cursor) ?? cursor, after: blockNeededFor(cursor) };
  const completed = cursors && withAccountId(cursor);
  if (completed === undefined) return asSent;
  const { place, last } = completed;
  return last ? { ...asSent, overlap: 1, accept: afterPlace(last) } : fromPlace(completed.cursor, place, asSent);
}

/** After a record of which only the place is known: the records before it are read first. */
function fromPlace<T>(
  cursor: string,
  place: AccountPlace,
  known: Pick<Continuation<T>, "id" | "after">,
): Continuation<T> {
  const locate = (before: readonly Edge<T>[]) => ({ ...fromNeighbor(before, place, known), resume: cursor });
  return { ...known, cursor, overlap: 0, locate };
}

/** From the record before a place, or from the start of the list if the place is there. */
function fromNeighbor<T>(
  before: readonly Edge<T>[],
  place: AccountPlace,
  { id, after }: Pick<Continuation<T>, "id" | "after">,
): Continuation<T> {
  const edge = [...before].reverse().find(({ node }) => !isAt(node as BalanceChange, place));
  const cursor =
    edge && continuingAt(withAccountId(edge.cursor, edge.node as BalanceChange)?.cursor ?? edge.cursor, place);
  // Newer records can come meanwhile at the start of the list.
  return { cursor, id, after, overlap: cursor === undefined ? longestOverlap : 1, accept: afterPlace(place) };
}

/** Accepts a page that has the record of a place among its first ones. */
const afterPlace =
  <T>(place: AccountPlace): Accept<T> =>
  (edges) => {
    const index = edges.slice(0, longestOverlap + 1).findIndex(({ node }) => isAt(node as BalanceChange, place));
    return index < 0 ? undefined : edges.slice(index + 1);
  };

/** From an edge whose block is known as a whole: what the node leaves out of it came before. */
function fromBlockOf<T>(edge: Edge<T> | undefined): Continuation<T> | undefined {
  const time = edge && blockTimeOf(edge.cursor);
  return time === undefined ? undefined : fromBlock(edge?.cursor ?? "", time);
}

const fromBlock = <T>(cursor: string, time: string): Continuation<T> => ({ cursor, id: time, overlap: "all" });

/**
 * Returns whether the record that a page leaves out of a block came before. If it did not, nothing shows which one it is.
 *
 * @param edges - The page in the order of the walk.
 */
export function passes<T>(
  edges: readonly Edge<T>[],
  { time, known }: { time: string; known: ReadonlySet<string> },
  keyOf: (record: T) => string,
): boolean {
  const shown = new Set(edges.filter(({ cursor }) => blockTimeOf(cursor) === time).map(({ node }) => keyOf(node)));
  return [...known].some((key) => !shown.has(key));
}
