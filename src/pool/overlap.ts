import type { BalanceChange, Pagination } from "../../generated/types.js";
import { blockTimeOf, withAccountId } from "../pagination/cursors.js";
import { directionOf, inWalkOrder } from "../pagination/direction.js";
import { keyBy } from "../pagination/natural-key.js";
import type { NodePage, NodeRules } from "../pagination/node-walk.js";
import { type Edge, hasRecord } from "../pagination/page.js";

/** Nodes allow pages of this size (observed on v0.74 nodes). */
const largestPage = 5000;

/** What the page of another node has to begin with, so that it continues a walk. */
export interface Overlap<T> {
  /** The request, from one edge before the last cursor or earlier. */
  readonly pagination: Pagination;
  /** The page without the edges that the walk has; `undefined` if it does not continue the walk. */
  cut(page: NodePage<T>): NodePage<T> | undefined;
}

/**
 * How a page is requested from another node than the one before it.
 *
 * @param previous - The edges before the page, in the order of the walk.
 * @param start - The request of the first page of the walk.
 */
export function overlapFor<T>(
  pagination: Pagination,
  previous: readonly Edge<T>[],
  start: Pagination,
  { cursors, naturalKey }: NodeRules<T>,
): Overlap<T> {
  const direction = directionOf(pagination);
  const { cursor: cursorName, size: sizeName } = direction;
  const cursor = pagination[cursorName] ?? "";
  const keyOfRecord = keyBy(naturalKey);
  const keyOf = ({ node }: Edge<T>) => keyOfRecord(node);
  const edgesOf = ({ edges }: NodePage<T>) => inWalkOrder(edges.filter(hasRecord<T>), direction);
  const cursorOf = (edge: Edge<T>) =>
    (cursors?.lack === "account" && withAccountId(edge.cursor, edge.node as BalanceChange)?.cursor) || edge.cursor;
  const time = cursors?.lack === "record" ? blockTimeOf(cursor) : undefined;
  if (time !== undefined) {
    // The page begins in a block of the page before, whose rows have another order on each node.
    const index = previous.map((edge) => edge.cursor).lastIndexOf(cursor);
    const known = previous.filter((edge, place) => place > index || blockTimeOf(edge.cursor) === time);
    return { pagination, cut: (page) => (hasBlocks(edgesOf(page), known, time, keyOf) ? page : undefined) };
  }
  const [last, before] = [previous.at(-1), previous.at(-2)];
  const size = Math.min(largestPage, (pagination[sizeName] ?? 0) + 1);
  return {
    pagination: { ...pagination, [sizeName]: size, [cursorName]: before ? cursorOf(before) : start[cursorName] },
    cut(page) {
      const edges = edgesOf(page);
      // From its start, the list can have newer records in front of the last one.
      const index = edges.findIndex((edge) => last && keyOf(edge) === keyOf(last));
      if (index < 0 || (before && index > 0)) return undefined;
      return { ...page, edges: inWalkOrder(edges.slice(index + 1), direction) };
    },
  };
}

/**
 * Whether the records from a cursor on that names a block are the same on a page: of the cursor's own block the node leaves
 * one out, the last block that is known can have more records, and the blocks between are known as a whole.
 */
function hasBlocks<T>(
  edges: readonly Edge<T>[],
  known: readonly Edge<T>[],
  time: string,
  keyOf: (edge: Edge<T>) => string,
): boolean {
  const shown = new Set(edges.map(keyOf));
  const lost = known.filter((edge) => !shown.has(keyOf(edge))).map((edge) => blockTimeOf(edge.cursor));
  const keys = new Set(known.map(keyOf));
  const times = new Set(known.map((edge) => blockTimeOf(edge.cursor)));
  const lastTime = blockTimeOf(known.at(-1)?.cursor ?? "");
  const isExtra = (edge: Edge<T>) => {
    const each = blockTimeOf(edge.cursor);
    return each !== time && each !== lastTime && times.has(each) && !keys.has(keyOf(edge));
  };
  return lost.length < 2 && lost.every((each) => each === time) && !edges.some(isExtra);
}
