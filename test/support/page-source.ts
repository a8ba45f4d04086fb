import type { Pagination } from "../../src/index.js";

/** How a source departs from answering each page whole. */
export interface Behaviour {
  /** How many of the records that were asked for each request gets, in turn; all where there is no entry. 0 is an empty page. */
  shares?: number[];
  /** The requests that fail, counted from 0. */
  failures?: Map<number, Error>;
}

/**
 * A source of pages over an array, oldest record first, as Relay has it: the order is turned by `newestFirst`, cursors
 * are opaque, and no cursor is given twice.
 */
export class RelaySource<T> {
  readonly requests: Pagination[] = [];
  readonly #records: readonly T[];
  readonly #behaviour: Behaviour;
  #cursors = 0;

  constructor(records: readonly T[], behaviour: Behaviour = {}) {
    this.#records = records;
    this.#behaviour = behaviour;
  }

  /** The records in the order that is asked for. */
  ordered(newestFirst: boolean | undefined): T[] {
    return newestFirst === false ? [...this.#records] : [...this.#records].reverse();
  }

  /** A cursor for the record at a place in that order. */
  cursor(index: number): string {
    return `${index}/${this.#cursors++}`;
  }

  readonly fetchPage = async (request: Pagination) => {
    const number = this.requests.push(request) - 1;
    const failure = this.#behaviour.failures?.get(number);
    if (failure) throw failure;
    const records = this.ordered(request.newestFirst);
    const place = (cursor: string | undefined, none: number) =>
      cursor === undefined ? none : Number.parseInt(cursor, 10);
    const share = this.#behaviour.shares?.[number] ?? Number.POSITIVE_INFINITY;
    const size = Math.min(request.first ?? request.last ?? 0, share);
    const backward = request.last !== undefined;
    const to = backward
      ? place(request.before, records.length)
      : Math.min(place(request.after, -1) + 1 + size, records.length);
    const from = backward ? Math.max(to - size, 0) : place(request.after, -1) + 1;
    const edges = records.slice(from, to).map((node, index) => ({ cursor: this.cursor(from + index), node }));
    // An empty page has a place too: between the record before it and the one behind it.
    const pageInfo = {
      startCursor: this.cursor(from),
      endCursor: this.cursor(to - 1),
      hasNextPage: to < records.length,
      hasPreviousPage: from > 0,
    };
    return { edges, pageInfo };
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
