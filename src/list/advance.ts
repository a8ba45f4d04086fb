import type { PageInfo, Pagination } from "../../generated/types.js";
import { PaginationError, type Resume } from "../errors/index.js";
import { finalTime } from "../values/block.js";
import { minimum } from "../values/integers.js";
import { show } from "../values/show.js";
import { anchorsOf } from "./anchors.js";
import { continuedLater } from "./client-cursors.js";
import { nanosecondsOf } from "./cursors.js";
import { type Edge, isDescending, largestPage, never, timeOf } from "./page.js";
import { isEmptyRange, pageAfter, type WalkPlan } from "./plan.js";
import { gapError } from "./reading-errors.js";
import { emptyState, hasKey, lastCursorOf, type WalkState, withKeys } from "./state.js";
import { votesToRemember } from "./votes.js";

/** The cursor to continue with in another walk. Records that a lagging node has not written yet would be lost. */
export function cursorAt(walk: WalkPlan, state: WalkState): string | undefined {
  const { block, firstBlock, again, given } = state;
  // A second reading starts over, so that the records of the first one do not come twice.
  if (again) return again.resume;
  const [anchor] = anchorsOf(walk, state);
  const cursor = anchor?.resume ?? anchor?.cursor ?? given?.cursor;
  const isBare = walk.kind === "changes" || block === undefined || cursor === undefined;
  return isBare ? cursor : continuedLater(cursor, block.timestamp, firstBlock);
}

export const paginationAt = (walk: WalkPlan, state: WalkState): Pagination =>
  pageAfter(walk, state.direction, cursorAt(walk, state));

export const resumeAt = (walk: WalkPlan, state: WalkState): Resume => ({ pagination: paginationAt(walk, state) });

/**
 * The state after records that were read; `undefined` at the end.
 *
 * @param state - The state after the page, without the records that the next one continues from.
 * @param edges - All records of the page, known ones included, in the order of the walk.
 * @throws {@link PaginationError} if no cursor leads on.
 */
export function advance<T>(
  walk: WalkPlan,
  state: WalkState<T>,
  edges: readonly Edge<T>[],
  pageInfo: PageInfo | null,
): WalkState<T> | undefined {
  const { more, nextCursor } = state.direction;
  // `pageInfo` decides, not the number of records: a node can clamp a page.
  if (!pageInfo?.[more]) return undefined;
  const until = state.again?.until;
  if (until !== undefined && (nanosecondsOf(edges.at(-1)?.cursor ?? "") ?? until) < until) return undefined;
  const cursor = pageInfo[nextCursor];
  const lastEdges = lastEdgesAfter(walk, state, edges);
  const next = { ...state, lastEdges, cursor: cursor || edges.at(-1)?.cursor || state.cursor, endsAt: undefined };
  if (!cursor) {
    const advice = "Request a page that holds everything, or narrow the filter.";
    throw errorAt(walk, next, "missing-cursor", `reports \`${more}\` but returned no \`${nextCursor}\`. ${advice}`);
  }
  if (anchorsOf(walk, next).length === 0)
    throw gapError(walk.operation, timeOf(lastEdges.at(-1)), resumeAt(walk, state));
  const place = lastCursorOf(next);
  if (hasKey(state.visited, place)) {
    const { advice = "A larger page may pass the records that this one does not." } = walk;
    const what = `returned cursor ${show(cursor)} twice; stopped to avoid an infinite loop. ${advice}`;
    throw errorAt(walk, next, "repeated-cursor", what);
  }
  return { ...next, visited: withKeys(state.visited, [place]) };
}

/**
 * The state from which the newest votes are read again, after a walk from the newest one to the oldest: a vote that was
 * cast again meanwhile has moved to the start of the list. `undefined` if one response has shown all of them.
 *
 * @param end - The state after the last page.
 * @param edges - All records of that page.
 */
export function startAgain<T>(walk: WalkPlan, end: WalkState<T>, edges: readonly Edge<T>[]): WalkState<T> | undefined {
  const { direction, pages, firstBlock, again } = end;
  if (walk.kind !== "votes" || firstBlock === undefined || !isDescending(walk.pagination, direction)) return undefined;
  // The gateway has cursors of its own, and lists votes that were cast again last.
  const { cursor: place } = edges.at(-1) ?? end.lastEdges.at(-1) ?? end.given ?? {};
  if (place !== undefined && nanosecondsOf(place) === undefined) return undefined;
  // A second reading ends the walk if all of its pages are of one block.
  if (again && (pages === 1 || end.block?.timestamp === firstBlock)) return undefined;
  const lastEdges = lastEdgesAfter(walk, end, edges);
  const { seen, block, node } = end;
  const size = Math.min(largestPage, 2 * (again?.size ?? walk.size));
  const second = { until: firstBlock, resume: cursorAt(walk, { ...end, lastEdges }), size };
  return { ...emptyState(direction), seen, block, node, again: second };
}

/**
 * The state after the last page of a list with a range, whose end is then requested once more: if a query of balance
 * changes fails, nodes send the records up to there, as if the list ended (v0.74 and v0.79 source). `undefined` if a
 * second page has shown the same, or a record from after the end, or if a page without records was proved.
 *
 * @param end - The state after the last page.
 * @param edges - All records of that page.
 * @param page - Whether it proves the history from the start on, which is the end of a list that is newest first, and
 * whether it was read alone, so that it proves nothing.
 */
export function endAgain<T>(
  walk: WalkPlan<T>,
  end: WalkState<T>,
  edges: readonly Edge<T>[],
  { isProved, isAlone }: { isProved: boolean; isAlone: boolean },
): WalkState<T> | undefined {
  const { range } = walk;
  if (range === undefined || isEmptyRange(range)) return undefined;
  const { start, end: wanted = never } = range;
  const isDown = isDescending(walk.pagination, end.direction);
  const reached = end.block ? finalTime(end.block.timestamp) : never;
  // Without a block, nothing is claimed up to an open end.
  const endsAt = isDown ? 0n : minimum(wanted, reached);
  const lastEdges = lastEdgesAfter(walk, end, edges);
  const [last] = lastEdges.slice(-1);
  // Cursors of another form are the gateway's, which requests the end once more itself.
  if (last && nanosecondsOf(last.cursor) === undefined) return undefined;
  const time = timeOf(last);
  // The proof shows the records after the first microsecond. Without a record, nothing is claimed.
  const isAtStart = time !== undefined && start !== undefined && time >= start && time < start + 1000n;
  const isEmpty = isDown && !last && !isAlone;
  const isStartShown = start !== undefined && !isAtStart && (isProved || isEmpty);
  const isShown = isDown || time === undefined ? isStartShown : time >= endsAt;
  // A range that begins after the newest block has nothing to show, and newer nodes refuse an end before the start.
  if (isShown || endsAt === never || isEmptyRange({ start, end: endsAt || undefined })) return undefined;
  // Without a record, the list is requested from its start.
  const again = { ...end, lastEdges, cursor: undefined, endsAt, pages: last ? end.pages : 0 };
  return anchorsOf(walk, again).length > 0 ? again : undefined;
}

/** Adds a page to the last records, as far as `anchorsOf` needs them. */
function lastEdgesAfter<T>({ kind, pagination }: WalkPlan, state: WalkState<T>, edges: readonly Edge<T>[]) {
  const { lastEdges, direction } = state;
  if (kind === undefined) return [];
  if (kind === "votes") return votesToRemember(lastEdges, edges, isDescending(pagination, direction));
  return [...lastEdges, ...edges].slice(-2);
}

function errorAt(walk: WalkPlan, state: WalkState, reason: PaginationError["reason"], what: string) {
  const { operation } = walk;
  const sender = operation === undefined ? "The source" : `The node's response to ${operation}`;
  return new PaginationError(`${sender} ${what}`, { operation, reason, resume: resumeAt(walk, state) });
}
