import { ArgumentError, PaginationError, show } from "./errors.js";

/** Which page to fetch: forward with `first` and `after`, backward with `last` and `before`. */
export interface PageRequest {
  first?: number | undefined;
  after?: string | undefined;
  last?: number | undefined;
  before?: string | undefined;
  newestFirst?: boolean | undefined;
}

/** A page as it is fetched. An edge whose record is `null` holds nothing and is passed over. */
export interface PageContent<T> {
  edges: readonly { cursor: string; node: T | null }[];
  pageInfo: PageInfo | null;
}

/** Where a page stands in its list. */
export interface PageInfo {
  /** Cursor of the first record of the page. */
  startCursor: string;
  /** Cursor of the last record of the page. */
  endCursor: string;
  /** Whether there is a page after this one. */
  hasNextPage: boolean;
  /** Whether there is a page before this one. */
  hasPreviousPage: boolean;
}

/** A record and its place in the list. */
export interface Edge<T> {
  /** The record's place in the list, to page from. Opaque. */
  cursor: string;
  /** The record. */
  node: T;
}

/** A page of a list, in the order that was asked for, whichever way the walk goes. */
export interface WalkPage<T> {
  /** The records. */
  readonly nodes: T[];
  /** The records with their cursors. */
  readonly edges: Edge<T>[];
  /** Where the page stands in its list. `null`, as the source sent it, is an end. */
  readonly pageInfo: PageInfo | null;
  /** Fetches the page behind this one's end cursor; `undefined` where there is none. */
  nextPage(): Promise<this | undefined>;
  /** Fetches the page ahead of this one's start cursor; `undefined` where there is none. */
  previousPage(): Promise<this | undefined>;
}

/** Options of a walk. */
export interface WalkOptions {
  /** How many records to walk over at the most. The last page is asked for no more than is left. */
  maxItems?: number | undefined;
}

/**
 * A list that is fetched page by page as it is used. Nothing is sent before.
 *
 * `await` gives the first page, however often, with one request. Every loop is a walk of its own, from the start.
 * A walk with `last` or `before` goes backward: records come from the end of each page to its start.
 *
 * A listing is a thenable: an async function that returns one returns its first page. Wrap it, as in `{ votes: listing }`,
 * to hand it out of one.
 */
export interface Walk<T, P extends WalkPage<T>> extends AsyncIterable<T, undefined, undefined>, PromiseLike<P> {
  /** Every record, page after page. */
  [Symbol.asyncIterator](): AsyncGenerator<T, undefined, undefined>;
  /** Every page, each as it came. */
  pages(): AsyncGenerator<P, undefined, undefined>;
  /** Every record with its cursor, to go on from later. */
  edges(): AsyncGenerator<Edge<T>, undefined, undefined>;
  /** Every record in an array. `maxItems` bounds it. */
  toArray(): Promise<T[]>;
  /** As of the promise of the first page. */
  catch<R = never>(onRejected?: ((reason: unknown) => R | PromiseLike<R>) | null): Promise<P | R>;
  /** As of the promise of the first page. */
  finally(onFinally?: (() => void) | null): Promise<P>;
}

/** What a walk needs: found out when it is used, so that wrong arguments reject then and do not throw before. */
export interface Source<T, Extra extends object> {
  operation: string;
  /** Size of a page where the caller names none. */
  pageSize: number;
  /** The caller's options and where to start. */
  open(): { pagination: PageRequest; fetchPage: FetchPage<T, Extra> };
}

/** Fetches one page, with whatever else belongs to it. */
export type FetchPage<T, Extra extends object> = (page: PageRequest) => Promise<PageContent<T> & Extra>;

/** A list over a source of pages. */
export function walk<T, Extra extends object>(
  source: Source<T, Extra>,
  { maxItems = Number.POSITIVE_INFINITY }: WalkOptions = {},
): Walk<T, WalkPage<T> & Extra> {
  type P = WalkPage<T> & Extra;

  async function* pages(): AsyncGenerator<P, undefined, undefined> {
    const { fetchPage, direction, start, size } = prepare();
    const seen = new Set<string>(start[direction.cursor] === undefined ? [] : [start[direction.cursor] as string]);
    let left = maxItems;
    let at = start;
    for (;;) {
      const page = await getPage(fetchPage, { ...at, [direction.size]: Math.min(size, left) });
      yield page;
      left -= page.nodes.length;
      const { pageInfo } = page;
      if (left <= 0 || !pageInfo?.[direction.more]) return;
      const cursor = pageInfo[direction.nextCursor];
      if (cursor === "") throw missingCursor();
      if (seen.has(cursor)) throw repeatedCursor(cursor);
      seen.add(cursor);
      at = { ...start, [direction.cursor]: cursor };
    }
  }

  async function* edges(): AsyncGenerator<Edge<T>, undefined, undefined> {
    const { direction } = prepare();
    let left = maxItems;
    for await (const page of pages()) {
      const inOrder = direction === backward ? [...page.edges].reverse() : page.edges;
      for (const edge of inOrder) {
        if (left-- <= 0) return;
        yield edge;
      }
    }
  }

  async function* nodes(): AsyncGenerator<T, undefined, undefined> {
    for await (const { node } of edges()) yield node;
  }

  function prepare() {
    if (maxItems !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(maxItems) && maxItems > 0)) {
      throw new ArgumentError(`Expected \`maxItems\` to be a positive integer, got ${show(maxItems)}.`, {
        operation: source.operation,
        argument: "maxItems",
      });
    }
    const { pagination, fetchPage } = source.open();
    const direction = pagination.last !== undefined || pagination.before !== undefined ? backward : forward;
    return { fetchPage, direction, start: pagination, size: pagination[direction.size] ?? source.pageSize };
  }

  async function getPage(fetchPage: FetchPage<T, Extra>, request: PageRequest): Promise<P> {
    const { edges, pageInfo, ...extra } = await fetchPage(request);
    const held = edges.filter((edge): edge is Edge<T> => edge.node !== null);
    const { newestFirst } = request;
    const size = request.first ?? request.last;
    return {
      ...(extra as object as Extra),
      edges: held,
      nodes: held.map(({ node }) => node),
      pageInfo,
      nextPage: async () =>
        pageInfo?.hasNextPage
          ? getPage(fetchPage, { newestFirst, first: size, after: known(pageInfo.endCursor) })
          : undefined,
      previousPage: async () =>
        pageInfo?.hasPreviousPage
          ? getPage(fetchPage, { newestFirst, last: size, before: known(pageInfo.startCursor) })
          : undefined,
    } as P;
  }

  const known = (cursor: string) => {
    if (cursor === "") throw missingCursor();
    return cursor;
  };

  const missingCursor = () =>
    new PaginationError(`${source.operation}: the node says that there is more, but gives no cursor to get it with.`, {
      operation: source.operation,
      reason: "missing-cursor",
    });

  const repeatedCursor = (cursor: string) =>
    new PaginationError(
      `${source.operation}: the node repeats the cursor ${show(cursor)}; going on would walk in circles. ` +
        "A larger page may hold what this one cannot get past.",
      { operation: source.operation, reason: "repeated-cursor" },
    );

  let first: Promise<P> | undefined;
  const firstPage = () => {
    first ??= (async () => {
      const { fetchPage, direction, start, size } = prepare();
      return getPage(fetchPage, { ...start, [direction.size]: Math.min(size, maxItems) });
    })();
    return first;
  };

  return {
    [Symbol.asyncIterator]: nodes,
    pages,
    edges,
    toArray: async () => {
      const all: T[] = [];
      for await (const node of nodes()) all.push(node);
      return all;
    },
    // biome-ignore lint/suspicious/noThenProperty: awaiting a listing for its first page is what it offers.
    then: (onFulfilled, onRejected) => firstPage().then(onFulfilled, onRejected),
    catch: (onRejected) => firstPage().catch(onRejected),
    finally: (onFinally) => firstPage().finally(onFinally),
  };
}

/** What a direction calls things. */
interface Direction {
  size: "first" | "last";
  cursor: "after" | "before";
  nextCursor: "endCursor" | "startCursor";
  more: "hasNextPage" | "hasPreviousPage";
}

const forward: Direction = { size: "first", cursor: "after", nextCursor: "endCursor", more: "hasNextPage" };
const backward: Direction = { size: "last", cursor: "before", nextCursor: "startCursor", more: "hasPreviousPage" };
