import { compare } from "../values/integers.js";
import type { Microseconds } from "./wire.js";

/** The first index whose element passes a test that all elements behind it pass too; the length if none does. */
export function firstIndex<T>(sorted: readonly T[], test: (element: T) => boolean): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (test(sorted[middle] as T)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/**
 * Takes elements that pass a test, from the start of a sorted list or from its end, until there are enough.
 *
 * @param order - Compares an element with a place: those at it and behind it are taken. `undefined` for the whole list.
 */
export function takeRows<T>(
  sorted: readonly T[],
  upwards: boolean,
  limit: number,
  order: ((element: T) => number) | undefined,
  test: (element: T) => boolean = () => true,
): T[] {
  const from = order && upwards ? firstIndex(sorted, (element) => order(element) >= 0) : 0;
  const to = order && !upwards ? firstIndex(sorted, (element) => order(element) > 0) : sorted.length;
  const taken: T[] = [];
  const step = upwards ? 1 : -1;
  for (let index = upwards ? from : to - 1; index >= from && index < to && taken.length < limit; index += step) {
    const element = sorted[index] as T;
    if (test(element)) taken.push(element);
  }
  return taken;
}

/** A record with its place in a list, which is sorted by time and then by key. */
export interface Row {
  /** The time of its block; zero in a list without times. */
  time: Microseconds;
  key: string;
}

/** Compares rows with a place. Without a key, the database compares with NULL: no row of that time is behind it. */
export const orderAt = (time: Microseconds, key: string | undefined, upwards: boolean) => (row: Row) =>
  compare(row.time, time) || (key !== undefined ? compare(row.key, key) : upwards ? -1 : 1);

/** The rows of a list, which are sorted when they are first read. A row replaces the one of the same id. */
export class Table<Of extends Row> {
  readonly #rows = new Map<string, Of>();
  #sorted: readonly Of[] | undefined;
  newest: Microseconds = Number.NEGATIVE_INFINITY;

  add(id: string, row: Of): void {
    this.#rows.set(id, row);
    this.#sorted = undefined;
    this.newest = Math.max(this.newest, row.time);
  }

  /** In the order in which their ids were first added. */
  get rows(): Of[] {
    return [...this.#rows.values()];
  }

  get sorted(): readonly Of[] {
    this.#sorted ??= this.rows.sort((a, b) => a.time - b.time || compare(a.key, b.key));
    return this.#sorted;
  }
}
