import type { PageInfo } from "../../generated/types.js";
import { laterOf } from "../values/block.js";
import { type Direction, type Edge, isDescending, type NodePage, never, opposite, timeOf } from "./page.js";
import type { WalkPlan } from "./plan.js";
import { hasKey, type WalkState, withKeys } from "./state.js";
import { takeVotes } from "./votes.js";

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
  const isOfVotes = walk.kind === "votes";
  const { inRange, isLast } = partInRange(walk, direction, edges);
  const limit = (pageInfo && most) ?? inRange.length;
  const { taken, fresh, keys, hasFurther } = isOfVotes
    ? takeVotes(walk, state, inRange, limit)
    : {
        taken: Math.min(limit, inRange.length),
        fresh: inRange.slice(0, limit),
        keys: [],
        hasFurther: inRange.length > 0,
      };
  const isCut = taken < inRange.length;
  const isUnchanged = most === undefined && fresh.length === edges.length;
  const back = opposite(direction);
  // There is a previous page, although v0.74 nodes report none on the last page, and a page from the start of the list
  // has none.
  const isLater = walk.operation !== undefined && (pages > 0 || Boolean(given ?? again));
  const info = pageInfo && {
    ...pageInfo,
    ...(!isUnchanged && { [back.nextCursor]: fresh[0]?.cursor ?? "" }),
    ...(isLater && { [back.more]: true }),
    ...((isCut || isLast) && { [direction.nextCursor]: inRange[taken - 1]?.cursor ?? "", [direction.more]: isCut }),
  };
  const block = laterOf(state.block, extra.block);
  const all = isCut ? edges.slice(0, edges.indexOf(inRange[0] as Edge<T>) + taken) : edges;
  const needsFirst = walk.kind === "signatures" || (isOfVotes && isDescending(walk.pagination, direction));
  const place = all.at(-1)?.cursor ?? info?.[direction.nextCursor] ?? "";
  const isRepeated =
    !hasFurther &&
    info?.[direction.more] === true &&
    ((pages === 0 && given?.votes !== undefined) || hasKey(state.visited, place));
  // Nodes order the votes of a block differently, so a page with new votes can end with a known one: that is no loop.
  const visited = isOfVotes && hasFurther ? undefined : state.visited;
  return {
    edges: fresh,
    pageInfo: info,
    all,
    end: {
      ...state,
      pages: pages + 1,
      count: count + fresh.length,
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
