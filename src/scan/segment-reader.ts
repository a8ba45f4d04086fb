import type { BalanceChange } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import { NotShown } from "../http/demand.js";
import type { Edge } from "../pagination/page.js";
import { fromRecordBefore, largestPage, longestOverlap } from "../pagination/repair/continuation.js";
import { blockTimeOf } from "../source/block-cursor.js";
import { describeTime, readingError } from "../source/reading-errors.js";
import { compareDigits } from "../values/digits.js";
import { maximum, minimum } from "../values/integers.js";
import { earlyStart, microsecondOf, toTime } from "../values/microseconds.js";
import { contentOf, type RangeContent, type RangeDemand, type RangePage, type RangeRequest } from "./range-page.js";
import { compareRecords, keyOf } from "./record-order.js";
import { isEmpty, type Range, type ReadingOrder } from "./timeline.js";

/** Known records at the start of a range: the page that reads on from there begins with them. */
export interface Anchor {
  readonly microsecond: bigint;
  readonly keys: ReadonlySet<string>;
}

/** The records at the start of a range, and what is left of it. */
export interface SegmentReading {
  records: readonly BalanceChange[];
  /** How many records the page had. */
  pageLength: number;
  /** `undefined` if the whole range was read. */
  unread: Range | undefined;
  /** What is known of the start of `unread`. */
  anchor: Anchor | undefined;
}

/** A range of which one side, or both, can be open. */
export interface OpenRange {
  start: bigint | undefined;
  end: bigint | undefined;
}

/** What is requested beside the range. */
export interface PageOptions {
  size: number;
  after?: string | undefined;
  /** Known records that the page has to show. */
  anchor?: Anchor | undefined;
  accept?: ((edges: readonly Edge<BalanceChange>[]) => unknown) | undefined;
  /** Whether this page decides where the scan ends. */
  isFirst?: boolean;
}

export interface SegmentReaderOptions {
  operation: string;
  order: ReadingOrder;
  pageSize: number;
  fetch: (request: RangeRequest, demand: RangeDemand) => Promise<RangePage>;
}

/** Reads ranges page by page. Records of one time come in the order of their natural key. */
export class SegmentReader {
  readonly order: ReadingOrder;
  readonly pageSize: number;
  readonly #operation: string;
  readonly #fetch: SegmentReaderOptions["fetch"];

  constructor({ operation, order, pageSize, fetch }: SegmentReaderOptions) {
    this.order = order;
    this.pageSize = pageSize;
    this.#operation = operation;
    this.#fetch = fetch;
  }

  /** Fetches the first page of a range, or the page after a cursor. */
  async fetch(range: OpenRange, options: PageOptions): Promise<RangePage> {
    const { start, end } = range;
    const { newestFirst } = this.order;
    const { size, after, anchor } = options;
    const request: RangeRequest = {
      start: start === undefined ? undefined : earlyStart(start),
      end: end === undefined ? undefined : toTime(end),
      size,
      newestFirst,
      after,
    };
    const demand = demandOf(range, options, newestFirst);
    try {
      return await this.#fetch(request, demand);
    } catch (error) {
      if (!NotShown.is(error) || error.lack !== "place" || anchor === undefined) throw error;
    }
    // Records of a whole day are dropped at once, also while they are read.
    await this.#fetch(request, { ...demandOf(range, { size, after }, newestFirst), doubtsHistory: true });
    const last = newestFirst ? end : start;
    throw readingError(
      `${this.#operation} has read records at ${describeTime(toTime(last ?? 0n))} that no response shows any more, so that nothing ` +
        "shows which records follow them. Continue with `resume` on another node.",
      { operation: this.#operation, reason: "gap" },
      undefined,
    );
  }

  /** The newest record of all. */
  async newest(): Promise<BalanceChange | undefined> {
    const { edges } = await this.#fetch({ size: 1, newestFirst: true }, {});
    return edges[0]?.node;
  }

  /**
   * Takes the records from a page whose microseconds it shows completely. If it shows none completely, pages are read by
   * cursor until one is complete.
   *
   * @param times - What the caller wants, in Unix nanoseconds.
   */
  async complete(range: Range, first: RangePage, times: Range): Promise<SegmentReading> {
    const { order } = this;
    let page = first;
    let edges = page.edges;
    let last = lastMicrosecond(page, order);
    while (page.hasMore && order.compare(last, order.firstOf(range)) <= 0) {
      page = await this.#pageAfter(range, { ...page, edges });
      edges = [...edges, ...page.edges];
      last = lastMicrosecond({ ...page, edges }, order);
    }
    const rest = order.from(range, last);
    const unread = page.hasMore && !isEmpty(rest) ? rest : undefined;
    // More records of the last microsecond can be on the next page.
    const read =
      unread === undefined ? range : order.newestFirst ? { ...range, start: rest.end } : { ...range, end: last };
    const records = recordsBetween(
      edges,
      maximum(toTime(read.start), times.start),
      minimum(toTime(read.end), times.end),
    );
    // Records of one time come in any order, which depends on the node and on page borders.
    records.sort((a, b) => order.sign * compareRecords(a, b));
    // A node can send a record twice.
    const distinct = records.filter(
      (record, at) => at === 0 || compareRecords(record, records[at - 1] ?? record) !== 0,
    );
    return { records: distinct, pageLength: first.edges.length, unread, anchor: unread && anchorAt(edges, last) };
  }

  /** The page after others of the same range, within a microsecond that has more records than a page. */
  async #pageAfter(range: Range, { edges, endCursor }: RangePage): Promise<RangePage> {
    const last = edges.at(-1);
    if (last === undefined || !endCursor) throw this.#tooDense(range);
    if (blockTimeOf(endCursor) === undefined) {
      const page = await this.fetch(range, { size: this.pageSize, after: endCursor });
      const next = this.#edgesAfterPage(page.edges, edges);
      if (next === undefined) throw this.#tooDense(range);
      return { ...page, edges: next };
    }
    for (let way = fromRecordBefore(edges); way !== undefined; way = way.fallback?.()) {
      // Of a single record, the page is requested again with room for more.
      const { cursor: after, overlap, accept } = way.locate ? { ...way.locate([]), overlap: longestOverlap } : way;
      const size = Math.min(this.pageSize + Number(overlap), Math.max(largestPage, this.pageSize));
      try {
        const page = await this.fetch(range, { size, after, accept });
        const next = accept?.(page.edges) ?? page.edges;
        if (next.length > 0 || !page.hasMore) return { ...page, edges: next };
      } catch (error) {
        if (!NotShown.is(error) || error.lack !== "place") throw error;
      }
    }
    throw this.#tooDense(range);
  }

  /** The edges of a page after another one; `undefined` if a cursor led back. */
  #edgesAfterPage(edges: RangePage["edges"], previous: RangePage["edges"]): RangePage["edges"] | undefined {
    const known = new Set(previous.map(({ node }) => keyOf(node)));
    const [first, last] = [edges.at(0)?.node.timestamp, previous.at(-1)?.node.timestamp];
    const isEarlier = first !== undefined && last !== undefined && this.order.sign * compareDigits(first, last) < 0;
    return isEarlier || edges.some(({ node }) => known.has(keyOf(node))) ? undefined : edges;
  }

  #tooDense(range: Range): PaginationError {
    const time = toTime(this.order.firstOf(range));
    return new PaginationError(
      `${this.#operation} found more than ${this.pageSize} records in the microsecond from ${time} on, and the node's cursors ` +
        "do not lead through them. Narrow the filter by account types, parties or markets, or continue after that time.",
      { operation: this.#operation, reason: "too-dense", timestamp: `${time}` },
    );
  }
}

/** What a page of a range has to show: its end, and the known records at its start or that the node keeps what follows. */
function demandOf(
  { start, end }: OpenRange,
  { anchor, accept, after, isFirst = false }: PageOptions,
  newestFirst: boolean,
): RangeDemand {
  const isContinued = anchor !== undefined || after !== undefined;
  return {
    isFresh: isFirst,
    time: end === undefined ? undefined : toTime(end),
    reach: start === undefined ? 0n : toTime(start),
    // Known records show that the node keeps what follows them.
    ...(newestFirst
      ? { holdsStart: ({ data }) => !data.pageInfo?.hasNextPage }
      : isContinued && { holdsStart: () => false }),
    lacksBlock: ({ data, block }, namesBlocks) => {
      if (block === undefined) return namesBlocks;
      const endsHere = newestFirst || !data.pageInfo?.hasNextPage;
      // Also a range without an end begins in the past of its node.
      const needed = endsHere && end !== undefined ? end : start === undefined ? undefined : start + 1n;
      return needed !== undefined && block.timestamp < toTime(needed);
    },
    ...(anchor && { holdsPlace: (page) => shows(contentOf(page), anchor) }),
    ...(accept && { holdsPlace: (page) => accept(contentOf(page).edges) !== undefined }),
  };
}

/** Whether a page has all known records, or if it ends among them, no others. */
function shows({ edges, hasMore }: RangeContent, { microsecond, keys }: Anchor): boolean {
  const from = edges.findIndex(({ node }) => isIn(node, microsecond));
  let to = from;
  while (to >= 0 && to < edges.length && isIn((edges[to] as Edge<BalanceChange>).node, microsecond)) to++;
  const known = edges.slice(Math.max(0, from), Math.max(0, to)).filter(({ node }) => keys.has(keyOf(node))).length;
  const endsThere = hasMore && to === edges.length;
  return known > 0 && known >= (endsThere ? Math.min(to - from, keys.size) : keys.size);
}

/** The records of a microsecond that a page ends with; `undefined` if there are none. */
function anchorAt(edges: readonly Edge<BalanceChange>[], microsecond: bigint): Anchor | undefined {
  const keys = new Set<string>();
  for (let index = edges.length - 1; index >= 0; index--) {
    const { node } = edges[index] as Edge<BalanceChange>;
    if (isIn(node, microsecond)) keys.add(keyOf(node));
    else if (keys.size > 0) break;
  }
  return keys.size === 0 ? undefined : { microsecond, keys };
}

const isIn = ({ timestamp }: BalanceChange, microsecond: bigint) => microsecondOf(BigInt(timestamp)) === microsecond;

/**
 * The microsecond from which on a page may not be complete: that of its last record, or of its block, whose records can be missing.
 */
function lastMicrosecond({ edges, block }: Pick<RangePage, "edges" | "block">, { newestFirst }: ReadingOrder): bigint {
  const last = microsecondOf(BigInt(edges.at(-1)?.node.timestamp ?? 0));
  return newestFirst || block === undefined ? last : minimum(last, microsecondOf(block.timestamp));
}

/** The records of a range of time, of edges in order of time. */
function recordsBetween(edges: readonly Edge<BalanceChange>[], start: bigint, end: bigint): BalanceChange[] {
  const isOutside = (edge: Edge<BalanceChange> | undefined) => {
    const time = BigInt(edge?.node.timestamp ?? 0);
    return time < start || time >= end;
  };
  let [from, to] = [0, edges.length];
  while (from < to && isOutside(edges[from])) from++;
  while (from < to && isOutside(edges[to - 1])) to--;
  return edges.slice(from, to).map(({ node }) => node);
}
