import type { Edge } from "../evidence/page.js";

/** Leaves out the records of a page that came in earlier pages of the same walk. Each page has its own deduplicator. */
export interface Deduplicator<T> {
  /** @param edges - The page in the order of the walk. */
  filter(edges: readonly Edge<T>[]): { fresh: readonly Edge<T>[]; next: Deduplicator<T> };
}

/** Compares with every earlier page: a record can come again at any distance. */
export function compareWithAllPages<T>(keyOf: (record: T) => string): Deduplicator<T> {
  /** The number of the first page that had the record. Pages that are fetched twice find their own records. */
  const pageOf = new Map<string, number>();
  const ofPage = (page: number): Deduplicator<T> => ({
    filter(edges) {
      const inPage = new Set<string>();
      const fresh = edges.filter(({ node }) => {
        const key = keyOf(node);
        if (inPage.has(key) || (pageOf.get(key) ?? page) < page) return false;
        inPage.add(key);
        pageOf.set(key, page);
        return true;
      });
      return { fresh: fresh.length === edges.length ? edges : fresh, next: ofPage(page + 1) };
    },
  });
  return ofPage(0);
}

/** Compares with the last time of the previous page alone, for lists whose pages overlap in one block at most. */
export function compareWithLastTime<T>(keyOf: (record: T) => string, timeOf: (record: T) => string): Deduplicator<T> {
  const after = (time: string | undefined, keys: ReadonlySet<string>): Deduplicator<T> => ({
    filter(edges) {
      const isRepeated = ({ node }: Edge<T>) => timeOf(node) === time && keys.has(keyOf(node));
      const fresh = edges.some(isRepeated) ? edges.filter((edge) => !isRepeated(edge)) : edges;
      const last = edges.at(-1);
      if (last === undefined) return { fresh, next: this };
      const lastTime = timeOf(last.node);
      const atLastTime = edges.filter(({ node }) => timeOf(node) === lastTime).map(({ node }) => keyOf(node));
      return { fresh, next: after(lastTime, new Set(atLastTime)) };
    },
  });
  return after(undefined, new Set());
}
