/**
 * The knowledge of a walk between two pages. A state is plain data and never changes: two pages that are read from one
 * state cannot touch each other. `advance` returns the state after a page, and `anchorsOf` returns the ways to request
 * the page after a state.
 */
import type { PlaceInList } from "../http/expectation.js";
import type { Block } from "../values/block.js";
import { type GivenCursor, readGivenCursor } from "./client-cursors.js";
import { nanosecondsOf } from "./cursors.js";
import { type Direction, type Edge, timeOf } from "./page.js";
import type { WalkPlan } from "./plan.js";

export interface WalkState<T = unknown> {
  readonly direction: Direction;
  readonly pages: number;
  readonly count: number;
  /** The last records, in the order of the walk. */
  readonly lastEdges: readonly Edge<T>[];
  /** The keys of the votes of earlier pages. */
  readonly seen?: Keys | undefined;
  /** The cursors that the walk has continued from; of votes, since the last new one. */
  readonly visited?: Keys | undefined;
  /** The cursor after which the next page comes, as the node sent it. */
  readonly cursor?: string | undefined;
  /** The latest block of the pages so far: no later page may be of an earlier one. */
  readonly block?: Block | undefined;
  /**
   * The time of the block of the first page. Newest first, votes that were cast again since then have moved before that
   * page. Signatures that arrived since then can sort before the cursor.
   */
  readonly firstBlock?: bigint | undefined;
  /** The address of the node that gave the last page, if the client has several. */
  readonly node?: string | undefined;
  /** The content of the cursor with which the caller began. */
  readonly given?: GivenCursor | undefined;
  /** Set in a second reading of the newest votes. */
  readonly again?: SecondReading | undefined;
  /**
   * Set once a page has ended a list with a range: the time up to which the next page has to show the same; 0 without a
   * bound, newest first.
   */
  readonly endsAt?: bigint | undefined;
}

/** The votes that were cast since the first page are read once more: one may have moved past it. */
interface SecondReading {
  /** The time of the block of the first page, at which the reading ends. */
  readonly until: bigint;
  /** The cursor at which the first reading ended. */
  readonly resume: string | undefined;
  /** The size of its pages: twice that of the reading before, so that votes do not arrive faster than they are read. */
  readonly size: number;
}

/** The time of the last record that was read before a cursor. A cursor of the client leads to an earlier one. */
export const timeBefore = ({ cursor, last, votes }: GivenCursor): bigint | undefined =>
  timeOf(last && { cursor, node: last }) ?? votes?.lastBlock ?? nanosecondsOf(cursor);

/** A set of texts that never changes: the texts of one page, and the set before. */
interface Keys {
  readonly own: ReadonlySet<string>;
  readonly earlier: Keys | undefined;
}

export function hasKey(keys: Keys | undefined, key: string): boolean {
  for (let each = keys; each; each = each.earlier) if (each.own.has(key)) return true;
  return false;
}

/** Sets that are not larger are joined, so that there are few of them. */
export function withKeys(keys: Keys | undefined, added: readonly string[]): Keys | undefined {
  let own = new Set(added);
  let earlier = keys;
  for (; earlier && earlier.own.size <= own.size; earlier = earlier.earlier) own = new Set([...earlier.own, ...own]);
  return { own, earlier };
}

export const emptyState = (direction: Direction): WalkState<never> => ({
  direction,
  pages: 0,
  count: 0,
  lastEdges: [],
});

export function startOf({ direction, cursor }: Pick<WalkPlan, "direction" | "cursor">): WalkState<never> {
  const empty = emptyState(direction);
  if (cursor === undefined) return empty;
  const given = readGivenCursor(cursor);
  const visited = withKeys(undefined, [cursor, given.own]);
  return { ...empty, visited, firstBlock: given.firstBlock, given };
}

export const lastCursorOf = ({ lastEdges, cursor = "" }: WalkState): string => lastEdges.at(-1)?.cursor ?? cursor;

/** One way to request the page after a state. */
export interface Anchor {
  /** The cursor to request with. Default: from the start of the list, or from `at` on. */
  readonly cursor?: string | undefined;
  /** The time from which records are requested without a cursor: in Unix nanoseconds, in the direction of the walk. */
  readonly at?: bigint | undefined;
  /** How many of the requested records are known. */
  readonly skip: number;
  /** The records with which the page must begin. Default: it is used as it is. */
  readonly continuesFrom?: PlaceInList | undefined;
  /** The cursor to continue with in another walk. Default: `cursor`. */
  readonly resume?: string | undefined;
}
