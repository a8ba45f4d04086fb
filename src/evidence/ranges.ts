import { ApiError } from "../errors/index.js";
import type { NodeExtra } from "../http/call.js";
import { type KnownRecord, NotShown } from "../http/expectation.js";
import { maximum, minimum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/times.js";
import type { Session } from "./connection.js";
import { cursorAt, withAccountId } from "./cursors.js";
import { edgesAfter, never, startOfDay } from "./judge.js";
import {
  cursorOf,
  type Direction,
  directionOf,
  type Edge,
  edgesOf,
  inWalkOrder,
  isDescending,
  type NodePage,
  opposite,
  type ReadPage,
  timeOf,
} from "./page.js";
import { gapError } from "./reading-errors.js";

/** The longest range of a request, with a day to spare: v0.75 and later nodes allow 365 days (observed on v0.79 nodes). */
const longestRange = 364n * nanosecondsPerDay;

/** The earliest time of a range: 1 January 2020 (observed on v0.79 nodes). */
const earliest = 1_577_836_800_000_000_000n;

/** How often a record that nodes have is requested before it counts as missing: behind one address, the next node may keep it. */
export const maxReads = 4;

/**
 * Reads pages of a list with a range also from nodes that refuse a range without an end, or a long one, as v0.75 and later nodes do. With
 * a cursor, they need no range (observed on v0.79 nodes): such a page begins at a cursor of the client's own, at the bound of the range. It
 * can have records outside of the range.
 */
export function withAnyRange<T>(read: ReadPage<T>, operation: string, session: Session): ReadPage<T> {
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
    const direction = directionOf(pagination);
    const { [direction.size]: size = 0, newestFirst } = pagination;
    const isDown = isDescending(pagination);
    const pageAt = ({ size, cursor }: Direction, count: number, place: string) => ({
      pagination: { [size]: count, [cursor]: place, newestFirst },
    });
    const { continuesFrom, ...expected } = expectation;
    const bound = cursorAt(isDown ? end : maximum(start - 1000n, 0n));
    const page = await read(pageAt(direction, Math.max(2, size), bound), expected, signal);
    const edges = edgesOf(page, direction);
    const whole = [...(await leftOut(page, edges)), ...edges];
    if (continuesFrom && !edgesAfter(whole, continuesFrom)) throw new NotShown("place");
    const shown = whole.slice(0, size);
    const isCut = shown.length < whole.length;
    const oldest = isDown ? undefined : timeOf(shown[0]);
    return {
      ...page,
      edges: inWalkOrder(shown, direction),
      pageInfo: {
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: shown.at(0)?.cursor ?? "",
        endCursor: shown.at(-1)?.cursor ?? "",
        [direction.more]: isCut || (page.pageInfo?.[direction.more] ?? false),
      },
      completeFrom: isDown && isCut ? 0n : minimum(page.completeFrom, startOfDay(oldest ?? never)),
    };

    /** What a full page leaves out: a node takes its first record for that of the cursor. A page that goes back from the third shows it. */
    async function leftOut(page: NodePage<T>, [second, third]: readonly Edge<T>[]): Promise<readonly Edge<T>[]> {
      const back = opposite(direction);
      if (second === undefined || third === undefined || !page.pageInfo?.[back.more]) return [];
      const place = withAccountId(third.cursor, third.node as KnownRecord)?.cursor ?? third.cursor;
      const known = { records: [second.node as KnownRecord] };
      // Older records are final on every node that has the second one. Of newer ones, a node that is behind lacks some.
      const { historyFrom, minBlock } = isDown ? { minBlock: page.extra.block?.timestamp } : expectation;
      const shown = { prefer: page.node, minBlock, continuesFrom: known, historyFrom };
      const isInRange = (edge: Edge<T>) => (isDown ? (timeOf(edge) ?? 0n) < end : (timeOf(edge) ?? 0n) >= start);
      for (let count = 0; count < maxReads; count++) {
        const before = await read(pageAt(back, 50, place), shown, signal).catch((error: unknown) => {
          if (!NotShown.is(error)) throw error;
        });
        const others = before && edgesAfter(edgesOf(before, back), known);
        const inRange = others?.filter(isInRange) ?? [];
        // Another node can keep more, also older ones. Of newer records, some can have come meanwhile.
        const isWhole = isDown || inRange.length !== others?.length || !before?.pageInfo?.[back.more];
        if (inRange.length > 0 && isWhole) return inRange.reverse();
      }
      throw gapError(operation, timeOf(second), undefined);
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
