import { blockTimeOf, type Edge, nanosecondsOf } from "../evidence/page.js";
import type { Place } from "../http/expectation.js";
import { blockNeededFor, continuingAt, identify, type KnownRecord, withAccountId } from "./cursors.js";

/** How a page is requested that follows others, and what it shows if it does. */
export interface Continuation {
  /** `undefined`: from the start of the list. */
  cursor: string | undefined;
  /** The cursor to continue from in another walk, if it is another one. */
  resume?: string | undefined;
  /** Names the place. Continuations of one place lead to the same page. */
  id: string;
  /** How many of the requested records are known; `"all"` if the size of the page must not depend on what the caller needs. */
  overlap: number | "all";
  /** Default: a page is used without it. */
  continuesFrom?: Place;
  /** The time that the node must have passed, in Unix nanoseconds: that of the cursor's block. */
  after?: bigint | undefined;
  /** What to continue from if no page shows the place. */
  fallbacks?: readonly Continuation[];
  /** Set if the node leaves out one record of a block: the keys of the block's records that are known. */
  passing?: { time: string; known: ReadonlySet<string> };
  /** The record to continue after, if nothing else is known: those before it are read first, with {@link fromNeighbor}. */
  only?: KnownRecord;
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

/**
 * The ways to continue after a page, best first. A walk takes the first whose place it has not continued from before.
 *
 * @param edges - The page in the order of the walk.
 * @param before - The last records before it.
 */
export function continuationsAfter<T>(
  edges: readonly Edge<T>[],
  before: readonly Edge<T>[],
  endCursor: string,
  cursors: UnreliableCursors<T> | undefined,
): readonly Continuation[] {
  const time = cursors && blockTimeOf(endCursor);
  if (cursors === undefined || time === undefined) return [{ cursor: endCursor, id: endCursor, overlap: 0 }];
  if (cursors.lack === "account") {
    const way = fromRecordBefore([...before, ...edges]);
    return way ? [way] : [];
  }
  const start = startOfBlock(edges, time);
  const [first, ...fallbacks] = guarded(edges, start);
  const previousBlock = start > 0 ? fromBlock(edges[start - 1]) : undefined;
  const known = new Set(edges.slice(start).map(({ node }) => cursors.keyOf(node)));
  const passing = { cursor: endCursor, id: time, overlap: "all" as const, passing: { time, known } };
  return [...(first ? [{ ...first, fallbacks }] : []), ...(previousBlock ? [previousBlock] : []), passing];
}

/** The index of the first edge of the block that a page ends with. */
function startOfBlock<T>(edges: readonly Edge<T>[], time: string): number {
  let start = edges.length;
  while (start > 0 && blockTimeOf(edges[start - 1]?.cursor ?? "") === time) start--;
  return start;
}

/**
 * From the record before the last one, or an earlier one whose account id is known: the page begins with the last record, which
 * shows that the node follows the cursor, and that it has what comes after.
 */
export function fromRecordBefore<T>(edges: readonly Edge<T>[]): Continuation | undefined {
  const last = edges.at(-1);
  if (last === undefined) return undefined;
  const record = identify(last.node as object);
  for (let overlap = 1; overlap < edges.length && overlap <= longestOverlap; overlap++) {
    const edge = edges[edges.length - 1 - overlap] as Edge<T>;
    const completed = withAccountId(edge.cursor, edge.node as KnownRecord);
    if (completed === undefined) continue;
    // v0.74 nodes begin the last page with the cursor's own record, since they compare cursors as text.
    const continuesFrom = { records: [record], most: overlap };
    return { cursor: continuingAt(completed.cursor, record), id: last.cursor, overlap, continuesFrom };
  }
  const own = edges.length === 1 ? withAccountId(last.cursor, last.node as KnownRecord) : undefined;
  return own && { cursor: own.cursor, id: last.cursor, overlap: 0, only: record };
}

/** After a cursor that the caller brings, of which no page is known. */
export function continuationFrom<T>(cursor: string, cursors: UnreliableCursors<T> | undefined): Continuation {
  const asSent: Continuation = { cursor, id: cursor, overlap: 0, after: nanosecondsOf(cursor) };
  if (cursors?.lack === "record")
    return { ...asSent, id: blockTimeOf(cursor) ?? cursor, after: blockNeededFor(cursor) };
  const completed = cursors && withAccountId(cursor);
  if (completed === undefined) return asSent;
  const { record, last } = completed;
  if (last === undefined) return { ...asSent, cursor: completed.cursor, only: record };
  return { ...asSent, overlap: 1, continuesFrom: { records: [last], most: longestOverlap } };
}

/**
 * From the record before the only known one, or from the start of the list if that is its first one.
 *
 * @param before - Records that end before the known one, in the order of the walk.
 */
export function fromNeighbor<T>(
  before: readonly Edge<T>[],
  { id, after, cursor, only = {} }: Continuation,
): Continuation {
  const names = Object.keys(only);
  const isKnown = ({ node }: Edge<T>) => names.every((name) => (node as KnownRecord)[name] === only[name]);
  const edge = [...before].reverse().find((edge) => !isKnown(edge));
  const completed = edge && (withAccountId(edge.cursor, edge.node as KnownRecord)?.cursor ?? edge.cursor);
  return {
    cursor: completed && continuingAt(completed, only),
    resume: cursor,
    id,
    after,
    // Newer records can come meanwhile at the start of the list.
    overlap: completed === undefined ? longestOverlap : 1,
    continuesFrom: { records: [only], most: longestOverlap },
  };
}

/**
 * From edges so far before the last block that the page begins in a known block, also if votes have moved meanwhile: a vote that is
 * rewritten leaves its place, and the node would leave out a record of the last block instead. Each one is twice as far as the one before.
 */
function guarded<T>(edges: readonly Edge<T>[], start: number): readonly Continuation[] {
  const ways: Continuation[] = [];
  for (let distance = 2; start >= 2; distance *= 2) {
    const index = Math.max(0, start - distance);
    const way = fromBlock(edges[index]);
    if (way === undefined) break;
    const times = edges.slice(index, start).flatMap(({ cursor }) => blockTimeOf(cursor) ?? []);
    // If every known vote of the page has moved away, there is no earlier cursor to continue from.
    ways.push(index === 0 ? way : { ...way, continuesFrom: { blocks: [...new Set(times)] } });
    if (index === 0) break;
  }
  return ways;
}

/** From an edge whose block is known as a whole: what the node leaves out of it came before. */
function fromBlock<T>(edge: Edge<T> | undefined): Continuation | undefined {
  const time = edge && blockTimeOf(edge.cursor);
  return time === undefined ? undefined : { cursor: edge?.cursor, id: time, overlap: "all" };
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

/** Leaves out the records of a page that came in earlier pages of the same walk. Each page has its own deduplicator. */
export interface Deduplicator<T> {
  /** @param edges - The page in the order of the walk. */
  filter(edges: readonly Edge<T>[]): { fresh: readonly Edge<T>[]; next: Deduplicator<T> };
}

/** Compares with every earlier page: a record can come again at any distance. */
export function compareWithAllPages<T>(keyOf: (record: T) => string): Deduplicator<T> {
  /** The number of the first page that had the record. Pages that are fetched twice find their own records. */
  const pageOf = new Map<string, number>();
  const ofPage = (page: number): Deduplicator<T> => ({
    filter(edges) {
      const inPage = new Set<string>();
      const fresh = edges.filter(({ node }) => {
        const key = keyOf(node);
        if (inPage.has(key) || (pageOf.get(key) ?? page) < page) return false;
        inPage.add(key);
        pageOf.set(key, page);
        return true;
      });
      return { fresh: fresh.length === edges.length ? edges : fresh, next: ofPage(page + 1) };
    },
  });
  return ofPage(0);
}

/** Compares with the last time of the previous page alone, for lists whose pages overlap in one block at most. */
export function compareWithLastTime<T>(keyOf: (record: T) => string, timeOf: (record: T) => string): Deduplicator<T> {
  const after = (time: string | undefined, keys: ReadonlySet<string>): Deduplicator<T> => ({
    filter(edges) {
      const isRepeated = ({ node }: Edge<T>) => timeOf(node) === time && keys.has(keyOf(node));
      const fresh = edges.some(isRepeated) ? edges.filter((edge) => !isRepeated(edge)) : edges;
      const last = edges.at(-1);
      if (last === undefined) return { fresh, next: this };
      const lastTime = timeOf(last.node);
      const atLastTime = edges.filter(({ node }) => timeOf(node) === lastTime).map(({ node }) => keyOf(node));
      return { fresh, next: after(lastTime, new Set(atLastTime)) };
    },
  });
  return after(undefined, new Set());
}
