import type { BalanceChange } from "../../generated/types.js";
import { type AccountPlace, blockTimeOf, withAccountId } from "./cursors.js";
import type { Edge } from "./page.js";

/** How a page is requested that follows a cursor. */
export interface Continuation {
  cursor: string;
  /** Names the place of the cursor. Cursors of one place lead to the same page. */
  id: string;
  /** Whether the page repeats records of the page before it. */
  overlaps: boolean;
  /** The cursor's place, if it is one of balance changes with an account id: no record of the page comes before it. */
  place?: AccountPlace;
  /** The times of blocks that are known as a whole. The page begins in one of them, so that what is left out is known. */
  guard?: ReadonlySet<string>;
  /** What to continue from if the page begins elsewhere. */
  fallback?: (() => Continuation | undefined) | undefined;
  /** Set if the node leaves out one record of a block: the keys of the block's records that are known. */
  passing?: { time: string; known: ReadonlySet<string> };
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

/**
 * The ways to continue after a page, best first. A walk takes the first whose place it has not continued from before.
 *
 * @param edges - The page in the order of the walk.
 */
export function continuationsAfter<T>(
  edges: readonly Edge<T>[],
  endCursor: string,
  cursors: UnreliableCursors<T> | undefined,
  completesAccounts: boolean,
): Continuation[] {
  const asSent: Continuation = { cursor: endCursor, id: endCursor, overlaps: false };
  const time = cursors && blockTimeOf(endCursor);
  if (cursors === undefined || time === undefined) return [asSent];
  let start = edges.length;
  while (start > 0 && blockTimeOf(edges[start - 1]?.cursor ?? "") === time) start--;
  const previousBlock = fromBlockOf(edges[start - 1]);
  if (cursors.lack === "account") {
    const last = edges.at(-1);
    const record = last?.cursor === endCursor ? (last.node as BalanceChange) : undefined;
    const completed = completesAccounts ? withAccountId(endCursor, record) : undefined;
    if (completed === undefined) return previousBlock ? [previousBlock] : [];
    const { cursor, place, isRepaired } = completed;
    return [{ cursor, id: cursor, overlaps: false, place, fallback: () => (isRepaired ? previousBlock : asSent) }];
  }
  const known = new Set(edges.slice(start).map(({ node }) => cursors.keyOf(node)));
  const passing: Continuation = { cursor: endCursor, id: time, overlaps: true, passing: { time, known } };
  return [guarded(edges, start, 2), previousBlock, passing].filter((way) => way !== undefined);
}

/**
 * From an edge so far before the last block that the page begins in a known block, also if votes have moved meanwhile: a
 * vote that is written again leaves its place, and the node would leave out a record of the last block instead.
 */
function guarded<T>(edges: readonly Edge<T>[], start: number, distance: number): Continuation | undefined {
  const index = Math.max(0, start - distance);
  const way = start < 2 ? undefined : fromBlockOf(edges[index]);
  if (way === undefined) return undefined;
  const guard = new Set(edges.slice(index, start).map(({ cursor }) => blockTimeOf(cursor) ?? ""));
  return { ...way, guard, fallback: index > 0 ? () => guarded(edges, start, 2 * distance) : undefined };
}

/** After a cursor that the caller brings, of which no page is known. */
export function continuationFrom<T>(cursor: string, cursors: UnreliableCursors<T> | undefined): Continuation {
  const asSent: Continuation = { cursor, id: cursor, overlaps: false };
  if (cursors?.lack === "record") return { ...asSent, id: blockTimeOf(cursor) ?? cursor };
  const completed = cursors && withAccountId(cursor);
  if (completed === undefined) return asSent;
  return {
    cursor: completed.cursor,
    id: completed.cursor,
    overlaps: false,
    place: completed.place,
    fallback: () => asSent,
  };
}

/** From an edge whose block is known as a whole: what the node leaves out of it came before. */
function fromBlockOf(edge: Edge<unknown> | undefined): Continuation | undefined {
  const time = edge && blockTimeOf(edge.cursor);
  return time === undefined ? undefined : { cursor: edge?.cursor ?? "", id: time, overlaps: true };
}

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
