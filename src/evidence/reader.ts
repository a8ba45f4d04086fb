import type { Pagination } from "../../generated/types.js";
import type { ListOperation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import { sleep } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import type { CallSettings } from "../http/call-options.js";
import { type Expectation, NotShown } from "../http/expectation.js";
import { maximum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/times.js";
import type { Connection } from "./connection.js";
import { completeFrom, judge, startOfDay } from "./judge.js";
import { type ListRequest, largestPage, type NodePage, type ReadPage, type ReceivedPage, timeOf } from "./page.js";
import type { CursorRules, SendPage } from "./sender.js";
import { inWindows, longestRange, RangeLimits } from "./windows.js";

export interface ListReaderOptions<T> {
  connection: Connection;
  operation: Pick<ListOperation<T>, "range">;
  call: CallSettings;
  send: SendPage<T>;
  filters: CheckedArguments;
  /** For requests with a cursor. */
  rules?: CursorRules;
  /** How long a block is waited for, in milliseconds. */
  catchUp: number;
  /** Throws if a page cannot be a response to its request. */
  check?(page: ReceivedPage<T>, response: Response): void;
}

/** How a page is read that decides how far back a reading is complete. */
export interface OldestOptions {
  /** How much earlier than the range the request begins, in nanoseconds. */
  lead?: bigint;
  /** Whether the page is taken as it is, also if it does not show the history from the start on. */
  takesWhatIsLeft?: boolean;
  /** Whether another page decides, which is not requested yet. */
  isProbe?: boolean;
}

export interface ListReader<T> {
  /** Reads a page that continues what was read. */
  read: ReadPage<T>;
  /** Reads a page that decides how far back the reading is complete: the first one in ascending order, any one in descending order. */
  readOldest(
    request: ListRequest,
    expectation: Expectation,
    signal: AbortSignal,
    options?: OldestOptions,
  ): Promise<NodePage<T>>;
}

/** How often a record that nodes have is requested before it counts as missing: behind one address, the next node may keep it. */
const attempts = 3;

export function listReader<T>(options: ListReaderOptions<T>): ListReader<T> {
  const { filters } = options;
  const read = pageReader(options, filters);
  const isFiltered = hasValues(filters);
  const readAll = isFiltered ? pageReader(options, {}) : read;

  /** The time of the newest record before a time; `undefined` if no response has one that is less than a year older. */
  async function findBefore(list: ReadPage<T>, end: bigint, tries: number, signal: AbortSignal) {
    const request = { pagination: { first: 1, newestFirst: true }, start: maximum(end - longestRange, 0n), end };
    for (let count = 0; count < tries; count++) {
      const { edges } = await list(request, { historyFrom: end }, signal);
      const time = timeOf(edges[0]);
      if (time !== undefined) return time;
    }
    return undefined;
  }

  /** The time of the oldest record that nodes keep, from a time on. */
  async function findOldest(start: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const request = { pagination: { first: 1, newestFirst: false }, start };
    const { edges } = await readAll(request, { historyFrom: start }, signal);
    return timeOf(edges[0]);
  }

  return {
    read,
    async readOldest(request, expectation, signal, { lead = 0n, takesWhatIsLeft = false, isProbe = false } = {}) {
      const { start, pagination } = request;
      const readFrom = (from: bigint | undefined, size = pagination) =>
        read({ ...request, start: from, pagination: size }, { ...expectation, historyFrom: start ?? 0n }, signal);
      let page = await readFrom(start && start - lead);
      if (start === undefined || page.completeFrom <= start || takesWhatIsLeft) return page;
      // The page has no record of the first day, and so does not show whether the node keeps that day. The record before would.
      const before = await findBefore(read, start, isFiltered ? 1 : attempts, signal);
      const firstDay = startOfDay(start) + nanosecondsPerDay;
      const isKept =
        before !== undefined || (isFiltered && (await findBefore(readAll, firstDay, attempts, signal)) !== undefined);
      const tries = before === undefined ? Number(isKept && !isProbe) : attempts;
      for (let count = 0; count < tries && page.completeFrom > start; count++) {
        const next = await (before === undefined ? readFrom(start - lead) : readFrom(before, withRoom(pagination)));
        if (next.completeFrom < page.completeFrom) page = next;
      }
      if (page.completeFrom <= start || (isKept && before === undefined)) return page;
      const isOldestShown = !isFiltered && page.edges.length > 0;
      const oldest = page.edges.at(pagination.newestFirst === false ? 0 : -1);
      return { ...page, availableFrom: isOldestShown ? timeOf(oldest) : await findOldest(start, signal) };
    },
  };
}

const hasValues = (filters: CheckedArguments): boolean =>
  Object.values(filters).some((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? hasValues(value as CheckedArguments)
      : value !== undefined,
  );

/** A larger page, which also has records before its range: those of one block, of which most blocks have few. */
function withRoom({ first, last, ...pagination }: Pagination): Pagination {
  const larger = (size: number) => Math.min(size + 50, Math.max(size, largestPage));
  return {
    ...pagination,
    ...(first !== undefined && { first: larger(first) }),
    ...(last !== undefined && { last: larger(last) }),
  };
}

/** Reads pages with these filters. A pool judges responses itself. Behind one address, any of them can come from another node. */
function pageReader<T>(options: ListReaderOptions<T>, filters: CheckedArguments): ReadPage<T> {
  const { connection, operation, send, rules, catchUp, check } = options;
  const { session, clock, isPool } = connection;
  session.limits ??= new RangeLimits(clock);
  const { limits } = session;
  const read: ReadPage<T> = (request, expectation, signal) => {
    const { pagination, start = 0n } = request;
    const hasCursor = (pagination.after ?? pagination.before) !== undefined;
    const attempt = async () => {
      const reply = await send(filters, request, expectation, signal, hasCursor ? rules : undefined);
      session.namesBlocks ||= reply.block !== undefined;
      const lack = isPool ? undefined : judge(expectation, reply, session.namesBlocks === true);
      // What is left of the history is for the reader to judge.
      if (lack && lack !== "history") throw new NotShown(lack, { shown: reply });
      const { data, response, block, stale, node } = reply;
      check?.(data, response);
      limits.observe(block);
      const { edges, pageInfo } = data;
      const from = completeFrom(data, reply, expectation.historyFrom ?? start);
      return { edges, pageInfo, extra: { response, block, stale }, node, completeFrom: from };
    };
    return untilShown(attempt, { clock, catchUp, signal });
  };
  return operation.range ? inWindows(read, limits) : read;
}

/** How often a request is repeated at once: behind one address, the next node may have what this one lacks. */
const repeats = 2;
const [shortestWait, longestWait] = [250, 1000];

/**
 * Repeats a request until its response shows what is expected: a block is waited for, a place is requested again at once.
 *
 * @param catchUp - How long a block is waited for, in milliseconds.
 * @throws {@link NotShown} if no response shows it.
 */
async function untilShown<T>(
  send: () => Promise<T>,
  { clock, catchUp, signal }: { clock: Clock; catchUp: number; signal: AbortSignal },
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
