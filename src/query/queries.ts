import { operations } from "../../generated/operations.js";
import { checkOptions, expected } from "../arguments/check-options.js";
import type { ListOperation, OperationId, SingleOperation } from "../arguments/operation.js";
import type { VegaClient } from "../client/client.js";
import type { ListId, Page } from "../client/listing.js";
import type { CallOptions } from "../http/call-options.js";
import { type InfinitePage, type PageStart, withoutRepeats } from "./infinite-data.js";
import { readInfinitePage } from "./infinite-page.js";
import { toPageData } from "./page-data.js";
import { queryKey } from "./query-key.js";
import type { InfiniteArgument, ListMethod } from "./time-page.js";
import type { Queries, QueryContext } from "./types.js";

/** Options of {@link queries}. */
export interface QueriesOptions {
  /**
   * What distinguishes the keys of this client from those of another one. A server that reaches the node by an internal address
   * passes the address that browsers use, so that they find the data of the server.
   * Default: the client's `baseUrl`.
   */
  scope?: string | undefined;
}

/** A method of the client, of whichever operation. */
type Method = (query: unknown, options?: CallOptions) => PromiseLike<unknown>;

type AnyRecord = Record<string, unknown>;

/** Any operation, without the types of its records. */
const table: Readonly<Record<OperationId, ListOperation<AnyRecord> | SingleOperation>> = operations;

/**
 * Returns the operations of a client as options of TanStack Query and SWR. Keys and data are JSON, so that they can be dehydrated and
 * persisted. Neither library is imported.
 *
 * @throws `ArgumentError` if an option is invalid. The functions that it returns throw it for a `bigint` that is not a time.
 * @example
 * ```tsx
 * const vega = queries(client);
 * const { data } = useQuery(vega.getSpamStatistics({ partyId }));
 * const votes = useInfiniteQuery(vega.listVotes.infinite({ proposalId }));
 * ```
 */
export function queries(client: VegaClient, options: QueriesOptions = {}): Queries {
  checkOptions({ scope: nonEmptyString }, options, { name: "queries" });
  const { scope = client.baseUrl } = options;
  const ids = Object.keys(table) as OperationId[];
  // The table of operations and the types of the methods are generated from the same description.
  return Object.fromEntries(ids.map((id) => [id, membersOf(id, scope, client[id] as Method)])) as Queries;
}

function membersOf(id: OperationId, scope: string, method: Method): object {
  const operation = table[id];
  const key = (query?: unknown) => queryKey(scope, id, query);
  if (operation.sentOnce) {
    return {
      key,
      mutation: () => ({ mutationKey: key(), mutationFn: (argument: unknown) => method(argument), retry }),
    };
  }
  const fetch = async (query: unknown, options?: CallOptions) => {
    const data = await method(query, options);
    return operation.kind === "list" ? toPageData(data as Page<unknown>) : data;
  };
  // The argument in the key is a copy: a change of the other one changes nothing.
  const query = (query?: unknown) => {
    const queryKey = key(query ?? {});
    return { queryKey, queryFn: ({ signal }: QueryContext) => fetch(queryKey[3], { signal }), retry };
  };
  const swr = (query?: unknown) => {
    const queryKey = key(query ?? {});
    return [queryKey, () => fetch(queryKey[3]), { shouldRetryOnError: false }];
  };
  if (operation.kind !== "list") return Object.assign(query, { key, swr });
  const select = withoutRepeats(operation.naturalKey);
  const infinite = (query?: InfiniteArgument) => {
    const queryKey = key(query ?? {});
    const request = {
      operation: id as ListId,
      list: method as ListMethod<AnyRecord>,
      query: queryKey[3] as InfiniteArgument,
    };
    return {
      queryKey: [...queryKey, "infinite"],
      queryFn: ({ signal, pageParam: start }: QueryContext & { pageParam: PageStart | null }) =>
        readInfinitePage({ ...request, start, signal }),
      initialPageParam: null,
      getNextPageParam: ({ next }: InfinitePage<AnyRecord>) => next,
      select,
      retry,
    };
  };
  return Object.assign(query, { key, swr, infinite });
}

/** The client retries already. */
const retry = false;

const nonEmptyString = expected("a non-empty string", (value) => typeof value === "string" && value !== "");
