import type { BalanceChange } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import { blockTimeOf, compareDigits, edgesAfter, withAccountId } from "../pagination/cursors.js";
import type { Edge } from "../pagination/page.js";
import type { RangePage, RangeRequest } from "./range-page.js";
import { compareRecords, keyOf } from "./record-order.js";
import { isEmpty, microsecondOf, type Range, type ReadingOrder, toTime } from "./timeline.js";

/** The records at the start of a range, and what is left of it. */
export interface Reading {
  records: readonly BalanceChange[];
  /** How many records the page had. */
  pageLength: number;
  /** `undefined` if the whole range was read. */
  unread: Range | undefined;
}

/** A range of which one side, or both, can be open. */
export interface OpenRange {
  start: bigint | undefined;
  end: bigint | undefined;
}

export interface SegmentReaderOptions {
  operation: string;
  order: ReadingOrder;
  pageSize: number;
  fetch: (request: RangeRequest) => Promise<RangePage>;
}

/** Reads ranges page by page. Records of one time come in the order of their natural key. */
export class SegmentReader {
  readonly order: ReadingOrder;
  readonly pageSize: number;
  readonly #operation: string;
  readonly #fetch: (request: RangeRequest) => Promise<RangePage>;

  constructor({ operation, order, pageSize, fetch }: SegmentReaderOptions) {
    this.order = order;
    this.pageSize = pageSize;
    this.#operation = operation;
    this.#fetch = fetch;
  }

  /** Fetches the first page of a range, or the page after a cursor. */
  fetch({ start, end }: OpenRange, size: number, after?: string): Promise<RangePage> {
    return this.#fetch({
      // One microsecond early: the reference does not say whether the start belongs to the range.
      start: start === undefined || start <= 1n ? undefined : toTime(start - 1n),
      end: end === undefined ? undefined : toTime(end),
      size,
      newestFirst: this.order.newestFirst,
      after,
    });
  }

  /** The newest record of all. */
  async newest(): Promise<BalanceChange | undefined> {
    const { edges } = await this.#fetch({ size: 1, newestFirst: true });
    return edges[0]?.node;
  }

  /**
   * Takes the records from a page whose microseconds it shows completely. If it shows none completely, pages are read by
   * cursor until one is complete.
   *
   * @param times - What the caller wants, in Unix nanoseconds.
   */
  async complete(range: Range, first: RangePage, times: Range): Promise<Reading> {
    const { order } = this;
    let page = first;
    let edges = page.edges;
    let last = lastMicrosecond(page);
    while (page.hasMore && order.compare(last, order.firstOf(range)) <= 0) {
      page = await this.#pageAfter(range, page);
      edges = [...edges, ...page.edges];
      last = lastMicrosecond(page);
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
    return { records: distinct, pageLength: first.edges.length, unread };
  }

  /** The page after another one of the same range, within a microsecond that has more records than a page. */
  async #pageAfter(range: Range, { edges, endCursor }: RangePage): Promise<RangePage> {
    const last = edges.at(-1);
    if (last === undefined || !endCursor) throw this.#tooDense(range);
    const completed = withAccountId(endCursor, last.cursor === endCursor ? last.node : undefined);
    if (completed === undefined && blockTimeOf(endCursor) !== undefined) throw this.#tooDense(range);
    const page = await this.fetch(range, this.pageSize, completed?.cursor ?? endCursor);
    const next = completed
      ? edgesAfter(page.edges, completed.place, this.order.newestFirst)
      : this.#edgesAfterPage(page.edges, edges);
    if (next === undefined) throw this.#tooDense(range);
    return { ...page, edges: next };
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

/** The microsecond of the last record. */
const lastMicrosecond = ({ edges }: RangePage): bigint => microsecondOf(BigInt(edges.at(-1)?.node.timestamp ?? 0));

const maximum = (a: bigint, b: bigint) => (a > b ? a : b);
const minimum = (a: bigint, b: bigint) => (a < b ? a : b);

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
