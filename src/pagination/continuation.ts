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
  /** What to continue from if a record does. */
  fallback?: Continuation | undefined;
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
  /** Tells records apart. */
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
  const previousBlock = fromBlockOf(edges[start - 1]?.cursor ?? "");
  if (cursors.lack === "account") {
    const last = edges.at(-1);
    const record = last?.cursor === endCursor ? (last.node as BalanceChange) : undefined;
    const completed = completesAccounts ? withAccountId(endCursor, record) : undefined;
    if (completed === undefined) return previousBlock ? [previousBlock] : [];
    const { cursor, place, isRepaired } = completed;
    return [{ cursor, id: cursor, overlaps: false, place, fallback: isRepaired ? previousBlock : asSent }];
  }
  const known = new Set(edges.slice(start).map(({ node }) => cursors.keyOf(node)));
  const passing: Continuation = { cursor: endCursor, id: `past ${time}`, overlaps: true, passing: { time, known } };
  return previousBlock ? [previousBlock, passing] : [passing];
}

/** After a cursor that the caller brings, of which no page is known. */
export function continuationFrom<T>(cursor: string, cursors: UnreliableCursors<T> | undefined): Continuation {
  const asSent: Continuation = { cursor, id: cursor, overlaps: false };
  if (cursors?.lack === "record") return { ...asSent, id: fromBlockOf(cursor)?.id ?? cursor };
  const completed = cursors && withAccountId(cursor);
  if (completed === undefined) return asSent;
  return { cursor: completed.cursor, id: completed.cursor, overlaps: false, place: completed.place, fallback: asSent };
}

/** From an edge whose block is known as a whole: what the node leaves out of it came before. */
function fromBlockOf(cursor: string): Continuation | undefined {
  const time = blockTimeOf(cursor);
  return time === undefined ? undefined : { cursor, id: `at ${time}`, overlaps: true };
}

/**
 * Tells whether a page that leaves out one record of a block shows all others of it, and the one left out is known.
 *
 * @param edges - The page in the order of the walk.
 */
export function passes<T>(
  edges: readonly Edge<T>[],
  hasMore: boolean,
  { time, known }: { time: string; known: ReadonlySet<string> },
  keyOf: (record: T) => string,
): boolean {
  const ofBlock = new Set<string>();
  for (const { cursor, node } of edges) {
    if (blockTimeOf(cursor) !== time) break;
    ofBlock.add(keyOf(node));
  }
  const isWhole = ofBlock.size < edges.length || !hasMore;
  return isWhole && [...known].some((key) => !ofBlock.has(key));
}
