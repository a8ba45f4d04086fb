import type { Pagination } from "../generated/types.js";
import { refuse } from "./arguments/refuse.js";
import type { Edge, FetchPage, PageContent } from "./listing.js";
import { backward, type Direction, forward } from "./pagination.js";

/**
 * Characters of a query that servers and proxies let pass with all else that a request line holds: most take 8 KiB for
 * the whole of it, nginx among them.
 */
const longestQuery = 7000;

/** The filters of a query in as many parts as keep each short enough for a URL. Lists are halved, the longest first. */
export function inReach<Filters extends object>(filters: Filters): Filters[] {
  if (lengthOf(filters) <= longestQuery) return [filters];
  const halves = halved(filters);
  return halves.length === 0 ? [filters] : halves.flatMap(inReach);
}

/** The filters in two parts, each with half of the longest list; nothing where no list has two values. */
export function halved<Filters extends object>(filters: Filters): Filters[] {
  const lists = Object.entries(filters)
    // A value that came twice would otherwise be asked for in both parts.
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)] : []] as const)
    .filter(([, list]) => list.length > 1)
    .sort(([, a], [, b]) => b.length - a.length);
  const [longest] = lists;
  if (longest === undefined) return [];
  const [name, list] = longest;
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)].map((half) => ({ ...filters, [name]: half }));
}

function lengthOf(filters: object): number {
  return Object.entries(filters)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)] as const))
    .reduce((length, [name, value]) => length + name.length + encodeURIComponent(value).length + 2, 0);
}

/** Where a page stands in one part: the cursors to go on with in both directions. */
interface Place {
  /** `undefined`: from the start of the part; `false`: nothing comes behind. */
  after?: string | false;
  /** `undefined`: from the end of the part; `false`: nothing comes ahead. */
  before?: string | false;
}

/** A walk through one part. */
interface Reader<T, Extra extends object> {
  fetchPage: FetchPage<T, Extra>;
  place: Place;
  /** The edges at hand, the next one last. */
  edges: Edge<T>[];
  hasMore: boolean;
}

/** Whether anything comes, or can still come, out of a part. */
const isOpen = ({ edges, hasMore }: Reader<unknown, object>) => edges.length > 0 || hasMore;

/**
 * Reads several lists as one, page by page: by `compare`, which says what comes first in the order that is asked for, or
 * one list after the other. Its cursors name a place in every list.
 */
export function joined<T, Extra extends object>(
  operation: string,
  parts: readonly FetchPage<T, Extra>[],
  compare?: (a: T, b: T) => number,
): FetchPage<T, Extra> {
  /** What the last page left over, and its cursor: mostly it is the page behind that is asked for next. */
  let left: { cursor: string | undefined; way: Direction; readers: Reader<T, Extra>[]; extra: Extra } | undefined;

  return async (pagination, signal) => {
    const way = pagination.last === undefined ? forward : backward;
    const { newestFirst, [way.cursor]: cursor, [way.size]: size = 0 } = pagination;
    const isNext = left !== undefined && left.cursor === cursor && left.way === way;
    const known = isNext ? left : undefined;
    // Whoever else asks for the same page shall not share these edges.
    left = undefined;
    const readers = known?.readers ?? newReaders(parts, readPlaces(operation, way, cursor, parts.length), way);
    const inOrder = way === forward ? readers : [...readers].reverse();
    let extra = known?.extra;

    const fill = async (reader: Reader<T, Extra>) => {
      const at = reader.place[way.cursor] || undefined;
      const request: Pagination = { newestFirst, [way.size]: size, ...(at && { [way.cursor]: at }) };
      const { edges, pageInfo, ...rest } = await reader.fetchPage(request, signal);
      extra = rest as unknown as Extra;
      const records = edges.filter((edge): edge is Edge<T> => edge?.node != null);
      reader.edges = way === forward ? records.reverse() : records;
      const next = pageInfo?.[way.nextCursor];
      reader.hasMore = (pageInfo?.[way.more] ?? false) && (records.length > 0 || Boolean(next));
      // An empty page is no end: its own cursor leads on.
      if (records.length === 0 && next) reader.place = { ...reader.place, [way.cursor]: next };
    };

    const taken: Edge<T>[] = [];
    while (taken.length < size) {
      const open = inOrder.filter(isOpen);
      // Records of all parts have to be at hand to be compared.
      const wanted = (compare ? open : open.slice(0, 1)).filter(({ edges }) => edges.length === 0);
      await Promise.all(wanted.map(fill));
      if (wanted.some(({ edges, hasMore }) => edges.length === 0 && hasMore)) break;
      const reader = nextOf(inOrder, compare && (way === forward ? compare : (a, b) => compare(b, a)));
      const edge = reader?.edges.pop();
      if (reader === undefined || edge === undefined) break;
      reader.place = { after: edge.cursor, before: edge.cursor };
      taken.push({ cursor: cursorAt(readers, way, reader), node: edge.node });
    }
    extra ??= await readers[0]?.fetchPage({ newestFirst, [way.size]: 1 }, signal);
    const end = taken.at(-1)?.cursor ?? cursorAt(readers, way);
    left = { cursor: end, way, readers, extra: extra as Extra };
    const hasMore = readers.some(isOpen);
    const start = taken[0]?.cursor ?? end;
    const content: PageContent<T> = {
      edges: way === forward ? taken : [...taken].reverse(),
      pageInfo: {
        startCursor: way === forward ? start : end,
        endCursor: way === forward ? end : start,
        hasNextPage: way === forward ? hasMore : cursor !== undefined,
        hasPreviousPage: way === forward ? cursor !== undefined : hasMore,
      },
    };
    return { ...(extra as Extra), ...content };
  };
}

function newReaders<T, Extra extends object>(
  parts: readonly FetchPage<T, Extra>[],
  places: readonly Place[],
  way: Direction,
): Reader<T, Extra>[] {
  return parts.map((fetchPage, index) => {
    const place = places[index] ?? {};
    return { fetchPage, place, edges: [], hasMore: place[way.cursor] !== false };
  });
}

/** The part whose record comes next. */
function nextOf<T, Extra extends object>(
  readers: readonly Reader<T, Extra>[],
  compare: ((a: T, b: T) => number) | undefined,
): Reader<T, Extra> | undefined {
  const [first, ...others] = readers.filter(({ edges }) => edges.length > 0);
  if (first === undefined || compare === undefined) return first;
  const head = ({ edges }: Reader<T, Extra>) => edges.at(-1)?.node as T;
  return others.reduce((best, reader) => (compare(head(reader), head(best)) < 0 ? reader : best), first);
}

/** The cursor behind what was taken of each part; `at` is the part of the record that was taken last. */
function cursorAt<T, Extra extends object>(
  readers: readonly Reader<T, Extra>[],
  way: Direction,
  at?: Reader<T, Extra>,
): string {
  const places = readers.map((reader): Place => {
    const taken = reader.place[way.cursor];
    const back = reader === at ? taken : taken === undefined ? false : reader.edges.at(-1)?.cursor;
    return {
      ...(!isOpen(reader) ? { [way.cursor]: false } : taken !== undefined && { [way.cursor]: taken }),
      ...(back !== undefined && { [way === forward ? backward.cursor : forward.cursor]: back }),
    };
  });
  return JSON.stringify(places);
}

function readPlaces(operation: string, way: Direction, cursor: string | undefined, count: number): Place[] {
  if (cursor === undefined) return Array.from({ length: count }, () => ({}));
  try {
    const places: unknown = JSON.parse(cursor);
    if (Array.isArray(places) && places.length === count) return places as Place[];
  } catch {
    // Said below.
  }
  const place = { operation, argument: `pagination.${way.cursor}` };
  return refuse(place, `a cursor of this list, which is asked for in ${count} parts`, cursor);
}
