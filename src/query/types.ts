import type { Backward, Forward, OperationMethods, OperationTypes } from "../../generated/client.js";
import type { operations } from "../../generated/operations.js";
import type { PageInfo } from "../../generated/types.js";
import type { OperationId, RecordOf } from "../arguments/operation.js";
import type { ListId } from "../client/listing.js";
import type { PaginationError } from "../errors/index.js";

/** The key of a query: JSON, in which times are digits. */
export type QueryKey = readonly [
  library: "vegaprotocol-client",
  scope: string,
  operation: OperationId,
  argument?: object,
  kind?: "infinite",
];

/** The first page of a list as JSON. */
export interface PageData<T> {
  nodes: T[];
  pageInfo: PageInfo | null;
  /** The `pagination` of the next page. Absent if there is none, or if no cursor leads to it. */
  next?: Forward;
  /** The `pagination` of the previous page. Absent if there is none, or if no cursor leads to it. */
  previous?: Backward;
  /** The current block when the node responded. Absent if the node does not say. */
  block?: { height: `${bigint}`; timestamp: `${bigint}` };
  /** Whether the page may be out of date, because no node of a pool gave a fresh one. */
  stale: boolean;
}

/** Where a page of an infinite list begins. The request of an unreachable page rejects with a `PaginationError`. */
export type PageStart = Forward | { unreachable: string; reason: PaginationError["reason"] };

/** A page of an infinite list as JSON. Without `next`, it is the last one. */
export type InfinitePage<T> = Pick<PageData<T>, "nodes" | "stale"> & { next?: PageStart };

type Pages<T> = { pages: InfinitePage<T>[]; pageParams: (PageStart | null)[] };

/** Options for `useInfiniteQuery` and its relatives of TanStack Query. */
export interface InfiniteQueryOptions<T> {
  queryKey: QueryKey;
  queryFn: (context: { signal?: AbortSignal | undefined; pageParam: PageStart | null }) => Promise<InfinitePage<T>>;
  initialPageParam: PageStart | null;
  getNextPageParam: (lastPage: InfinitePage<T>) => PageStart | undefined;
  /** Leaves out records that an earlier page has. */
  select: (data: Pages<T>) => Pages<T>;
  /** The client retries already. */
  retry: false;
}

/** The parameters of a function whose argument may be optional. */
type ParametersOf<Argument> = object extends Argument ? [query?: Argument] : [query: Argument];
type WithoutCursors<Argument> = Argument extends unknown
  ? Omit<Argument, "pagination"> & { pagination?: Pick<Forward, "first" | "newestFirst"> | undefined }
  : never;
type PartOf<Argument> = Argument extends unknown ? Partial<Argument> : never;

interface WithKey<Argument> {
  /** Returns the key of all queries of this operation; with an argument, of the queries whose argument contains it. */
  key(query?: PartOf<Argument>): QueryKey;
}

/** An operation that is read. */
export interface Query<Argument, Data> extends WithKey<Argument> {
  /** Returns options for `useQuery` and its relatives of TanStack Query. */
  (
    ...query: ParametersOf<Argument>
  ): {
    queryKey: QueryKey;
    queryFn: (context: { signal?: AbortSignal | undefined }) => Promise<Data>;
    retry: false;
  };
  /** Returns the arguments of `useSWR`. */
  swr(
    ...query: ParametersOf<Argument>
  ): [key: QueryKey, fetcher: () => Promise<Data>, options: { shouldRetryOnError: false }];
}

/** A list. A query has its first page. */
export interface ListQuery<Argument, T> extends Query<Argument, PageData<T>> {
  /** Returns options for `useInfiniteQuery` and its relatives of TanStack Query. */
  infinite(...query: ParametersOf<WithoutCursors<Argument>>): InfiniteQueryOptions<T>;
}

/** An operation whose request is sent once. */
export interface Mutation<Argument, Data> extends WithKey<Argument> {
  /** Returns options for `useMutation` and its relatives of TanStack Query. */
  mutation(): { mutationKey: QueryKey; mutationFn: (argument: Argument) => Promise<Data>; retry: false };
}

type ArgumentOf<Id extends OperationId> = OperationTypes[Id]["arguments"];
type BodyOf<Id extends OperationId> = OperationTypes[Id]["body"];

/** The operations of a client as options of query libraries. */
export type Queries = {
  readonly [Id in keyof OperationMethods]: Id extends ListId
    ? ListQuery<ArgumentOf<Id>, RecordOf<Id>>
    : (typeof operations)[Id] extends { sentOnce: true }
      ? Mutation<ArgumentOf<Id>, BodyOf<Id>>
      : Query<ArgumentOf<Id>, BodyOf<Id>>;
};
