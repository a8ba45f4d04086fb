import type { PageInfo } from "../../generated/types.js";
import { laterOf } from "../values/block.js";
import { isRead, voteKeyOf } from "./client-cursors.js";
import { nanosecondsOf } from "./cursors.js";
import { never } from "./judge.js";
import { type Direction, type Edge, isDescending, type NodePage, opposite, timeOf } from "./page.js";
import type { WalkPlan } from "./plan.js";
import { hasKey, placeOf, type WalkState, withKeys } from "./state.js";

/** The records that a walk takes from a page. */
export interface TakenPage<T> {
  /** The records that earlier pages did not have, in the order of the walk. */
  readonly edges: readonly Edge<T>[];
  readonly pageInfo: PageInfo | null;
  /** All that was read, with known records, in the order of the walk. */
  readonly all: readonly Edge<T>[];
  /** The state after the page, but for the records that the next page continues from. */
  readonly end: WalkState<T>;
  /** Whether the page has nothing new, and leads back to where the walk was. */
  readonly isRepeated: boolean;
}

/**
 * Takes the records of a page that are new and within the range of the walk.
 *
 * @param most - How many at most, if known records were requested as well.
 */
export function takePage<T>(
  walk: WalkPlan<T>,
  state: WalkState<T>,
  { edges, pageInfo, extra, node }: NodePage<T>,
  most: number | undefined,
): TakenPage<T> {
  const { direction, count, pages, given, again } = state;
  const { inRange, isLast } = partInRange(walk, direction, edges);
  const skipped = edges.indexOf(inRange[0] as Edge<T>);
  const { taken, fresh, keys, hasFurther } = takeFresh(walk, state, inRange, pageInfo ? most : undefined);
  const isCut = taken < inRange.length;
  const isWhole = most === undefined && fresh.length === edges.length;
  const back = opposite(direction);
  // There is a previous page, although v0.74 nodes report none on the last page, and a page from the start of the list
  // has none.
  const isLater = walk.operation !== undefined && (pages > 0 || Boolean(given ?? again));
  const info = pageInfo && {
    ...pageInfo,
    ...(!isWhole && { [back.nextCursor]: fresh[0]?.cursor ?? "" }),
    ...(isLater && { [back.more]: true }),
    ...((isCut || isLast) && { [direction.nextCursor]: inRange[taken - 1]?.cursor ?? "", [direction.more]: isCut }),
  };
  const block = laterOf(state.block, extra.block);
  const all = isCut ? edges.slice(0, skipped + taken) : edges;
  const isOfVotes = walk.kind === "votes";
  const needsFirst = walk.kind === "signatures" || (isOfVotes && isDescending(walk.pagination));
  const place = placeOf({ ...state, window: all, cursor: info?.[direction.nextCursor] });
  const isRepeated =
    !hasFurther &&
    info?.[direction.more] === true &&
    ((pages === 0 && given?.votes !== undefined) || hasKey(state.visited, place));
  // In a block without an order of its own, a page with fresh votes can end with a known one.
  const visited = isOfVotes && hasFurther ? undefined : state.visited;
  return {
    edges: fresh,
    pageInfo: info,
    all,
    end: {
      ...state,
      pages: pages + 1,
      count: count === undefined ? undefined : count + fresh.length,
      seen: isOfVotes ? withKeys(state.seen, keys) : undefined,
      visited: isRepeated ? withKeys(visited, [place]) : visited,
      block,
      firstBlock: state.firstBlock ?? (needsFirst && pages === 0 && !given ? block?.timestamp : undefined),
      node,
    },
    isRepeated,
  };
}

/** The records within the range of a walk, and whether none of a later page is. */
function partInRange<T>(walk: WalkPlan, direction: Direction, edges: readonly Edge<T>[]) {
  const { range } = walk;
  if (range === undefined) return { inRange: edges, isLast: false };
  const { start = 0n, end = never } = range;
  const timeAt = (edge: Edge<T> | undefined) => timeOf(edge) ?? start;
  const inRange = edges.filter((edge) => timeAt(edge) >= start && timeAt(edge) < end);
  const last = timeAt(edges.at(-1));
  return { inRange, isLast: isDescending(walk.pagination, direction) ? last < start : last >= end };
}

/**
 * Leaves out votes that were read before: one can come again at any distance. Takes at most `most` votes that lead on
 * from a given cursor, and in addition those that were cast since the first page, which come before them. `hasFurther`
 * is whether a vote leads on.
 */
export function takeFresh<T>(walk: WalkPlan, state: WalkState, edges: readonly Edge<T>[], most = edges.length) {
  if (walk.kind !== "votes")
    return { taken: Math.min(most, edges.length), fresh: edges.slice(0, most), keys: [], hasFurther: true };
  const { seen, given, firstBlock, again } = state;
  const isDown = isDescending(walk.pagination, state.direction);
  const since = again?.until ?? firstBlock;
  const fresh = new Map<string, Edge<T>>();
  let taken = 0;
  let further = 0;
  for (const edge of edges) {
    const key = voteKeyOf(edge.node);
    // Votes that were cast since the first page are unknown: they can be known votes that have moved.
    const isNew = since !== undefined && (nanosecondsOf(edge.cursor) ?? since) >= since;
    // A second reading is for these votes alone.
    const isFurther = again ? isNew : !(given?.votes && isRead(given.votes, edge, isDown));
    const isKnown = fresh.has(key) || hasKey(seen, key) || !(isNew || isFurther);
    if (!isKnown) {
      if (further === most) break;
      fresh.set(key, edge);
      if (isFurther) further++;
    }
    taken++;
  }
  return { taken, fresh: [...fresh.values()], keys: [...fresh.keys()], hasFurther: further > 0 };
}
