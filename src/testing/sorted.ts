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

export type Range = readonly [from: number, to: number];

/** @param order - Compares an element with the place; `undefined` for the whole list. */
export function rangeFrom<T>(
  sorted: readonly T[],
  upwards: boolean,
  order: ((element: T) => number) | undefined,
): Range {
  if (order === undefined) return [0, sorted.length];
  if (upwards) return [firstIndex(sorted, (element) => order(element) >= 0), sorted.length];
  return [0, firstIndex(sorted, (element) => order(element) > 0)];
}

/** Takes elements of a range that pass a test, from its start or from its end, until there are enough. */
export function take<T>(
  sorted: readonly T[],
  [from, to]: Range,
  upwards: boolean,
  limit: number,
  test: (element: T) => boolean = () => true,
): T[] {
  const taken: T[] = [];
  const step = upwards ? 1 : -1;
  for (let index = upwards ? from : to - 1; index >= from && index < to && taken.length < limit; index += step) {
    const element = sorted[index] as T;
    if (test(element)) taken.push(element);
  }
  return taken;
}

export const compare = <T extends string | number>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);

interface TableFunctions<Given, Row> {
  toRow: (record: Given) => Row;
  keyOf: (row: Row) => string;
  /** The names of the groups that a row belongs to. */
  groupsOf: (row: Row) => readonly string[];
  order: (a: Row, b: Row) => number;
}

/** The records of a list, in groups that are sorted when they are first read. A record replaces the one of the same key. */
export function createTable<Given, Row>({ toRow, keyOf, groupsOf, order }: TableFunctions<Given, Row>) {
  const rows = new Map<string, Row>();
  const groups = new Map<string, readonly Row[]>();
  return {
    add(records: readonly Given[]): void {
      for (const row of records.map(toRow)) rows.set(keyOf(row), row);
      groups.clear();
    },
    /** All rows, in the order in which their keys were first added. */
    get rows(): Row[] {
      return [...rows.values()];
    },
    group(name: string): readonly Row[] {
      const group = groups.get(name) ?? [...rows.values()].filter((row) => groupsOf(row).includes(name)).sort(order);
      groups.set(name, group);
      return group;
    },
  };
}
