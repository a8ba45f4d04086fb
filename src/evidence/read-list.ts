import type { Pagination } from "../../generated/types.js";
import type { ListOperation } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import type { CallSettings } from "../http/call-options.js";
import { type Demand, lackOf, NotShown } from "../http/demand.js";
import { maximum } from "../values/integers.js";
import { nanosecondsPerDay } from "../values/nanoseconds.js";
import type { Connection } from "./connection.js";
import { completeFrom, startOfDay } from "./history.js";
import {
  type ListReader,
  type ListRequest,
  type OldestPage,
  type PageContent,
  type ReadList,
  timeOf,
} from "./node-page.js";
import type { CursorRules, SendPage } from "./page-sender.js";
import { untilShown } from "./patience.js";
import { longestRange, RangeLimits } from "./range-limits.js";
import { inWindows } from "./windows.js";

/** How the pages of a list are read. */
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
  check?(request: ListRequest, page: PageContent<T> & { response: Response }): void;
}

/** How often a record that nodes have is requested before it counts as missing: behind one address, the next node may keep it. */
const attempts = 3;

/** Reads pages of a list that show what is demanded. */
export function listReader<T>(options: ListReaderOptions<T>): ListReader<T> {
  const { operation, filters } = options;
  const read = pageReader(options, filters);
  if (operation.range === undefined) {
    return {
      read,
      readOldest: async (request, signal, demand) => ({
        ...(await read(request, signal, demand)),
        completeFrom: 0n,
        availableFrom: undefined,
      }),
    };
  }
  const isFiltered = hasValues(filters);
  const readAll = isFiltered ? pageReader(options, {}) : read;

  /** The time of the newest record before a time; `undefined` if no response has one that is less than a year older. */
  async function findBefore(list: ReadList<T>, end: bigint, tries: number, signal: AbortSignal) {
    const request = { pagination: { first: 1, newestFirst: true }, start: maximum(end - longestRange, 0n), end };
    for (let count = 0; count < tries; count++) {
      const { edges } = await list(request, signal, historyDemand(request.pagination, end));
      const time = timeOf(edges[0]);
      if (time !== undefined) return time;
    }
    return undefined;
  }

  /** The time of the oldest record that nodes keep, from a time on. */
  async function findOldest(start: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const request = { pagination: { first: 1, newestFirst: false }, start };
    const { edges } = await readAll(request, signal, historyDemand(request.pagination, start));
    return timeOf(edges[0]);
  }

  return {
    read,
    async readOldest(request, signal, demand, { lead = 0n, takesWhatIsLeft = false, isProbe = false } = {}) {
      const { start, pagination } = request;
      const readFrom = async (requestedFrom: bigint | undefined, size = {}): Promise<OldestPage<T>> => {
        const history = historyDemand<T>(pagination, start ?? 0n);
        const wider = { ...request, start: requestedFrom, pagination: { ...pagination, ...size } };
        const page = await read(wider, signal, { ...demand, ...history });
        const from = completeFrom({ data: page, block: page.extra.block }, pagination, start);
        return { ...page, completeFrom: from, availableFrom: undefined };
      };
      let page = await readFrom(start && start - lead);
      if (start === undefined || page.completeFrom <= start || takesWhatIsLeft) return page;
      // The page has no record of the first day, and so does not show whether the node keeps that day. The record before would.
      const before = await findBefore(read, start, isFiltered ? 1 : attempts, signal);
      const firstDay = startOfDay(start) + nanosecondsPerDay;
      const isKept =
        before !== undefined || (isFiltered && (await findBefore(readAll, firstDay, attempts, signal)) !== undefined);
      for (
        let left = before === undefined ? Number(isKept && !isProbe) : attempts;
        left > 0 && page.completeFrom > start;
        left--
      ) {
        const next = before === undefined ? await readFrom(start - lead) : await readFrom(before, roomFor(pagination));
        if (next.completeFrom < page.completeFrom) page = next;
      }
      if (page.completeFrom <= start || (isKept && before === undefined)) return page;
      return {
        ...page,
        availableFrom:
          isFiltered || page.edges.length === 0
            ? await findOldest(start, signal)
            : timeOf(page.edges.at(pagination.newestFirst === false ? 0 : -1)),
      };
    },
  };
}

const hasValues = (filters: CheckedArguments): boolean =>
  Object.values(filters).some((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? hasValues(value as CheckedArguments)
      : value !== undefined,
  );

/** The size of a page that also has records before its range: those of one block, of which most blocks have few. */
function roomFor({ first, last }: Pagination): Pagination {
  const larger = (size: number) => Math.min(size + 50, Math.max(size, 5000));
  return { ...(first !== undefined && { first: larger(first) }), ...(last !== undefined && { last: larger(last) }) };
}

const historyDemand = <T>(pagination: ListRequest["pagination"], historyFrom: bigint): Demand<PageContent<T>> => ({
  historyFrom,
  completeFrom: (shown) => completeFrom(shown, pagination, historyFrom),
});

/**
 * Reads pages with these filters. Of a client with one address, each response is judged here, because any of them can come from another
 * node; a pool judges them itself.
 */
function pageReader<T>(options: ListReaderOptions<T>, filters: CheckedArguments): ReadList<T> {
  const { connection, operation, send, rules, catchUp, check } = options;
  const { session, clock, isPool } = connection;
  session.limits ??= new RangeLimits(clock);
  const { limits } = session;
  const read: ReadList<T> = (request, signal, demand) => {
    const { after, before } = request.pagination;
    const attempt = async () => {
      const reply = await send(filters, request, signal, demand, (after ?? before) === undefined ? undefined : rules);
      const lack = demand && !isPool ? lackOf(demand, reply, session.namesBlocks === true) : undefined;
      // What is left of the history is for the reader to judge.
      if (lack && lack !== "history") throw new NotShown(lack, { shown: reply });
      const { data, response, block, stale, node } = reply;
      check?.(request, { ...data, response });
      limits.observe(block);
      return { edges: data.edges, pageInfo: data.pageInfo, extra: { response, block, stale }, node };
    };
    return untilShown(attempt, { clock, catchUp, signal });
  };
  return operation.range ? inWindows(read, limits) : read;
}
