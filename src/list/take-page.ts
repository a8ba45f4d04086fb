import type { PageInfo } from "../../generated/types.js";
import { never } from "../evidence/judge.js";
import { type Direction, type Edge, laterOf, opposite, timeOf } from "../evidence/page.js";
import { microsecondOf } from "../values/times.js";
import { isRead, readAddedMembers, voteKeyOf } from "./cursors.js";
import { type FetchedPage, goesDown, type WalkPlan } from "./plan.js";
import type { Position } from "./position.js";

/** What a walk takes from a page. */
export interface TakenPage<T> {
  /** The records that the caller gets, in the order of the walk. */
  readonly edges: readonly Edge<T>[];
  readonly pageInfo: PageInfo | null;
  /** All that was read, with known records, in the order of the walk. */
  readonly read: readonly Edge<T>[];
  /** The position after the page, as far as it does not depend on what follows. */
  readonly end: Position<T>;
}

/** Takes the records of a page that are new and within the range of the walk, at most so many. */
export function takePage<T>(
  walk: WalkPlan<T>,
  position: Position<T>,
  { edges, pageInfo, extra, node }: Omit<FetchedPage<T>, "edges"> & { edges: readonly Edge<T>[] },
  most: number | undefined,
  isContinued: boolean,
): TakenPage<T> {
  const { direction, count, pages } = position;
  const { inRange, isLast } = partInRange(walk, direction, edges);
  const skipped = edges.indexOf(inRange[0] as Edge<T>);
  const limit = skipped > 0 ? (most ?? walk.size) : most;
  const { taken, fresh } = takeFresh(walk, position, inRange, pageInfo ? limit : undefined);
  const isCut = taken < inRange.length;
  const isWhole = !isContinued && !isCut && inRange.length === edges.length;
  const back = opposite(direction);
  const info = pageInfo && {
    ...pageInfo,
    ...(!isWhole && { [back.nextCursor]: inRange[0]?.cursor ?? "" }),
    // v0.74 nodes deny it on the last page.
    ...(isContinued && { [back.more]: true }),
    ...((isCut || isLast) && { [direction.nextCursor]: inRange[taken - 1]?.cursor ?? "", [direction.more]: isCut }),
  };
  return {
    edges: fresh.filter(({ node }) => walk.isWanted?.(node) ?? true),
    pageInfo: info,
    read: isCut ? edges.slice(0, skipped + taken) : edges,
    end: {
      ...position,
      pages: pages + 1,
      count: count === undefined ? undefined : count + fresh.length,
      // In a block without an order of its own, a page with fresh votes can end with a known one.
      places: walk.cursorsLack === "record" && fresh.length > 0 ? undefined : position.places,
      block: laterOf(position.block, extra?.block),
      node,
    },
  };
}

/** The records within the range of a walk, and whether none of a later page is. */
function partInRange<T>(walk: WalkPlan, direction: Direction, edges: readonly Edge<T>[]) {
  const { range } = walk;
  if (range === undefined) return { inRange: edges, isLast: false };
  // Nodes compare microseconds.
  const [start, end] = [microsecondOf(range.start ?? 0n), microsecondOf(range.end ?? never)];
  const microsecondAt = (edge: Edge<T> | undefined) => {
    const time = timeOf(edge);
    return time === undefined ? start : microsecondOf(time);
  };
  const inRange = edges.filter((edge) => microsecondAt(edge) >= start && microsecondAt(edge) < end);
  const last = microsecondAt(edges.at(-1));
  return { inRange, isLast: goesDown(walk, direction) ? last < start : last >= end };
}

/** Leaves out votes that were read before: one can come again at any distance. Takes at most so many others. */
export function takeFresh<T>(walk: WalkPlan, position: Position, edges: readonly Edge<T>[], most = edges.length) {
  if (walk.cursorsLack !== "record") return { taken: Math.min(most, edges.length), fresh: edges.slice(0, most) };
  const { direction, pages, pageOf } = position;
  const { read } = readAddedMembers((direction === walk.direction && walk.cursor) || "");
  const fresh = new Map<string, Edge<T>>();
  let taken = 0;
  for (const edge of edges) {
    const key = voteKeyOf(edge.node);
    const isKnown =
      fresh.has(key) || (pageOf.get(key) ?? pages) < pages || (read && isRead(read, edge, goesDown(walk)));
    if (!isKnown && fresh.size === most) break;
    if (!isKnown) fresh.set(key, edge);
    taken++;
  }
  for (const key of fresh.keys()) pageOf.set(key, pages);
  return { taken, fresh: [...fresh.values()] };
}
