import { ApiError } from "../errors/index.js";
import type { NodeExtra } from "../http/call.js";
import { type KnownRecord, NotShown } from "../http/expectation.js";
import { maximum, minimum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/times.js";
import type { Session } from "./connection.js";
import { cursorAt, withAccountId } from "./cursors.js";
import { edgesAfter, isSame, never, startOfDay } from "./judge.js";
import {
  cursorOf,
  directionOf,
  edgesOf,
  inWalkOrder,
  isDescending,
  type NodePage,
  opposite,
  type ReadPage,
  timeOf,
} from "./page.js";

/** The longest range of a request, with a day to spare: v0.75 and later nodes allow 365 days (observed on v0.79 nodes). */
export const longestRange = 364n * nanosecondsPerDay;

/** The earliest time of a range: 1 January 2020 (observed on v0.79 nodes). */
const earliest = 1_577_836_800_000_000_000n;

/** How often a record that a node has left out is requested: behind one address, the next node may have it. */
const attempts = 3;

/**
 * Reads pages of a list with a range also from nodes that refuse a range without an end, or a long one, as v0.75 and later nodes do. With
 * a cursor, they need no range (observed on v0.79 nodes): such a page begins at a cursor of the client's own, at the bound of the range. It
 * can have records outside of the range.
 */
export function withAnyRange<T>(read: ReadPage<T>, session: Session): ReadPage<T> {
  return async (request, expectation, signal) => {
    const { pagination, start = 0n, end = never } = request;
    const hasCursor = cursorOf(pagination) !== undefined;
    const isOpen = request.start === undefined && request.end === undefined;
    const isFine = isAccepted(start, end) || (hasCursor && isOpen);
    if (isFine || !session.refusesRanges) {
      try {
        return await read(request, expectation, signal);
      } catch (error) {
        if (isFine || !isRefused(error)) throw error;
        session.refusesRanges = true;
      }
    }
    if (hasCursor) return read({ pagination }, expectation, signal);
    const { cursor } = directionOf(pagination);
    const { continuesFrom, ...expected } = expectation;
    const bound = isDescending(pagination) ? end : maximum(start - 1000n, 0n);
    const first = { pagination: { ...pagination, [cursor]: cursorAt(bound) } };
    for (let count = 1; ; count++) {
      const page = await withFirst(await read(first, expected, signal), signal);
      const isContinued = page && (!continuesFrom || edgesAfter(edgesOf(page, directionOf(pagination)), continuesFrom));
      if (isContinued) return page;
      if (count === attempts) throw new NotShown("place");
    }

    /** Adds the first record to a full page: a node takes it for that of the cursor, and leaves it out. `undefined` if no response has it. */
    async function withFirst(page: NodePage<T>, signal: AbortSignal): Promise<NodePage<T> | undefined> {
      const direction = directionOf(pagination);
      const back = opposite(direction);
      const edges = edgesOf(page, direction);
      const [second] = edges;
      if (second === undefined || !page.pageInfo?.[back.more]) return page;
      const { newestFirst } = pagination;
      const place = withAccountId(second.cursor, second.node as KnownRecord)?.cursor ?? second.cursor;
      const before = { [back.size]: 1, [back.cursor]: place, ...(newestFirst !== undefined && { newestFirst }) };
      const neighbor = await read({ pagination: before }, { prefer: page.node }, signal);
      const [edge] = edgesOf(neighbor, back).filter(({ node }) => !isSame(second.node as KnownRecord, node));
      if (edge === undefined) return undefined;
      const whole = [edge, ...edges.slice(0, -1)];
      const pageInfo = {
        ...page.pageInfo,
        [back.more]: false,
        [back.nextCursor]: edge.cursor,
        [direction.more]: true,
        [direction.nextCursor]: whole.at(-1)?.cursor ?? "",
      };
      const completeFrom = isDescending(pagination)
        ? 0n
        : minimum(page.completeFrom, startOfDay(timeOf(edge) ?? never));
      const extra = earlierOf(page.extra, neighbor.extra);
      return { ...page, edges: inWalkOrder(whole, direction), pageInfo, extra, completeFrom };
    }
  };
}

/** Whether every node accepts a range. */
const isAccepted = (start: bigint, end: bigint): boolean => start >= earliest && end - start <= longestRange;

/** Whether a node refused a request for its range, in the words of v0.75 and later nodes (observed on v0.79 nodes). */
const isRefused = (error: unknown): error is ApiError =>
  ApiError.is(error) && error.status === 400 && error.detail?.["message"] === "invalid date range";

/** Only the records before the earlier block of two responses are final in both. */
export const earlierOf = (first: NodeExtra, second: NodeExtra): NodeExtra =>
  first.block === undefined || first.block.timestamp <= (second.block?.timestamp ?? -1n) ? first : second;
