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

/** Takes elements of a range that pass a test, from its start or from its end, until there are enough. */
export function take<T>(
  sorted: readonly T[],
  [from, to]: readonly [from: number, to: number],
  upwards: boolean,
  limit: number,
  test: (element: T) => boolean = () => true,
): T[] {
  const taken: T[] = [];
  for (
    let index = upwards ? from : to - 1;
    index >= from && index < to && taken.length < limit;
    index += upwards ? 1 : -1
  ) {
    const element = sorted[index] as T;
    if (test(element)) taken.push(element);
  }
  return taken;
}

export const compare = <T extends string | number>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);

/** Rows in groups, each sorted when it is first read. A row replaces the one of the same key in its group. */
export class GroupedRows<Row> {
  readonly #groups = new Map<string, Map<string, Row>>();
  readonly #sorted = new Map<string, readonly Row[]>();
  readonly #order: (a: Row, b: Row) => number;

  constructor(order: (a: Row, b: Row) => number) {
    this.#order = order;
  }

  set(group: string, key: string, row: Row): void {
    const rows = this.#groups.get(group) ?? new Map<string, Row>();
    this.#groups.set(group, rows.set(key, row));
    this.#sorted.delete(group);
  }

  get(group: string, key: string): Row | undefined {
    return this.#groups.get(group)?.get(key);
  }

  sorted(group: string): readonly Row[] {
    const known = this.#sorted.get(group);
    if (known !== undefined) return known;
    const rows = [...(this.#groups.get(group)?.values() ?? [])].sort(this.#order);
    this.#sorted.set(group, rows);
    return rows;
  }
}
