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
import { type Expectation, MissingEvidence, unlessMissing } from "../http/expectation.js";
import { minimum } from "../values/integers.js";
import { identify } from "./client-cursors.js";
import { searchesOf, type Witness } from "./history-search.js";
import { isSame } from "./judge.js";
import {
  directionOf,
  type Edge,
  forward,
  inWalkOrder,
  isDescending,
  largestPage,
  type NodePage,
  never,
  oldestOf,
  oldestTime,
  type PageRequest,
  type ReadPage,
  timeOf,
  withMore,
} from "./page.js";
import { longestRange, provableRange } from "./ranges.js";
import type { ListReaderOptions } from "./reader.js";

/** A page that has to show everything from a start on, and how it was read. */
export interface Proof<T> {
  page: NodePage<T>;
  request: PageRequest;
  expectation: Expectation;
  start: bigint;
}

export interface History<T> {
  /** The time of the oldest record that nodes keep, if nothing shows that they keep a time. */
  oldestAfter(time: bigint, signal: AbortSignal): Promise<bigint | undefined>;
  /**
   * Proves that a page, which reaches the start of its range, has every record from there on; otherwise reads it again.
   * If that cannot be proved because nodes lack records, the page has `availableFrom`.
   */
  prove(proof: Proof<T>, signal: AbortSignal): Promise<NodePage<T>>;
}

/** The result of reading from a witness to the first record of a page. */
type Finding<T> =
  /** The page, which is proved, or one that has what it lacked. */
  | NodePage<T>
  /** A response should have shown it, and none did. */
  | "missing"
  /** Nothing: the witness is too far away, or has too many records. */
  | "unproved";

export function historyOf<T>(options: ListReaderOptions<T>, filters: CheckedArguments, read: ReadPage<T>): History<T> {
  const { session } = options.connection;
  const { findAgain, witnessesOf, isOwn, oldestIfNoneUpTo, oldestAfter } = searchesOf(options, filters, read);

  /** Reads a page again from a node that keeps more of its range. */
  async function readLonger({ request, expectation, start }: Proof<T>, signal: AbortSignal): Promise<NodePage<T>> {
    const page = await read(request, { ...expectation, historyFrom: start }, signal);
    // A page of a window proves its records only: the next window proves nothing about this one.
    return page.window ? { ...page, completeFrom: oldestTime(page.edges, request.pagination) } : page;
  }

  /** Reads a page again so that it, or a later one, has a record; `undefined` if no node responds with such a page. */
  const readWith = (record: Edge<T>, { request, expectation }: Proof<T>, signal: AbortSignal) =>
    unlessMissing(read(request, { ...expectation, includes: identify(record.node as object) }, signal));

  /**
   * Reads from a witness toward newer records, whichever way the page was read, so that the response begins with the
   * witness. If it comes to the oldest record of the page with nothing of the list in between, the start is proved. If
   * it has an earlier record, the page was incomplete: oldest first, the response takes its place, and newest first,
   * the page is read again until it has that record.
   *
   * A query that fails leaves out the last records of a response, here the oldest one of the page. A page without
   * records is proved in the other direction, so that the witness comes last.
   */
  async function proveBy(witness: Witness<T>, proof: Proof<T>, signal: AbortSignal): Promise<Finding<T>> {
    const { page, request, start } = proof;
    const { pagination, end } = request;
    const isDown = isDescending(pagination);
    const direction = isDown ? forward : directionOf(pagination);
    const oldestEdge = oldestOf(page.edges, pagination);
    const oldest = timeOf(oldestEdge);
    const until = oldest === undefined ? end : oldest + 1000n;
    const block = page.extra.block?.timestamp;
    const isLong = (end = never) => end - witness.time > longestRange;
    // A range that ends after the newest block is shorter.
    const isRefused = session.refusesRanges && isLong(until) && isLong(oldest ?? block);
    if (isRefused && oldest !== undefined) return "unproved";
    const expectation = {
      historyFrom: start,
      minBlock: oldest ?? (block && minimum(block, end ?? never)),
      // A node can name the block of that record before it has written it.
      includes: oldestEdge && identify(oldestEdge.node as object),
    };
    const readBetween = (pagination: Pagination) =>
      unlessMissing(witness.read({ pagination, start: witness.time, end: until }, expectation, signal));
    const readBack = () => readBetween({ first: largestPage, newestFirst: true });
    const isInRange = (edge: Edge<T>) => (timeOf(edge) ?? 0n) >= start;
    /** Whether a response goes back to before the start with nothing of the list in between. */
    const isProvedBack = (back: NodePage<T>) =>
      !back.window &&
      back.completeFrom <= start &&
      (!back.pageInfo?.hasNextPage || (timeOf(back.edges.at(-1)) ?? start) < start) &&
      timeOf(back.edges.filter(isOwn).filter(isInRange).at(-1)) === oldest;
    // An empty page is proved up to the block of the proof.
    const provedBy = ({ extra }: NodePage<T>) => ({
      ...page,
      extra: oldest === undefined ? extra : page.extra,
      completeFrom: start,
    });
    const isEmpty = oldest === undefined && !isRefused;
    const back = isEmpty ? await readBack() : undefined;
    if (back && isProvedBack(back)) return provedBy(back);
    const onward = { [direction.size]: largestPage, newestFirst: isDown ? false : pagination.newestFirst };
    const isShort = !back || back.window || back.completeFrom > start;
    const shown = isEmpty && isShort ? back : await readBetween(onward);
    // The range of a newer node can end before the first record.
    if (shown?.window || (!shown && isLong(until))) return "unproved";
    if (!shown || shown.completeFrom > start) return "missing";

    const ownOf = ({ edges }: NodePage<T>) => inWalkOrder(edges.filter(isOwn), direction);
    const hasMore = shown.pageInfo?.[direction.more] ?? false;
    const first = ownOf(shown).find(isInRange);
    // The page can lack a part of a block, if a query failed there.
    const record = first && identify(first.node as object);
    const isShown = !record || page.edges.some(({ node }) => isSame(record, node));
    if (!hasMore && !isEmpty && timeOf(first) === oldest && isShown) return provedBy(shown);
    if (first === undefined) {
      // The block of the witness can have more records than a page: they are read from the other end.
      const isOneBlock = shown.edges.every((edge) => timeOf(edge) === timeOf(shown.edges[0]));
      const other = isOneBlock ? await readBack() : undefined;
      return other && isProvedBack(other) ? provedBy(other) : "unproved";
    }
    if (!isDown) {
      const pageInfo = withMore(shown.pageInfo, direction, hasMore || oldest !== undefined);
      const info = pageInfo && { ...pageInfo, [direction.nextCursor]: ownOf(shown).at(-1)?.cursor ?? "" };
      return { ...shown, edges: shown.edges.filter(isOwn), pageInfo: info, completeFrom: start };
    }
    const whole = await readWith(first, proof, signal);
    if (whole === undefined) return "missing";
    return whole.completeFrom === timeOf(first) ? { ...whole, completeFrom: start } : whole;
  }

  async function proveAtOnce(proof: Proof<T>, signal: AbortSignal): Promise<NodePage<T>> {
    const { page, request, start } = proof;
    if (page.completeFrom <= start) return page;
    /** Whether nodes have a record up to the start, and whether a response should have shown what follows it. */
    let isKept = false;
    let isMissing = false;
    for await (const witness of witnessesOf(start, signal)) {
      const finding = await proveBy(witness, proof, signal);
      if (typeof finding === "object") return finding;
      isKept = true;
      isMissing ||= finding === "missing";
    }
    // Nothing proves the start, but another node can keep more of the range.
    const again = await readLonger(proof, signal);
    if (again.completeFrom <= start) return again;
    const [range, other] = [page.window ?? request, again.window ?? request];
    const isSameRange = range.start === other.start && range.end === other.end;
    const isNearer = isSameRange && again.completeFrom < page.completeFrom;
    if (isNearer && isKept) return proveAtOnce({ ...proof, page: again }, signal);
    const longest = isNearer ? again : page;
    const oldest = timeOf(oldestOf(longest.edges, request.pagination));
    const availableFrom = isMissing ? undefined : await oldestIfNoneUpTo(start, signal, oldest);
    const isEmpty = longest.completeFrom === never && page.window === undefined;
    if (!isEmpty || availableFrom !== undefined) return { ...longest, availableFrom };
    // Behind one address, a node that keeps the start may respond only now.
    if (isMissing || (!isKept && (await findAgain(start, signal)).length > 0)) throw new MissingEvidence("place");
    return longest;
  }

  async function prove(proof: Proof<T>, signal: AbortSignal): Promise<NodePage<T>> {
    const { page, request, start } = proof;
    // Later windows reach the start.
    if (request.end !== undefined && request.end <= start) return { ...page, completeFrom: start };
    const { refusesRanges } = session;
    const until = minimum(page.completeFrom, request.end ?? page.extra.block?.timestamp ?? never);
    if (refusesRanges && until !== never && until - provableRange > start) return proveInParts(proof, until, signal);
    const proved = await proveAtOnce(proof, signal);
    // One of these requests may have been the first whose range a node refused.
    return refusesRanges || !session.refusesRanges ? proved : prove({ ...proof, page: proved }, signal);
  }

  /** A newer node shows at most a year at once, and more than that is before the first record of the page. */
  async function proveInParts(proof: Proof<T>, until: bigint, signal: AbortSignal): Promise<NodePage<T>> {
    const { request, start } = proof;
    const middle = until - provableRange;
    const later = await proveAtOnce({ ...proof, start: middle }, signal);
    if (later.completeFrom > middle) return later;
    // Another node has older records.
    if (later.completeFrom < middle) return prove({ ...proof, page: later }, signal);
    const { after: _, before: __, ...pagination } = request.pagination;
    const rest = { pagination, start, end: middle };
    const empty = { ...later, edges: [], window: { start, end: middle, hasMore: false }, completeFrom: never };
    const older = await prove({ page: empty, request: rest, expectation: { needsBlock: true }, start }, signal);
    const missing = oldestOf(older.edges, pagination);
    if (missing === undefined)
      return { ...later, completeFrom: minimum(older.completeFrom, middle), availableFrom: older.availableFrom };
    // Another node has records that this page lacks.
    if (!isDescending(pagination))
      return { ...older, pageInfo: withMore(older.pageInfo, directionOf(pagination), true) };
    const whole = await readWith(missing, proof, signal);
    const isNearer = whole !== undefined && whole.completeFrom < until;
    return isNearer ? prove({ ...proof, page: whole }, signal) : { ...later, completeFrom: middle };
  }

  return { prove, oldestAfter };
}
