/**
 * Whether nodes keep the start of a range.
 *
 * A node keeps every record from some time on, which can be any time, and nothing in a response names it. So a reading is complete from its
 * start only if one response shows a record at or before the start, and goes on from there to the first record that is yielded:
 *
 * 1. One request finds a witness: the newest record of the list up to the start. If there is none, another request finds records
 *    that satisfy the rest of the filter, such as records of another party.
 * 2. One more request reads from the witness to the first record; for another party, with both in the filter. What it has in between was
 *    missing.
 * 3. Otherwise the start is not proved. If nodes have no record at all up to the start, `availableFrom` is the oldest one that they have.
 *    If they have one, and no response shows anything of the range, the reading ends with a gap.
 */
import type { Pagination } from "../../generated/types.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import { type Expectation, type KnownRecord, NotShown } from "../http/expectation.js";
import { minimum } from "../values/integers.js";
import { identify } from "./client-cursors.js";
import { completeFrom, never } from "./judge.js";
import {
  directionOf,
  type Edge,
  edgesOf,
  forward,
  hasRecord,
  isDescending,
  largestPage,
  type NodePage,
  oldestOf,
  type PageRequest,
  type ReadPage,
  timeOf,
} from "./page.js";
import { longestRange, provableRange } from "./ranges.js";
import { type ListReaderOptions, pageReader } from "./reader.js";

/** A page that has to show everything from a start on, and how it was read. */
interface Proof<T> {
  page: NodePage<T>;
  request: PageRequest;
  expectation: Expectation;
  start: bigint;
}

/** A record that is not after the start, and filters that select it and all of the list. */
interface Witness {
  time: bigint;
  filters: CheckedArguments;
}

export interface History<T> {
  /** The time of the oldest record that nodes have, if they have none up to a start. */
  missingBefore(start: bigint, signal: AbortSignal): Promise<bigint | undefined>;
  /** The time of the oldest record that nodes keep, if nothing shows that they keep a time. */
  oldestAfter(time: bigint, signal: AbortSignal): Promise<bigint | undefined>;
  /**
   * Proves that a page, which reaches the start of its range, has every record from there on; otherwise reads it again.
   * If that cannot be proved because nodes lack records, the page has `availableFrom`.
   */
  prove(
    page: NodePage<T>,
    request: PageRequest,
    expectation: Expectation,
    start: bigint,
    signal: AbortSignal,
  ): Promise<NodePage<T>>;
}

/** How many records up to a start are searched for a witness. */
const searchedRecords = 100;

const dimensions = [
  ["partyIds", "partyId"],
  ["marketIds", "marketId"],
  ["accountTypes", "accountType"],
] as const;

export function historyOf<T>(options: ListReaderOptions<T>, filters: CheckedArguments, read: ReadPage<T>): History<T> {
  const { isPool, session } = options.connection;
  const { filter = {} } = filters as { filter?: Record<string, readonly string[] | undefined> };
  const { rejectedNames } = options.operation;
  const isRejected = (member: string, name: string) =>
    member === rejectedNames?.member && rejectedNames.names.includes(name);
  const isWhole = !Object.values(filter).some((value) => value !== undefined);
  const readWhole = isWhole ? read : pageReader(options, {});
  /** Behind one address, nodes that keep less can respond in turns. */
  const searches = isPool ? [findOwn, findOthers] : [findOwn, findOthers, findOthers];
  /** What was found so far, by start. */
  const found = new Map<bigint, readonly Witness[]>();

  /** An empty page without block headers can come from a node that has no block yet. */
  const expectationOf = (time: bigint) => ({ historyFrom: isPool ? time : undefined, needsBlock: true });

  /** The newest records up to a time, on newer nodes within a year; `undefined` if no node with a block responds. */
  function newestUpTo(read: ReadPage<T>, time: bigint, first: number, signal: AbortSignal) {
    const request = { pagination: { first, newestFirst: true }, end: time + 1n };
    // A pool asks the other nodes if one has nothing.
    return unlessNotShown(read(request, expectationOf(time), signal));
  }

  /** Reads a page again. A page of a window proves no more than its records: the next window proves nothing about this one. */
  async function readWindow(...[request, expectation, signal]: Parameters<ReadPage<T>>): Promise<NodePage<T>> {
    const page = await read(request, expectation, signal);
    return page.window ? { ...page, completeFrom: completeFrom({ ...page, pageInfo: null, request }) } : page;
  }

  /** Reads a page again so that it, or a later one, has a record; `undefined` if no node responds with such a page. */
  function readWith(record: object, ...[request, expectation, signal]: Parameters<ReadPage<T>>) {
    return unlessNotShown(read(request, { ...expectation, includes: identify(record) }, signal));
  }

  async function oldestAfter(time: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    const pagination = { first: 1, newestFirst: false };
    const expectation = expectationOf(time);
    for (let start: bigint | undefined = time; start !== undefined; ) {
      const page: NodePage<T> | undefined = await unlessNotShown(readWhole({ pagination, start }, expectation, signal));
      const oldest = timeOf(page?.edges[0]);
      if (oldest !== undefined) return oldest > time ? oldest : undefined;
      start = page?.window?.end;
    }
    return undefined;
  }

  /** The oldest record, if nodes have none up to a start. */
  async function missingFrom(start: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    for (let time: bigint | undefined = start; time !== undefined; ) {
      const page: NodePage<T> | undefined = await newestUpTo(readWhole, time, 1, signal);
      if (page?.edges.length !== 0) return undefined;
      time = page.window?.start;
    }
    return oldestAfter(start, signal);
  }

  /** Finds records up to a start: the newest one of the list, or some of others. */
  async function find(start: bigint, signal: AbortSignal): Promise<readonly Witness[]> {
    for (const search of searches) {
      const witnesses = found.get(start) ?? (await search(start, signal));
      if (witnesses.length === 0) continue;
      found.set(start, witnesses);
      return witnesses;
    }
    return [];
  }

  async function findOwn(start: bigint, signal: AbortSignal): Promise<readonly Witness[]> {
    const own = (await newestUpTo(read, start, 1, signal))?.edges[0];
    return own ? [{ time: timeOf(own) ?? 0n, filters }] : [];
  }

  /** Without a party, market or account type in the filter, there are no others: the list itself is searched again. */
  async function findOthers(start: bigint, signal: AbortSignal): Promise<readonly Witness[]> {
    const given = dimensions.filter(([name]) => filter[name]?.length);
    if (given.length === 0) return findOwn(start, signal);
    for (const dimension of given) {
      const others = await findOthersOf(dimension, start, signal);
      if (others.length > 0) return others;
    }
    return [];
  }

  /** Finds two others with a record at the start or shortly before: the one with the fewest records, and the nearest. */
  async function findOthersOf(
    [name, member]: (typeof dimensions)[number],
    start: bigint,
    signal: AbortSignal,
  ): Promise<readonly Witness[]> {
    const { [name]: wanted = [], ...rest } = filter;
    const read = pageReader(options, { ...filters, filter: rest });
    const page = await newestUpTo(read, start, searchedRecords, signal);
    const times = new Map<string, bigint[]>();
    for (const edge of page?.edges.filter(hasRecord<T>) ?? []) {
      const value = (edge.node as KnownRecord)[member];
      if (typeof value !== "string" || value === "" || isRejected(member, value)) continue;
      times.set(value, [...(times.get(value) ?? []), timeOf(edge) ?? 0n]);
    }
    const quietFirst = [...times].sort(([, a], [, b]) => a.length - b.length);
    const chosen = new Map([...quietFirst.slice(0, 1), ...[...times].slice(0, 1), ...quietFirst]);
    return [...chosen].slice(0, 2).map(([value, [time = 0n]]) => ({
      time,
      filters: { ...filters, filter: { ...filter, [name]: [...wanted, value] } },
    }));
  }

  /** Whether a record is of the list itself. */
  const isOwn = ({ node }: Edge<T>): boolean =>
    dimensions.every(([name, member]) => {
      const values = filter[name];
      return !values?.length || values.includes(String((node as KnownRecord)[member]));
    });

  /**
   * Reads from a witness to the first record of a page.
   *
   * @returns The page if nothing is between, otherwise one that has what was missing; `"missing"` if no response shows that, and
   * `undefined` if it would prove nothing.
   */
  async function proveBy(
    { filters: witnessed, time }: Witness,
    { page, request, expectation, start }: Proof<T>,
    signal: AbortSignal,
  ): Promise<NodePage<T> | "missing" | undefined> {
    const isDown = isDescending(request.pagination);
    const direction = isDown ? forward : directionOf(request.pagination);
    const isInRange = (edge: Edge<T>) => (timeOf(edge) ?? 0n) >= start;
    const oldestEdge = oldestOf(page.edges, request.pagination);
    const oldest = timeOf(oldestEdge);
    // A node can name the block of that record before it has written it.
    const includes = oldestEdge?.node ? identify(oldestEdge.node) : undefined;
    const { end } = request;
    const until = oldest === undefined ? end : oldest + 1000n;
    const { timestamp: block } = page.extra.block ?? {};
    const minBlock = oldest ?? (block === undefined || end === undefined ? block : minimum(block, end));
    const { newestFirst } = isDown ? { newestFirst: false } : request.pagination;
    const pagination = { [direction.size]: largestPage, newestFirst };
    const readShown = witnessed === filters ? read : pageReader(options, witnessed);
    const shown = await unlessNotShown(
      readShown({ pagination, start: time, end: until }, { historyFrom: start, minBlock, includes }, signal),
    );
    // The range of a newer node can end before the first record.
    if (shown?.window || (shown === undefined && (until === undefined || until - time > longestRange)))
      return undefined;
    if (shown === undefined || shown.completeFrom > start) return "missing";
    const own = shown.edges.filter(hasRecord<T>).filter(isOwn);
    const [first] = edgesOf({ ...shown, edges: own.filter(isInRange) }, direction);
    const hasMore = shown.pageInfo?.[direction.more] ?? false;
    // An empty page is proved up to the block of the response that proves it. Without block headers, that block is unknown.
    const extra = oldest === undefined ? shown.extra : page.extra;
    if (!hasMore && timeOf(first) === oldest) return { ...page, extra, completeFrom: start };
    if (first === undefined) return undefined;
    if (!isDown) {
      const last = edgesOf({ ...shown, edges: own }, direction).at(-1);
      const pageInfo = shown.pageInfo && {
        ...shown.pageInfo,
        [direction.more]: hasMore || oldest !== undefined,
        [direction.nextCursor]: last?.cursor ?? "",
      };
      return { ...shown, edges: own, pageInfo };
    }
    const whole = await readWith(first.node as object, request, expectation, signal);
    if (whole === undefined) return "missing";
    return whole.completeFrom === timeOf(first) ? { ...whole, completeFrom: start } : whole;
  }

  /** The newest record of the list up to a start, and two of others. */
  async function* witnessesOf(start: bigint, signal: AbortSignal): AsyncGenerator<Witness> {
    const witnesses = await find(start, signal);
    yield* witnesses;
    if (witnesses[0]?.filters === filters) yield* await findOthers(start, signal);
  }

  const proveAtOnce: History<T>["prove"] = async (page, request, expectation, start, signal) => {
    if (page.completeFrom <= start) return page;
    /** Whether nodes have a record up to the start, and whether a response should have shown what follows it. */
    let [isKept, isMissing] = [false, false];
    for await (const witness of witnessesOf(start, signal)) {
      const proved = await proveBy(witness, { page, request, expectation, start }, signal);
      if (typeof proved === "object") return proved;
      isKept = true;
      isMissing ||= proved === "missing";
    }
    // Nothing proves the start, but another node can keep more of the range.
    const again = await readWindow(request, { ...expectation, historyFrom: start }, signal);
    if (again.completeFrom <= start) return again;
    const [range, other] = [page.window ?? request, again.window ?? request];
    const isSameRange = range.start === other.start && range.end === other.end;
    const isNearer = isSameRange && again.completeFrom < page.completeFrom;
    if (isNearer && isKept) return proveAtOnce(again, request, expectation, start, signal);
    const longest = isNearer ? again : page;
    const availableFrom = isMissing ? undefined : await missingFrom(start, signal);
    const isEmpty = longest.completeFrom === never && page.window === undefined;
    if (!isEmpty || availableFrom !== undefined) return { ...longest, availableFrom };
    // Behind one address, a node that keeps the start may respond only now.
    const search = isWhole ? find : findOthers;
    if (isMissing || (!isKept && (await search(start, signal)).length > 0)) throw new NotShown("place");
    return longest;
  };

  /** A newer node shows at most a year at once. A longer time before the first record is proved in parts, newest first. */
  const prove: History<T>["prove"] = async (page, request, expectation, start, signal) => {
    const { refusesRanges } = session;
    const until = minimum(page.completeFrom, request.end ?? never);
    const middle = until - provableRange;
    if (!refusesRanges || until === never || middle <= start) {
      const proved = await proveAtOnce(page, request, expectation, start, signal);
      // One of these requests may have been the first whose range a node refused.
      const isDone = proved.completeFrom <= start || proved.availableFrom !== undefined;
      return isDone || refusesRanges || !session.refusesRanges
        ? proved
        : prove(proved, request, expectation, start, signal);
    }
    const later = await proveAtOnce(page, request, expectation, middle, signal);
    if (later.completeFrom > middle) return later;
    // Another node has older records.
    if (later.completeFrom < middle) return prove(later, request, expectation, start, signal);
    const { after: _, before: __, ...pagination } = request.pagination as Pagination;
    const rest = { pagination, start, end: middle };
    const empty = { ...later, edges: [], window: { start, end: middle, hasMore: false }, completeFrom: never };
    const { edges, completeFrom, availableFrom } = await prove(empty, rest, { needsBlock: true }, start, signal);
    const missing = oldestOf(edges, pagination);
    if (!missing?.node) return { ...later, completeFrom: minimum(completeFrom, middle), availableFrom };
    // Another node has records that this page lacks.
    const whole = await readWith(missing.node, request, expectation, signal);
    const isNearer = whole !== undefined && whole.completeFrom < until;
    return isNearer ? prove(whole, request, expectation, start, signal) : { ...later, completeFrom: middle };
  };

  return {
    async missingBefore(start, signal) {
      return (await find(start, signal)).length > 0 ? undefined : missingFrom(start, signal);
    },

    prove,
    oldestAfter,
  };
}

/** The result of a read; `undefined` if no response meets the expectation. */
async function unlessNotShown<T>(page: Promise<T>): Promise<T | undefined> {
  try {
    return await page;
  } catch (error) {
    if (NotShown.is(error)) return undefined;
    throw error;
  }
}
