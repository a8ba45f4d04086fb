/** The request of a page after a state, by an anchor, and the expectation that its response has to meet. */
import type { Vote } from "../../generated/types.js";
import type { Expectation, KnownRecord } from "../http/expectation.js";
import { maximum, minimum } from "../values/integers.js";
import { nanosecondsOf } from "./cursors.js";
import { isDescending, never, type PageRequest } from "./page.js";
import { isEmptyRange, pageAfter, type WalkPlan } from "./plan.js";
import type { Anchor, WalkState } from "./state.js";

/** Whether a page decides how far back a walk is complete: in ascending order the first page, otherwise any page. */
const reachesStart = (walk: WalkPlan, { direction }: WalkState, { cursor, at }: Anchor): boolean =>
  walk.range !== undefined && (isDescending(walk.pagination, direction) || (cursor === undefined && at === undefined));

/** The time from which a page has to show all records: 0 if its range has no start, `never` if others show them. */
export function shownFrom(walk: WalkPlan, state: WalkState, anchor: Anchor, foundIn: PageRequest | undefined): bigint {
  const { range } = walk;
  if (reachesStart(walk, state, anchor) && !(range && isEmptyRange(range))) return range?.start ?? 0n;
  return foundIn && anchor.at !== undefined ? anchor.at + 1000n : never;
}

/** The request of a page. Records from before and after the range show what it continues from, and where it ends. */
export function requestOf(walk: WalkPlan, { direction }: WalkState, { cursor, at }: Anchor, size: number): PageRequest {
  const { start, end, lead = start, trail = end } = walk.range ?? {};
  const pagination = pageAfter(walk, direction, cursor, size);
  if (at !== undefined)
    return isDescending(walk.pagination, direction)
      ? { pagination, start: lead, end: at + 1000n }
      : { pagination, start: at, end: trail };
  const cursorTime = cursor === undefined ? undefined : nanosecondsOf(cursor);
  return {
    pagination,
    start: cursorTime === undefined || lead === undefined ? lead : minimum(lead, cursorTime),
    end: trail,
  };
}

/** A vote that was read: it stays in the list, wherever it moves. A node of another network does not have it. */
function lastVoteOf({ lastEdges }: WalkState): KnownRecord | undefined {
  const { partyId, proposalId } = Object(lastEdges.at(-1)?.node) as Partial<Vote>;
  return partyId === undefined ? undefined : { partyId, proposalId };
}

/** The expectation of a page, so that nothing before it and in it is missing. */
export function expectationAt(walk: WalkPlan, state: WalkState, anchor: Anchor, isAlone: boolean): Expectation {
  const { direction, pages, block, node, given } = state;
  const { continuesFrom } = anchor;
  const minBlock = (pages === 0 ? given?.minBlock : undefined) ?? 0n;
  const { isFixed = false, range } = walk;
  const { start = 0n, end } = range ?? {};
  const isDown = isDescending(walk.pagination, direction);
  // A node that has the known record has all older ones: no later block is needed.
  const isPast = continuesFrom !== undefined && range !== undefined && isDown;
  // Each page of a fixed range shows that it is complete, whatever the block of the page before.
  const reached = isFixed ? (isDown ? end : start && start + 1000n) : block?.timestamp;
  return {
    isFresh: pages === 0 && !(isFixed && end !== undefined),
    prefer: node,
    minBlock: isPast ? minBlock : maximum(minBlock, reached ?? 0n),
    minBlockAtEnd: isFixed ? end : undefined,
    needsBlock: !isAlone,
    continuesFrom,
    includes: walk.kind === "votes" && anchor.cursor === undefined ? lastVoteOf(state) : undefined,
    // For an open range, a pool reads the node that keeps the most.
    historyFrom: start === 0n && !isAlone && reachesStart(walk, state, anchor) ? 0n : undefined,
  };
}
