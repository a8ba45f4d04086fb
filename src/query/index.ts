/**
 * Keys and functions for TanStack Query and SWR.
 *
 * @module vegaprotocol-client/query
 */
import { operations } from "../../generated/operations.js";
import { checkedWhenRead, checkOptions, expected } from "../arguments/check-options.js";
import type { ListOperation, OperationId, SingleOperation } from "../arguments/operation.js";
import { refuse } from "../arguments/refuse.js";
import type { VegaClient } from "../client/client.js";
import type { Page } from "../client/listing.js";
import { PaginationError } from "../errors/index.js";
import type { CallOptions } from "../http/call-options.js";
import { keyBy } from "../values/names.js";
import { type NanosecondTime, toNanoseconds } from "../values/times.js";
import type { InfinitePage, InfiniteQueryOptions, PageStart, Queries, QueryKey } from "./types.js";

export type { InfiniteQueryOptions, ListQuery, Mutation, PageData, Queries, Query, QueryKey } from "./types.js";

type AnyRecord = Record<string, unknown>;
/** A method of the client, of whichever operation. */
type Method = (query: unknown, options?: CallOptions) => PromiseLike<unknown>;

/** Any operation, without the types of its records. */
const table: Readonly<Record<OperationId, ListOperation<AnyRecord> | SingleOperation>> = operations;

/** The client retries already. */
const retry = false;

/**
 * Returns the operations of a client as options of TanStack Query and SWR. Keys and data are JSON, so that they can be dehydrated and
 * persisted. Neither library is imported.
 *
 * @param options.scope - What distinguishes the keys of this client from another client's. A server that reaches the node at an
 * internal address passes the address that browsers use, so that they find its data. Default: the client's `baseUrl`.
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
  checkOptions({ scope: nonEmptyString }, options, { name: "queries" });
  const { scope = client.baseUrl } = options;
  const ids = Object.keys(table) as OperationId[];
  // The table of operations and the types of the methods are generated from the same description.
  return Object.fromEntries(ids.map((id) => [id, membersOf(id, scope, client[id] as Method)])) as Queries;
}

const nonEmptyString = expected("a non-empty string", (value) => typeof value === "string" && value !== "");

function membersOf(id: OperationId, scope: string, method: Method): object {
  const operation = table[id];
  const key = (query?: unknown): QueryKey =>
    query === undefined ? ["vegaprotocol-client", scope, id] : ["vegaprotocol-client", scope, id, toJson(query)];
  if (operation.sentOnce) {
    const mutationFn = (argument: unknown) => method(argument);
    return { key, mutation: () => ({ mutationKey: key(), mutationFn, retry }) };
  }
  // The query is copied: it stays the one that the key names.
  const read = (query: unknown = {}) => {
    const copy = copyOf(query);
    const fetch = async (options?: CallOptions) => {
      const data = await method(copy, options);
      return operation.kind === "list" ? toJson(data) : data;
    };
    return [key(copy), fetch] as const;
  };
  const query = (query: unknown) => {
    const [queryKey, fetch] = read(query);
    return { queryKey, queryFn: ({ signal }: { signal?: AbortSignal }) => fetch({ signal }), retry };
  };
  const swr = (query: unknown) => {
    const [queryKey, fetch] = read(query);
    return [queryKey, () => fetch(), { shouldRetryOnError: false }];
  };
  if (operation.kind !== "list") return Object.assign(query, { key, swr });
  const infinite = (given: { pagination?: object } = {}): InfiniteQueryOptions<AnyRecord> => {
    const query = copyOf(given);
    return {
      queryKey: [...key(query), "infinite"] as unknown as QueryKey,
      queryFn: async ({ signal, pageParam }) => {
        const { pagination = {} } = query;
        // A cursor or another direction would contradict the places where pages begin.
        const checks = { first: checkedWhenRead, newestFirst: checkedWhenRead };
        checkOptions(checks, pagination, { name: `${id}.infinite`, operation: id, prefix: "pagination." });
        if (pageParam && "unreachable" in pageParam) {
          throw new PaginationError(pageParam.unreachable, { operation: id, reason: pageParam.reason });
        }
        const page = (await method({ ...query, pagination: pageParam ?? pagination }, { signal })) as Page<AnyRecord>;
        return { nodes: page.nodes, ...nextOf(page), stale: page.stale };
      },
      initialPageParam: null,
      getNextPageParam: ({ next }) => next,
      select: withoutRepeats(operation.naturalKey),
      retry,
    };
  };
  return Object.assign(query, { key, swr, infinite });
}

/** A copy with the same values, so that invalid ones are still rejected. */
function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)])) as T;
}

/** A copy as JSON: times become digits, as does every `bigint`. */
function toJson(value: object | unknown): object {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, name, copied: unknown) {
    const member = this[name];
    if (typeof member === "bigint") return String(member);
    const isTime = member instanceof Date || (typeof member === "object" && member && "epochNanoseconds" in member);
    return isTime ? String(toNanoseconds(member as NanosecondTime)) : copied;
  });
  return JSON.parse(text);
}

function nextOf(page: Page<unknown>): { next?: PageStart } {
  try {
    return page.next ? { next: page.next } : {};
  } catch (error) {
    // The records of this page are shown before the error.
    if (PaginationError.is(error)) return { next: { unreachable: error.message, reason: error.reason } };
    throw error;
  }
}

function withoutRepeats(naturalKey: readonly string[]) {
  const keyOf = keyBy<AnyRecord>(naturalKey);
  return <Data extends { pages: InfinitePage<AnyRecord>[] }>(data: Data): Data => {
    const known = new Set<string>();
    const isNew = (record: AnyRecord) => known.size < known.add(keyOf(record)).size;
    return { ...data, pages: data.pages.map((page) => ({ ...page, nodes: page.nodes.filter(isNew) })) };
  };
}
