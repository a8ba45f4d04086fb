import { isRefusedRange } from "../http/retry.js";
import type { Connection } from "../http/send.js";
import { type Block, hasNoBlock, readBlock } from "../values/block.js";
import { maximum, minimum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/times.js";
import { completeFrom } from "./judge.js";
import { cursorOf, directionOf, isDescending, never, type ReadPage, withMore } from "./page.js";

/** The longest range of a request, with a day to spare: nodes since v0.75 allow 365 days (observed on v0.79 nodes). */
export const longestRange = 364n * nanosecondsPerDay;

/** The length of a window that fits one request with the month before it: a record of that month proves the window. */
export const provableRange = 334n * nanosecondsPerDay;

/** How much later than the newest block a range can end. */
const spare = 2n * nanosecondsPerDay;

/** The earliest time of a range: 1 January 2020 (observed on v0.79 nodes). */
const earliest = 1_577_836_800_000_000_000n;

/**
 * Reads pages of a list with a range also from nodes that refuse a range without an end, or a long one, as v0.75 and
 * later nodes do. With a cursor, they need no range (observed on v0.79 nodes), and the page can have records outside of
 * it. A page without a cursor is of the `window` that is read first: the newest one, or the oldest one from 2020 on. It
 * says that more follows, and the next page has a cursor, so that a walk leaves its window by itself. A window without
 * new records has no new cursor: `throughWindows` requests the next one.
 */
export function withinRange<T>(read: ReadPage<T>, { session, clock }: Connection): ReadPage<T> {
  const readInRange: ReadPage<T> = async (request, expectation, signal) => {
    const { pagination, start = 0n, end = never } = request;
    const hasCursor = cursorOf(pagination) !== undefined;
    const isOpen = request.start === undefined && request.end === undefined;
    const isAlwaysAccepted = isAccepted(start, end) || (hasCursor && isOpen);
    if (isAlwaysAccepted || !session.refusesRanges) {
      try {
        return await read(request, expectation, signal);
      } catch (error) {
        if (isAlwaysAccepted || !isRefusedRange(error)) throw error;
        session.refusesRanges = true;
        session.newest = blockTime(readBlock(error));
      }
    }
    if (hasCursor) return read({ pagination }, expectation, signal);
    const isDown = isDescending(pagination);
    const from = maximum(start, earliest);
    // Without a block, the clock of the client has to do, which may be a day slow.
    const { newest: known } = session;
    const newest = known ?? BigInt(Math.floor(clock.date())) * 1_000_000n;
    const to = maximum(minimum(end, newest + spare), from + 1000n);
    const window = isDown
      ? { start: maximum(to - provableRange, from), end: to }
      : { start: from, end: minimum(from + provableRange, to) };
    const page = await read({ pagination, ...window }, expectation, signal);
    const timestamp = blockTime(page.extra.block) ?? newest;
    // The clock was wrong, or time has passed. A window after the newest block has no records, which would prove
    // nothing. A block that is known stays: behind one address, a node that is far behind would be read for ever.
    if (to < end ? timestamp >= to : known === undefined && isDown && window.start > timestamp + spare) {
      session.newest = timestamp;
      return readInRange(request, expectation, signal);
    }
    if (isDown ? window.start === from : window.end === to) return page;
    // Requests in the next window have a cursor.
    const direction = directionOf(pagination);
    const pageInfo = withMore(page.pageInfo, direction, true);
    const hasMore = page.pageInfo?.[direction.more] === true;
    return {
      ...page,
      pageInfo,
      window: { ...window, hasMore },
      completeFrom: completeFrom({ ...page, pageInfo, request }),
    };
  };
  return readInRange;
}

/** The time of a block; `undefined` of a node that has none yet. */
const blockTime = (block: Block | undefined): bigint | undefined => (hasNoBlock(block) ? undefined : block?.timestamp);

/** Whether every node accepts a range. */
const isAccepted = (start: bigint, end: bigint): boolean => start >= earliest && end - start <= longestRange;
