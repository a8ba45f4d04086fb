import type { OperationMethods, OperationTypes } from "../../generated/client.js";
import type { operations } from "../../generated/operations.js";
import type { OperationId, RecordOf } from "../arguments/operation.js";
import type { ListId } from "../client/listing.js";
import type { InfiniteData, InfinitePage, PageStart } from "./infinite-data.js";
import type { PageData } from "./page-data.js";
import type { QueryKey } from "./query-key.js";

/** What a query library passes to the function of a query. */
export interface QueryContext {
  signal?: AbortSignal | undefined;
}

/** Options for `useQuery` and its relatives of TanStack Query. */
export interface QueryOptions<Data> {
  queryKey: QueryKey;
  queryFn: (context: QueryContext) => Promise<Data>;
  /** The client retries already. */
  retry: false;
}

/** Options for `useInfiniteQuery` and its relatives of TanStack Query. */
export interface InfiniteQueryOptions<T> {
  queryKey: QueryKey;
  queryFn: (context: QueryContext & { pageParam: PageStart | null }) => Promise<InfinitePage<T>>;
  initialPageParam: PageStart | null;
  getNextPageParam: (lastPage: InfinitePage<T>) => PageStart | undefined;
  /** Leaves out records that an earlier page has. */
  select: (data: InfiniteData<T>) => InfiniteData<T>;
  /** The client retries already. */
  retry: false;
}

/** Options for `useMutation` and its relatives of TanStack Query. */
export interface MutationOptions<Argument, Data> {
  mutationKey: QueryKey;
  mutationFn: (argument: Argument) => Promise<Data>;
  /** The request is sent once. */
  retry: false;
}

/** The arguments of `useSWR`: the key, the function that fetches, and options. */
export type SwrArguments<Data> = [
  key: QueryKey,
  fetcher: () => Promise<Data>,
  /** The client retries already. */
  options: { shouldRetryOnError: false },
];

/** The parameters of a function whose argument may be optional. */
type ParametersOf<Argument> = object extends Argument ? [query?: Argument] : [query: Argument];

/** The members of an argument, of which a key needs only some. */
type PartOf<Argument> = Argument extends unknown ? Partial<Argument> : never;

interface WithKey<Argument> {
  /**
   * Returns the key of all queries of this operation; with an argument, of those whose argument contains it.
   *
   * @example
   * ```tsx
   * await queryClient.invalidateQueries({ queryKey: vega.listVotes.key({ proposalId }) });
   * ```
   */
  key(query?: PartOf<Argument>): QueryKey;
}

/** An operation that is read. */
export interface Query<Argument, Data> extends WithKey<Argument> {
  /** Returns options for `useQuery` and its relatives of TanStack Query. */
  (...query: ParametersOf<Argument>): QueryOptions<Data>;
  /**
   * Returns the arguments of `useSWR`.
   *
   * @example
   * ```tsx
   * const { data } = useSWR(...vega.getSpamStatistics.swr({ partyId }));
   * ```
   */
  swr(...query: ParametersOf<Argument>): SwrArguments<Data>;
}

/** The argument of an infinite list: where its pages begin follows from the pages before. */
export type InfiniteArgument<Argument> = Argument extends unknown
  ? Omit<Argument, "pagination"> & {
      /** The number of records of a page, and whether the list starts with the newest record. */
      pagination?: { first?: number | undefined; newestFirst?: boolean | undefined } | undefined;
    }
  : never;

/** A list. A query has its first page. */
export interface ListQuery<Argument, T> extends Query<Argument, PageData<T>> {
  /**
   * Returns options for `useInfiniteQuery` and its relatives of TanStack Query.
   *
   * Every record comes once, also after all pages are fetched again. Balance changes are read by time, as a scan reads them: a page
   * can have fewer records than `pagination.first` names. If no cursor leads to the next page, its request rejects with a
   * `PaginationError`.
   *
   * @example
   * ```tsx
   * const { data, fetchNextPage } = useInfiniteQuery(vega.listVotes.infinite({ proposalId }));
   * const votes = data?.pages.flatMap((page) => page.nodes);
   * ```
   */
  infinite(...query: ParametersOf<InfiniteArgument<Argument>>): InfiniteQueryOptions<T>;
}

/** An operation whose request is sent once. */
export interface Mutation<Argument, Data> extends WithKey<Argument> {
  /**
   * Returns options for `useMutation` and its relatives of TanStack Query.
   *
   * @example
   * ```tsx
   * const { mutate, data } = useMutation(vega.checkTransaction.mutation());
   * ```
   */
  mutation(): MutationOptions<Argument, Data>;
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
