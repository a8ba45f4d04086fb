// What the client loads for its first list: tests count the turns of the event loop.
import "../../src/client/lists.js";
import type { Pagination } from "../../src/index.js";

/** Short pages and failures of a source. */
export interface PageBehavior {
  /** The sizes of the pages, in turn, if they are smaller than requested. 0 is an empty page. */
  sizes?: number[];
  /** The requests that fail, counted from 0. */
  failures?: Map<number, Error>;
}

/**
 * Pages of an array, whose oldest record comes first, with the cursors of Relay: `newestFirst` reverses the order, cursors
 * are opaque, and no cursor is returned twice.
 */
export class PageSource<T> {
  readonly requests: Pagination[] = [];
  readonly #records: readonly T[];
  readonly #behavior: PageBehavior;
  #cursors = 0;

  constructor(records: readonly T[], behavior: PageBehavior = {}) {
    this.#records = records;
    this.#behavior = behavior;
  }

  /** The records in the requested order. */
  ordered(newestFirst: boolean | undefined): T[] {
    return newestFirst === false ? [...this.#records] : [...this.#records].reverse();
  }

  /** A cursor for the record at an index of that order. */
  cursor(index: number): string {
    return `${index}/${this.#cursors++}`;
  }

  readonly fetchPage = async (request: Pagination) => {
    const number = this.requests.push(request) - 1;
    const failure = this.#behavior.failures?.get(number);
    if (failure) throw failure;
    const records = this.ordered(request.newestFirst);
    const place = (cursor: string | undefined, none: number) =>
      cursor === undefined ? none : Number.parseInt(cursor, 10);
    const limit = this.#behavior.sizes?.[number] ?? Number.POSITIVE_INFINITY;
    const size = Math.min(request.first ?? request.last ?? 0, limit);
    const backward = request.last !== undefined;
    const to = backward
      ? place(request.before, records.length)
      : Math.min(place(request.after, -1) + 1 + size, records.length);
    const from = backward ? Math.max(to - size, 0) : place(request.after, -1) + 1;
    const edges = records.slice(from, to).map((node, index) => ({ cursor: this.cursor(from + index), node }));
    // An empty page has a place as well: between the record before it and the record after it.
    const [startCursor, endCursor] = [this.cursor(from), this.cursor(to - 1)];
    const pageInfo = { startCursor, endCursor, hasNextPage: to < records.length, hasPreviousPage: from > 0 };
    return { edges, pageInfo };
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Reads to the end, or to an error. */
export async function readUntilError<T>(items: AsyncIterable<T>): Promise<{ records: T[]; error?: unknown }> {
  const records: T[] = [];
  try {
    for await (const item of items) records.push(item);
  } catch (error) {
    return { records, error };
  }
  return { records };
}
