import type { PageInfo } from "../../generated/types.js";
import type { PaginationError } from "../errors/index.js";
import { type Backward, type Direction, type Edge, type Forward, largestPage, timeOf } from "../evidence/page.js";
import { gapError, readingError } from "../evidence/reading-errors.js";
import type { Block } from "../http/call.js";
import type { Expectation } from "../http/expectation.js";
import { maximum } from "../values/integers.js";
import { show } from "../values/show.js";
import { afterBlock, readAddedMembers } from "./cursors.js";
import { goesDown, pageAfter, type WalkPlan } from "./plan.js";
import { type Continuation, continuationAfter, continuationFrom, remember } from "./repair.js";

/** A place between two pages of a walk: what is known of the earlier ones, and how the next one is requested. */
export interface Position<T = unknown> {
  readonly direction: Direction;
  /** How many pages were read. */
  readonly pages: number;
  /** How many records were read, if the walk began at the start of the list. */
  readonly count?: number | undefined;
  /** The last records, in the order of the walk. */
  readonly known: readonly Edge<T>[];
  /** The number of the first page of each vote. A page that is fetched twice finds its own votes. */
  readonly pageOf: Map<string, number>;
  /** The place that the next page continues from, and those before. */
  readonly places?: Places | undefined;
  /** The latest block of the pages so far: no later page may be of an earlier one. */
  readonly block?: Block | undefined;
  /** The address of the node that gave the last page, if the client has several. */
  readonly node?: string | undefined;
  /** `undefined`: from the start of the list. */
  readonly from?: Continuation | undefined;
}

interface Places {
  readonly id: string;
  readonly earlier?: Places | undefined;
}

/** Whether a walk has continued from a place before. No array, of which each page would have a copy. */
function includes(places: Places | undefined, id: string): boolean {
  for (let place = places; place; place = place.earlier) if (place.id === id) return true;
  return false;
}

/** A position of which nothing is known. */
export const emptyPosition = (direction: Direction): Position<never> => ({
  direction,
  pages: 0,
  known: [],
  pageOf: new Map(),
});

/** The position before the first page. */
export function startOf({ direction, cursor, cursorsLack }: WalkPlan): Position<never> {
  if (cursor === undefined) return { ...emptyPosition(direction), count: 0 };
  const from = continuationFrom(cursor, cursorsLack);
  const count = readAddedMembers(cursor).read ? 0 : undefined;
  return { ...emptyPosition(direction), count, places: { id: from.id }, from };
}

/** The `pagination` to continue with in another walk. What a node at an earlier block has not written yet would be lost. */
export function paginationAt(walk: WalkPlan, { direction, block, from }: Position): Forward | Backward {
  const cursor = from?.resume ?? from?.cursor;
  const isProved = walk.operation === undefined || walk.cursorsLack === "account";
  const isBare = isProved || block === undefined || cursor === undefined;
  return pageAfter(walk, direction, isBare ? cursor : afterBlock(cursor, block.timestamp));
}

/** What a page has to show, so that nothing before it and in it is missing. */
export function expectationAt(walk: WalkPlan, { direction, pages, block, node, from }: Position): Expectation {
  const { after = 0n, continuesFrom } = from ?? {};
  const { isFixed = false, range } = walk;
  const { start = 0n, end } = range ?? {};
  const isDown = goesDown(walk, direction);
  // Before a record of a time, all records of the past are final.
  const isPast = continuesFrom !== undefined && range !== undefined && isDown;
  // Of a fixed range, each page shows that it is complete, whichever block the one before was of.
  const reached = isFixed ? (isDown ? end : start && start + 1000n) : block?.timestamp;
  return {
    isFresh: pages === 0 && !(isFixed && end !== undefined),
    prefer: node,
    minBlock: isPast ? after : maximum(after, reached ?? 0n),
    minBlockAtEnd: isFixed ? end : undefined,
    continuesFrom,
  };
}

/**
 * The position after records that were read; `undefined` at the end.
 *
 * @throws {@link PaginationError} if no cursor leads on.
 */
export function continueAfter<T>(
  walk: WalkPlan,
  position: Position<T>,
  edges: readonly Edge<T>[],
  pageInfo: PageInfo | null,
): Position<T> | undefined {
  const { direction, count, places } = position;
  const { more, nextCursor } = direction;
  if (!pageInfo?.[more]) return undefined;
  const cursor = pageInfo[nextCursor];
  const known = remember(position.known, edges, walk.cursorsLack, goesDown(walk, direction));
  // The record that is yielded last has a cursor of its own in most responses.
  const endCursor = cursor || edges.at(-1)?.cursor;
  let from = endCursor ? continuationAfter({ edges: known, count }, endCursor, walk.cursorsLack) : undefined;
  const here = { ...position, known, from: from ?? position.from };
  if (!cursor) {
    const what = `${senderOf(walk)} reports \`${more}\` but returned no \`${nextCursor}\`. `;
    throw errorAt(walk, here, "missing-cursor", `${what}Request a page that holds everything, or narrow the filter.`);
  }
  if (from === undefined) throw gapAt(walk, here);
  if (includes(places, from.id)) {
    // Each node sorts the votes of a block in its own way, so a page can have only known votes. The largest page has all of the block.
    from = { ...from, id: `${from.id} whole`, overlap: largestPage };
    if (walk.cursorsLack !== "record" || includes(places, from.id)) {
      const { advice = "A larger page may pass the records that this one does not." } = walk;
      const what = `${senderOf(walk)} returned cursor ${show(cursor)} twice; stopped to avoid an infinite loop.`;
      throw errorAt(walk, here, "repeated-cursor", `${what} ${advice}`);
    }
  }
  return { ...here, from, places: { id: from.id, earlier: places } };
}

const senderOf = ({ operation }: WalkPlan) =>
  operation === undefined ? "The source" : `The node's response to ${operation}`;

const errorAt = (
  walk: WalkPlan,
  position: Position,
  reason: PaginationError["reason"],
  message: string,
): PaginationError => readingError(message, { operation: walk.operation, reason }, paginationAt(walk, position));

export const gapAt = (walk: WalkPlan, position: Position, time = timeOf(position.known.at(-1))): PaginationError =>
  gapError(walk.operation, time, paginationAt(walk, position));
