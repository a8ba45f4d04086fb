import type { CheckedArguments } from "../arguments/read-arguments.js";
import { sleep } from "../async/abort.js";
import { NotShown } from "../http/expectation.js";
import { cursorAt } from "./cursors.js";
import { completeFrom, judge, never, startOfDay } from "./judge.js";
import {
  directionOf,
  type NodePage,
  type PageRequest,
  type ReadPage,
  type ReceivedPage,
  timeOf,
  withRoom,
} from "./page.js";
import { maxReads, withAnyRange } from "./ranges.js";
import { gapError } from "./reading-errors.js";
import { type NodeList, sendPage } from "./sender.js";

export interface ListReaderOptions<T> extends NodeList<T> {
  filters: CheckedArguments;
  /** How long a block is waited for, in milliseconds. */
  catchUp: number;
  /** Throws if a page cannot be a response to its request. */
  check?(page: ReceivedPage<T>, response: Response): void;
}

export interface ListReader<T> {
  /** Reads a page that continues what was read. */
  read: ReadPage<T>;
  /**
   * Reads a page that decides how far back the reading is complete, to `historyFrom` if nodes keep that: the first one in ascending order,
   * any one in descending order.
   */
  readOldest: ReadPage<T>;
  /** Finds out whether nodes have dropped records since a time: if they have, and a response shows it, `availableFrom` is set. */
  readHistory(start: bigint, signal: AbortSignal): Promise<Pick<NodePage<T>, "availableFrom">>;
}

export function listReader<T>(options: ListReaderOptions<T>): ListReader<T> {
  const { filters, route } = options;
  const read = pageReader(options, filters);
  const whole = hasValues(filters) ? listReader({ ...options, filters: {} }) : undefined;
  const oldestFrom = (start: bigint): PageRequest => ({ pagination: { first: 1, newestFirst: false }, start });

  /** The time of one of the two newest records before a time, if a response has one. */
  async function findBefore(end: bigint, signal: AbortSignal) {
    // A node that needs a range needs none with a cursor.
    const request = { pagination: { first: 1, newestFirst: true, after: cursorAt(end) } };
    for (let count = 0; count < (whole ? 1 : maxReads); count++) {
      const { edges } = await read(request, { historyFrom: end }, signal);
      const time = timeOf(edges[0]);
      if (time !== undefined) return time;
    }
    return undefined;
  }

  const readOldest: ReadPage<T> = async (request, expectation, signal) => {
    const { historyFrom: start = 0n } = expectation;
    let page = await read(request, expectation, signal);
    const readAgain = async (request: PageRequest, times: number) => {
      for (let count = 0; count < times && page.completeFrom > start; count++) {
        const next = await read(request, expectation, signal);
        if (next.completeFrom < page.completeFrom) page = next;
      }
      return page.completeFrom <= start;
    };
    if (request.start === undefined || page.completeFrom <= start) return page;
    // The page has no record of the first day, and so does not show whether the node keeps that day. The record before would.
    const before = await findBefore(start, signal);
    const isShown = await (before === undefined
      ? readAgain(request, whole ? 1 : 0)
      : readAgain(beginningBefore(request, before), maxReads));
    if (isShown) return page;
    if (whole) {
      // A filter can select no record of a day that is kept, which only all records show.
      const { availableFrom } = await whole.readHistory(start, signal);
      if (availableFrom === undefined && before !== undefined) throw gapError(route.operation, before, undefined);
      return { ...page, availableFrom };
    }
    const own = timeOf(page.edges.at(request.pagination.newestFirst === false ? 0 : -1));
    const oldest = own ?? timeOf((await read(oldestFrom(start), { historyFrom: start }, signal)).edges[0]);
    if (oldest === undefined || startOfDay(oldest) > start) return { ...page, availableFrom: oldest };
    // A node that keeps the first day has no record before that one.
    if (oldest >= (request.end ?? never)) return { ...page, completeFrom: start };
    if (await readAgain(request, maxReads)) return page;
    throw gapError(route.operation, oldest, undefined);
  };

  return {
    read,
    readOldest,
    readHistory: (start, signal) =>
      readOldest(oldestFrom(start), { needsBlock: true, historyFrom: start }, signal).catch((error: unknown) => {
        if (NotShown.is(error)) return {};
        throw error;
      }),
  };
}

const hasValues = (filters: CheckedArguments): boolean =>
  Object.values(filters).some((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? hasValues(value as CheckedArguments)
      : value !== undefined,
  );

/** A page that begins at a time before its range, with room for the records of the block of that time. */
function beginningBefore({ pagination, ...request }: PageRequest, start: bigint): PageRequest {
  const { size } = directionOf(pagination);
  return { ...request, start, pagination: { ...pagination, [size]: withRoom(pagination[size] ?? 0, 50) } };
}

/** Reads pages with these filters. A pool judges responses itself. Behind one address, any of them can come from another node. */
function pageReader<T>(options: ListReaderOptions<T>, filters: CheckedArguments): ReadPage<T> {
  const { connection, route, operation, check } = options;
  const { session, isPool } = connection;
  const read: ReadPage<T> = (request, expectation, signal) => {
    const attempt = async () => {
      const reply = await sendPage(options, filters, request, expectation, signal);
      session.namesBlocks ||= reply.block !== undefined;
      const lack = isPool ? undefined : judge(expectation, reply, session.namesBlocks);
      // What is left of the history is for the reader to judge.
      if (lack && lack !== "history") throw new NotShown(lack, reply);
      const { data, response, block, stale, node } = reply;
      check?.(data, response);
      const { edges, pageInfo } = data;
      const from = completeFrom(data, reply, expectation.historyFrom ?? request.start ?? 0n);
      return { edges, pageInfo, extra: { response, block, stale }, node, completeFrom: from };
    };
    return untilShown(attempt, options, signal);
  };
  return operation.range ? withAnyRange(read, route.operation, session) : read;
}

/** How often a request is repeated at once: behind one address, the next node may have what this one lacks. */
const repeats = 2;
const [shortestWait, longestWait] = [250, 1000];

/**
 * Repeats a request until its response shows what is expected: a block is waited for, a place is requested again at once.
 *
 * @throws {@link NotShown} if no response shows it.
 */
async function untilShown<T>(
  send: () => Promise<T>,
  { connection: { clock }, catchUp }: Pick<ListReaderOptions<T>, "connection" | "catchUp">,
  signal: AbortSignal,
): Promise<T> {
  let deadline: number | undefined;
  let isBehind = false;
  for (let count = 0; ; count++) {
    try {
      return await send();
    } catch (error) {
      if (!NotShown.is(error) || error.lack === "history") throw error;
      deadline ??= clock.now() + catchUp;
      // A node that has the place may only have to catch up.
      isBehind ||= error.lack === "block";
      if (isBehind ? clock.now() >= deadline : count >= repeats) throw error;
      const wait = count < repeats ? 0 : Math.min(longestWait, shortestWait * 2 ** (count - repeats));
      if (wait > 0) await sleep(clock, Math.min(wait, Math.max(1, deadline - clock.now())), signal);
    }
  }
}
