/**
 * Proves that a reading has every record from the start of its range on.
 *
 * A node keeps every record from some time on, which can be any time, and nothing in a response names it. So a reading
 * is complete from its start only if one response shows a record at or before the start, and goes on from there to the
 * first record that is yielded:
 *
 * 1. One request finds a witness: the newest record of the list up to the start. If there is none, another request
 *    finds records that satisfy the rest of the filter, such as records of another party.
 * 2. One more request reads from the witness to the first record; for another party, with both in the filter. Any
 *    record in between was missing from the page.
 * 3. Otherwise the start is not proved. If nodes have no record at all up to the start, `availableFrom` is the oldest
 *    one that they have. If they have one, and no response shows anything of the range, the reading ends with a gap.
 */
import type { Pagination } from "../../generated/types.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import { type Expectation, NotShown } from "../http/expectation.js";
import { minimum } from "../values/integers.js";
import { identify } from "./client-cursors.js";
import { searchesOf, unlessNotShown, type Witness } from "./history-search.js";
import { completeFrom, never } from "./judge.js";
import {
  directionOf,
  type Edge,
  edgesOf,
  forward,
  isDescending,
  largestPage,
  type NodePage,
  oldestOf,
  type PageRequest,
  type ReadPage,
  timeOf,
  withMore,
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

export function historyOf<T>(options: ListReaderOptions<T>, filters: CheckedArguments, read: ReadPage<T>): History<T> {
  const { session } = options.connection;
  const { find, findAgain, witnessesOf, isOwn, missingFrom, oldestAfter } = searchesOf(options, filters, read);

  /** Reads a page again. A page of a window proves its records only: the next window proves nothing about this one. */
  async function readWindow(...[request, expectation, signal]: Parameters<ReadPage<T>>): Promise<NodePage<T>> {
    const page = await read(request, expectation, signal);
    return page.window ? { ...page, completeFrom: completeFrom({ ...page, pageInfo: null, request }) } : page;
  }

  /** Reads a page again so that it, or a later one, has a record; `undefined` if no node responds with such a page. */
  function readWith(record: object, ...[request, expectation, signal]: Parameters<ReadPage<T>>) {
    return unlessNotShown(read(request, { ...expectation, includes: identify(record) }, signal));
  }

  /**
   * Reads from a witness to the first record of a page.
   *
   * @returns The page if nothing is between, otherwise one that has what was missing; `"missing"` if no response shows
   * that, and `undefined` if it would prove nothing.
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
    const includes = oldestEdge && identify(oldestEdge.node as object);
    const { end } = request;
    const until = oldest === undefined ? end : oldest + 1000n;
    const isTooLong = until !== undefined && until - time > longestRange;
    // A range that ends after the newest block is shorter.
    if (isTooLong && oldest !== undefined && session.refusesRanges) return undefined;
    const { timestamp: block } = page.extra.block ?? {};
    const minBlock = oldest ?? (block === undefined || end === undefined ? block : minimum(block, end));
    const { newestFirst } = isDown ? { newestFirst: false } : request.pagination;
    const pagination = { [direction.size]: largestPage, newestFirst };
    const readShown = witnessed === filters ? read : pageReader(options, witnessed);
    const readBetween = (pagination: Pagination) =>
      unlessNotShown(
        readShown({ pagination, start: time, end: until }, { historyFrom: start, minBlock, includes }, signal),
      );
    const shown = await readBetween(pagination);
    // The range of a newer node can end before the first record.
    if (shown?.window || (shown === undefined && (until === undefined || isTooLong))) return undefined;
    if (shown === undefined || shown.completeFrom > start) return "missing";
    const ownOf = ({ edges }: NodePage<T>) => edges.filter(isOwn);
    const own = ownOf(shown);
    const [first] = edgesOf({ ...shown, edges: own.filter(isInRange) }, direction);
    const hasMore = shown.pageInfo?.[direction.more] ?? false;
    const proved = ({ extra }: NodePage<T>) => ({
      ...page,
      // An empty page is proved up to the block of the proof.
      extra: oldest === undefined ? extra : page.extra,
      completeFrom: start,
    });
    if (!hasMore && timeOf(first) === oldest) return proved(shown);
    if (first === undefined) {
      // The block of the witness can have more records than a page: they are read from the other end.
      const isOneBlock = shown.edges.every((edge) => timeOf(edge) === timeOf(shown.edges[0]));
      const back = isOneBlock ? await readBetween({ first: largestPage, newestFirst: true }) : undefined;
      if (back === undefined || back.window || (timeOf(back.edges.at(-1)) ?? start) >= start) return undefined;
      const nearest = ownOf(back).filter(isInRange).at(-1);
      return timeOf(nearest) === oldest ? proved(back) : undefined;
    }
    if (!isDown) {
      const last = edgesOf({ ...shown, edges: own }, direction).at(-1);
      const pageInfo = shown.pageInfo && {
        ...shown.pageInfo,
        [direction.more]: hasMore || oldest !== undefined,
        [direction.nextCursor]: last?.cursor ?? "",
      };
      return { ...shown, edges: own, pageInfo, completeFrom: start };
    }
    const whole = await readWith(first.node as object, request, expectation, signal);
    if (whole === undefined) return "missing";
    return whole.completeFrom === timeOf(first) ? { ...whole, completeFrom: start } : whole;
  }

  const proveAtOnce: History<T>["prove"] = async (page, request, expectation, start, signal) => {
    if (page.completeFrom <= start) return page;
    /** Whether nodes have a record up to the start, and whether a response should have shown what follows it. */
    let isKept = false;
    let isMissing = false;
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
    if (isMissing || (!isKept && (await findAgain(start, signal)).length > 0)) throw new NotShown("place");
    return longest;
  };

  /** A newer node shows at most a year at once. A longer time before the first record is proved in parts. */
  const prove: History<T>["prove"] = async (page, request, expectation, start, signal) => {
    const { refusesRanges } = session;
    // Later windows reach the start.
    if (request.end !== undefined && request.end <= start) return { ...page, completeFrom: start };
    const head = request.end ?? page.extra.block?.timestamp ?? never;
    const until = minimum(page.completeFrom, head);
    const middle = until - provableRange;
    if (!refusesRanges || until === never || middle <= start) {
      const proved = await proveAtOnce(page, request, expectation, start, signal);
      // One of these requests may have been the first whose range a node refused.
      return refusesRanges || !session.refusesRanges ? proved : prove(proved, request, expectation, start, signal);
    }
    const later = await proveAtOnce(page, request, expectation, middle, signal);
    if (later.completeFrom > middle) return later;
    // Another node has older records.
    if (later.completeFrom < middle) return prove(later, request, expectation, start, signal);
    const { after: _, before: __, ...pagination } = request.pagination as Pagination;
    const rest = { pagination, start, end: middle };
    const empty = { ...later, edges: [], window: { start, end: middle, hasMore: false }, completeFrom: never };
    const older = await prove(empty, rest, { needsBlock: true }, start, signal);
    const missing = oldestOf(older.edges, pagination);
    if (missing === undefined)
      return { ...later, completeFrom: minimum(older.completeFrom, middle), availableFrom: older.availableFrom };
    // Another node has records that this page lacks.
    if (!isDescending(pagination))
      return { ...older, pageInfo: withMore(older.pageInfo, directionOf(pagination), true) };
    const whole = await readWith(missing.node as object, request, expectation, signal);
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
