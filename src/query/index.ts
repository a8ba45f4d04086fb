/**
 * Keys and functions for TanStack Query and SWR.
 *
 * @privateRemarks
 * `membersOf` makes the members of each operation. `define` makes a key and a function that calls the method of the
 * client: both have one copy of the argument as JSON. A list has three: its first page, an infinite list of pages, and
 * all records. A page is JSON with the `pagination` of its neighbors, so that it can be stored.
 *
 * @module vegaprotocol-client/query
 */
import type { BackwardPagination, ForwardPagination, OperationId, OperationTypes } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import { checkOptions, expected, isPlainObject } from "../arguments/check-options.js";
import type { ListOperation, RecordOf, SingleOperation } from "../arguments/operation.js";
import { refuse } from "../arguments/refuse.js";
import type { VegaClient } from "../client/client.js";
import type { ListId, Listing, Page } from "../client/listing.js";
import { PaginationError, unlessThrown } from "../errors/index.js";
import { keyBy } from "../values/names.js";
import { unixNanoseconds } from "../values/times.js";

/** The key of a query: the package, the scope, the operation, and the argument as JSON, in which a `Date` is digits. */
export type QueryKey = readonly ["vegaprotocol-client", string, OperationId, object?, ("infinite" | "all")?];

/** A page of a list as JSON. */
export interface PageData<T> extends Pick<Page<T>, "nodes" | "pageInfo" | "stale"> {
  /** The `pagination` of the next and of the previous page. Absent if there is none, or if no cursor leads to it. */
  next?: ForwardPagination;
  previous?: BackwardPagination;
  /** Why no cursor leads to the next page: the message and the reason of a `PaginationError`. */
  unreachable?: { message: string; reason: PaginationError["reason"] };
  /** The current block when the node responded. Absent if the node does not say. */
  block?: { height: `${bigint}`; timestamp: `${bigint}` };
}

/** Where a page of an infinite list begins. */
type PageStart = ForwardPagination | NonNullable<PageData<unknown>["unreachable"]>;
type Pages<T> = { pages: PageData<T>[]; pageParams: (PageStart | null)[] };

/** Options for `useInfiniteQuery` and its relatives of TanStack Query. */
export interface InfiniteQueryOptions<T> {
  queryKey: QueryKey;
  queryFn: (context: { signal?: AbortSignal | undefined; pageParam: PageStart | null }) => Promise<PageData<T>>;
  initialPageParam: PageStart | null;
  getNextPageParam: (lastPage: PageData<T>) => PageStart | undefined;
  /**
   * Leaves out records that an earlier page has. If a party votes again meanwhile, its last vote takes the place of the
   * first one; newest first, it is missing until a refetch if its page had not been read. A `select` of your own
   * replaces this function: apply yours to its result.
   *
   * @example
   * ```tsx
   * const votes = vega.listVotes.infinite({ proposalId });
   * const { data } = useInfiniteQuery({
   *   ...votes,
   *   select: (data) => votes.select(data).pages.flatMap(({ nodes }) => nodes),
   * });
   * ```
   */
  select: (data: Pages<T>) => Pages<T>;
  /** The client retries already. */
  retry: false;
}

/** The parameters of a function whose argument may be optional. */
type ParametersOf<Argument> = object extends Argument ? [query?: Argument] : [query: Argument];
/** @inline */
type WithoutCursors = { pagination?: { after?: undefined; last?: undefined; before?: undefined } | undefined };
/** @inline */
type QueryFn<Data> = (context?: { signal?: AbortSignal }) => Promise<Data>;
/** @inline */
type ListData<T> = { nodes: T[]; coverage: Pick<PageData<T>, "block"> & { start: `${bigint}`; end?: `${bigint}` } };

/** An operation that is read. */
export interface Query<Argument, Data> {
  /** Returns options for `useQuery` and its relatives of TanStack Query. For SWR, they have a key and a function. */
  (...query: ParametersOf<Argument>): { queryKey: QueryKey; queryFn: QueryFn<Data>; retry: false };
  /** Returns the key of all queries of this operation; with an argument, of the queries whose argument contains it. */
  key(query?: Partial<Argument>): QueryKey;
}

/** A list. A query has its first page. */
export interface ListQuery<Argument, T> extends Query<Argument, PageData<T>> {
  /** Returns options for `useInfiniteQuery` and its relatives of TanStack Query. */
  infinite(...query: ParametersOf<Argument & WithoutCursors>): InfiniteQueryOptions<T>;
  /** Returns the options of a query whose data are all records, and the range of time for which they are complete. */
  all(...query: ParametersOf<Argument & WithoutCursors>): ReturnType<Query<Argument, ListData<T>>>;
}

/** An operation whose request is sent once. */
export interface Mutation<Argument, Data> {
  /** Returns options for `useMutation` and its relatives of TanStack Query. */
  mutation(): { mutationKey: QueryKey; mutationFn: (argument: Argument) => Promise<Data>; retry: false };
}

/** The operations of a client as options of query libraries. */
export type Queries = {
  readonly [Id in OperationId]: Id extends ListId
    ? ListQuery<OperationTypes[Id]["arguments"], RecordOf<Id>>
    : (typeof operations)[Id] extends { sentOnce: true }
      ? Mutation<OperationTypes[Id]["arguments"], OperationTypes[Id]["body"]>
      : Query<OperationTypes[Id]["arguments"], OperationTypes[Id]["body"]>;
};

/**
 * Returns the operations of a client as options of TanStack Query and SWR. Keys and data are JSON, so that they can be
 * dehydrated and persisted. Neither library is imported.
 *
 * @param client - The client that sends the requests.
 * @param options.scope - Distinguishes the keys of this client from another client's. A server that reaches the node at
 * an internal address passes the address that browsers use, so that they find its data. Default: the client's
 * `baseUrl`.
 * @throws `ArgumentError` if an option is invalid.
 * @example
 * ```tsx
 * const vega = queries(client);
 * const { data } = useQuery(vega.getSpamStatistics({ partyId }));
 * const votes = useInfiniteQuery(vega.listVotes.infinite({ proposalId }));
 * ```
 */
export function queries(client: VegaClient, options: { scope?: string | undefined } = {}): Queries {
  if (typeof client?.listVotes !== "function") refuse({ argument: "client" }, "a client", client);
  const text = expected("a non-empty string", (value) => typeof value === "string" && value !== "");
  checkOptions({ scope: text }, options, { name: "queries" });
  const ids = Object.keys(operations) as OperationId[];
  const members = ids.map((id) => [id, membersOf(id, options.scope ?? client.baseUrl, client[id] as Method)]);
  // The table of operations and the types of the methods are generated from the same description.
  return Object.fromEntries(members) as Queries;
}

type AnyRecord = Record<string, unknown>;
/** A method of the client, of whichever operation. */
type Method = (argument: unknown, options?: Context) => PromiseLike<unknown>;
type Context = { signal?: AbortSignal | undefined; pageParam?: PageStart | null };

function membersOf(id: OperationId, scope: string, method: Method): object {
  const operation: ListOperation<AnyRecord> | SingleOperation = operations[id];
  const prefix = ["vegaprotocol-client", scope, id] as const;
  const retry = false;
  if (operation.sentOnce) {
    return { mutation: () => ({ mutationKey: prefix, mutationFn: (argument: unknown) => method(argument), retry }) };
  }
  const place = { operation: id, argument: "query" };
  const copyOf = (argument: object) => {
    const copy = unlessThrown(() => toJson(argument));
    return copy === undefined ? refuse(place, "a JSON value, which does not contain itself") : copy;
  };
  const key = (argument?: object) => (argument === undefined ? prefix : [...prefix, copyOf(argument)]);
  const define = (read: (argument: object, context: Context) => PromiseLike<unknown>, ...kind: string[]) => {
    return (given: object = {}) => {
      // The key and the request have the same copy, which the caller cannot change.
      const argument = copyOf(given);
      const queryFn = async (context: Context = {}) => read(argument, context);
      return { queryKey: [...prefix, argument, ...kind], queryFn, retry };
    };
  };
  const readOne = (argument: object, { signal }: Context) => method(argument, { signal });
  if (operation.kind !== "list") return Object.assign(define(readOne), { key });
  const list = method as (...parameters: Parameters<Method>) => Listing<AnyRecord>;
  const readPage = async (argument: object, { signal, pageParam }: Context) => {
    if (pageParam && "message" in pageParam) {
      throw new PaginationError(pageParam.message, { operation: id, reason: pageParam.reason });
    }
    return toPageData(await list(pageParam ? { ...argument, pagination: pageParam } : argument, { signal }));
  };
  const once = onceBy(id === "listVotes" ? ["partyId", "proposalId"] : operation.naturalKey);
  const readAll = async (argument: object, { signal }: Context) => {
    const listing = list(argument, { signal });
    const [nodes] = once([await listing.toArray()]);
    return { nodes, coverage: toJson(await listing.coverage) };
  };
  const pages = define(readPage, "infinite");
  const getNextPageParam = ({ next, unreachable }: PageData<AnyRecord>) => next ?? unreachable;
  // One function for all renders of a component: TanStack Query selects again for another one.
  const select = ({ pages, pageParams }: Pages<AnyRecord>): Pages<AnyRecord> => {
    const lists = once(pages.map(({ nodes }) => nodes));
    return { pages: pages.map((page, index) => ({ ...page, nodes: lists[index] ?? [] })), pageParams };
  };
  const infinite = (given?: object) => ({ ...pages(given), initialPageParam: null, getNextPageParam, select });
  return Object.assign(define(readPage), { key, infinite, all: define(readAll, "all") });
}

/** A copy as JSON: a `Date` or a `Temporal.Instant` becomes digits, as does every `bigint`. */
function toJson(value: object): object {
  const text = JSON.stringify(value, function (this: AnyRecord, name, member: unknown) {
    const time = typeof this[name] === "string" ? undefined : unixNanoseconds(this[name]);
    if (time !== undefined) return String(time);
    return hasJson(member) ? member : null;
  });
  return JSON.parse(text);
}

/** JSON has nothing for a function or a symbol, and an empty object for a Map: no filter, instead of a wrong one. */
const hasJson = (value: unknown): boolean =>
  typeof value === "object"
    ? value === null || Array.isArray(value) || isPlainObject(value)
    : typeof value !== "function" && typeof value !== "symbol";

function toPageData(page: Page<AnyRecord>): object {
  try {
    // Throws if no cursor leads to the next page.
    void page.next;
    return toJson(page);
  } catch (error) {
    if (!PaginationError.is(error)) throw error;
    return { ...toJson(page), unreachable: { message: error.message, reason: error.reason } };
  }
}

/** Returns a function that keeps one of the records with the same members: the last one, in the place of the first. */
function onceBy(members: readonly string[]) {
  const keyOf = keyBy<AnyRecord>(members);
  return (lists: readonly AnyRecord[][]): AnyRecord[][] => {
    const keyed = lists.map((records) => records.map((record) => [keyOf(record), record] as const));
    const last = new Map(keyed.flat());
    return keyed.map((records) =>
      records.flatMap(([key]) => {
        const found = last.get(key);
        return last.delete(key) && found ? [found] : [];
      }),
    );
  };
}
