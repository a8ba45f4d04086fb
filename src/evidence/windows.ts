import type { Pagination } from "../../generated/types.js";
import { ApiError } from "../errors/index.js";
import { type Block, type NodeExtra, readBlock } from "../http/call.js";
import { type KnownRecord, NotShown } from "../http/expectation.js";
import { maximum, minimum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/times.js";
import type { Connection } from "./connection.js";
import { edgesAfter } from "./judge.js";
import {
  cursorAt,
  cursorOf,
  type Direction,
  directionOf,
  type Edge,
  edgesOf,
  inWalkOrder,
  isDescending,
  largestPage,
  type NodePage,
  opposite,
  type ReadPage,
  timeOf,
} from "./page.js";

/** A time in Unix nanoseconds. The end does not belong to the range. */
interface TimeRange {
  start: bigint;
  end: bigint;
}

/** The longest range of a request, with a day to spare: v0.75 and later nodes allow 365 days (observed on v0.79 nodes). */
export const longestRange = 364n * nanosecondsPerDay;

/** The earliest time of a range: 1 January 2020 (observed on v0.79 nodes). */
const earliest = 1_577_836_800_000_000_000n;

/** How often a year that may be empty is requested: behind one address, the next node may keep it. */
const attempts = 3;

/** Notes the block of a response. */
export function noteBlock({ session, clock }: Connection, block: Block | undefined): void {
  if (block === undefined || (session.latest && block.timestamp < session.latest.time)) return;
  session.latest = { time: block.timestamp, seenAt: clock.now() };
}

/** A time that no record has reached. A node whose chain has ended is years behind the clock of the client. */
function openEnd({ session, clock }: Connection): bigint {
  const { time, seenAt } = session.latest ?? { time: milliseconds(clock.date()), seenAt: clock.now() };
  return time + milliseconds(clock.now() - seenAt) + nanosecondsPerDay;
}

const milliseconds = (count: number) => BigInt(Math.ceil(count)) * 1_000_000n;

/**
 * Reads pages of a list with a range also from nodes that refuse a range without an end, or a long one, as v0.75 and later nodes do
 * (observed on v0.79 nodes). Such a page comes from the first year of the range that has records, and reports that more follow if others
 * are left. With a cursor, nodes need no range: the page can have records outside of it.
 */
export function inWindows<T>(read: ReadPage<T>, connection: Connection): ReadPage<T> {
  const { session } = connection;
  return async (request, expectation, signal) => {
    const { pagination, start = 0n, end } = request;
    const hasCursor = cursorOf(pagination) !== undefined;
    const isOpen = request.start === undefined && end === undefined;
    const isFine = isAccepted(request.start, end) || (hasCursor && isOpen);
    if (isFine || !session.refusesRanges) {
      try {
        return await read(request, expectation, signal);
      } catch (error) {
        if (isFine || !isRefused(error)) throw error;
        session.refusesRanges = true;
        noteBlock(connection, readBlock(error));
      }
    }
    if (hasCursor) return read({ pagination }, expectation, signal);
    const direction = directionOf(pagination);
    const { size, more, nextCursor } = direction;
    const isDown = isDescending(pagination);
    // In ascending order, the first page of all decides how far back the list is complete.
    const historyAfter = isDown ? expectation.historyFrom : undefined;
    // Within an open range, the place can be in any of its years. A range with a bound begins at the place.
    const isAnywhere = (isDown ? end : request.start) === undefined;
    for (let count = 1; ; count++) {
      const last = end ?? openEnd(connection);
      const page = await proved(await readFirst({ start, end: last }), last);
      if (page === undefined && count < attempts) continue;
      if (page === undefined) throw new NotShown("place");
      // An open end is taken to be a day after the latest block so far: a node that is further ahead has later records.
      if (end !== undefined || (page.extra.block?.timestamp ?? 0n) < last) return page;
    }

    /**
     * A page that begins more than a year before the end of its range, if a response shows that no record is between. A node can have dropped
     * the years that are empty, so the response has to show the newest record of the page, too.
     */
    async function proved(page: NodePage<T>, last: bigint): Promise<NodePage<T> | undefined> {
      const [newest] = edgesOf(page, direction);
      const time = timeOf(newest);
      if (newest === undefined || time === undefined || !isDown || last - time < longestRange) return page;
      const back = opposite(direction);
      const newer = await readBeside(newest, time - 1000n, back, undefined);
      const after = edgesAfter(edgesOf(newer, back), placeOf(newest)) ?? [];
      const isNext = after.length === 0 || (timeOf(after[0]) ?? 0n) >= last;
      return isNext ? { ...page, extra: earlierOf(page.extra, newer.extra) } : undefined;
    }

    /**
     * Reads the first year of a range that has records. A single one is read again with those that follow it: the next page has to begin with
     * a known record, and a node with later ones can have dropped those between.
     *
     * @param known - The single record, with which the range begins.
     */
    async function readFirst(range: TimeRange, known?: Edge<T>): Promise<NodePage<T>> {
      const windows = [...windowsOf(range, isDown)];
      // Before the first year, there is no record.
      if (windows.length === 0) windows.push({ start: openEnd(connection), end: openEnd(connection) });
      const expected = known
        ? { ...expectation, continuesFrom: placeOf(known), historyFrom: historyAfter }
        : expectation;
      for (const part of windows) {
        const window = { isLast: part === windows.at(-1), isAnywhere: isAnywhere && !known };
        const page = await read({ pagination, ...part, window }, expected, signal);
        const [only, ...others] = edgesOf(page, direction);
        const time = timeOf(only);
        if (window.isLast) return page;
        if (only === undefined || time === undefined) continue;
        if (others.length > 0 || page.pageInfo?.[more] || pagination[size] === 1) return withMore(page, pagination);
        if (known) return readAcross(known, time);
        const following = await readFirst(isDown ? { ...range, end: time + 1000n } : { ...range, start: time }, only);
        // Only the first response covers the time after the record.
        return isDown
          ? { ...following, extra: earlierOf(page.extra, following.extra) }
          : { ...following, completeFrom: page.completeFrom };
      }
      throw new Error("A range has a last window.");
    }

    /** Reads a record and those that follow it more than a year later, which no range holds together. */
    async function readAcross(known: Edge<T>, time: bigint): Promise<NodePage<T>> {
      const page = await readBeside(known, isDown ? time + 1000n : time - 1000n, direction, historyAfter);
      const edges = edgesOf(page, direction).slice(0, pagination[size]);
      const pageInfo = { ...(page.pageInfo ?? noCursors), [opposite(direction).more]: false };
      if (edges.length === page.edges.length) return { ...page, pageInfo };
      const cut = { ...pageInfo, [nextCursor]: edges.at(-1)?.cursor ?? "" };
      return withMore({ ...page, edges: inWalkOrder(edges, direction), pageInfo: cut }, pagination);
    }

    /** Reads the largest page from a time just before a record. A full page lacks the record: the node takes it for that of the cursor. */
    function readBeside(edge: Edge<T>, time: bigint, { size, cursor }: Direction, historyFrom: bigint | undefined) {
      const { newestFirst } = pagination;
      const from = { [size]: largestPage, [cursor]: cursorAt(edge.cursor, time) };
      const request = { pagination: { ...from, ...(newestFirst !== undefined && { newestFirst }) } };
      return read(request, { ...expectation, continuesFrom: placeOf(edge), historyFrom }, signal);
    }
  };
}

const placeOf = ({ node }: Edge<unknown>) => ({ records: [node as KnownRecord] });

/** Whether every node accepts a range. */
const isAccepted = (start: bigint | undefined, end: bigint | undefined): boolean =>
  start !== undefined && end !== undefined && start >= earliest && end - start <= longestRange;

/** Whether a node refused a request for its range, in the words of v0.75 and later nodes (observed on v0.79 nodes). */
const isRefused = (error: unknown): error is ApiError =>
  ApiError.is(error) && error.status === 400 && error.detail?.["message"] === "invalid date range";

/** Splits a range into those that every node accepts, in the order in which they are read. */
function* windowsOf({ start, end }: TimeRange, newestFirst: boolean): Generator<TimeRange> {
  const from = maximum(start, earliest);
  if (newestFirst) {
    for (let last = end; last > from; last -= longestRange)
      yield { start: maximum(last - longestRange, from), end: last };
  } else {
    for (let first = from; first < end; first += longestRange)
      yield { start: first, end: minimum(first + longestRange, end) };
  }
}

/** Only the records before the earlier block of two responses are final in both. */
export const earlierOf = (first: NodeExtra, second: NodeExtra): NodeExtra =>
  first.block === undefined || first.block.timestamp <= (second.block?.timestamp ?? -1n) ? first : second;

const noCursors = { hasNextPage: false, hasPreviousPage: false, startCursor: "", endCursor: "" };

const withMore = <T>(page: NodePage<T>, pagination: Pagination): NodePage<T> => ({
  ...page,
  pageInfo: { ...(page.pageInfo ?? noCursors), [directionOf(pagination).more]: true },
  completeFrom: isDescending(pagination) ? 0n : page.completeFrom,
});
