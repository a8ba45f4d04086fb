import type { Client as HttpClient } from "openapi-fetch";
import type { OperationId, OperationMethods } from "../../generated/client.js";
import type { paths } from "../../generated/openapi.js";
import { operations } from "../../generated/operations.js";
import type { BalanceChange } from "../../generated/types.js";
import { readArguments } from "../arguments/read-arguments.js";
import { call } from "../http/call.js";
import { type CallOptions, callChecks, readCallOptions } from "../http/call-options.js";
import { createHttp, httpWith } from "../http/openapi.js";
import { sharedLimiter } from "../http/rate-limiter.js";
import { type Connection, type ConnectionOptions, connectTo } from "../http/send.js";
import type { ScanOptions } from "../scan/scan-options.js";
import { printedAs } from "../values/show.js";
import {
  type ClientDefaults,
  type ClientOptions,
  type OptionOverrides,
  readClientOptions,
  readOverrides,
} from "./client-options.js";
import { type ListId, type ListingOptions, listOperation } from "./listing.js";
import { connect } from "./node-pool.js";
import { type Scan, type ScanBalanceChangesArguments, scanOperation } from "./scan.js";

/*
 * The methods are made from the table in `generated/operations.ts`. A method with one result makes a call
 * (`http/call.ts`). Lists (`listing.ts`) and scans (`scan.ts`) return at once: each loop over them loads the code that
 * reads pages (`loop.ts`). All of them send through one `Connection`: to a node (`http/send.ts`), or to a pool.
 */

/**
 * A client of a node, or of a pool of nodes.
 *
 * Calls reject, they never throw. A listing and a scan reject when they are used. After an {@link ArgumentError},
 * nothing was sent. The other errors are {@link ConnectionError}, {@link TimeoutError}, {@link ApiError} and
 * {@link RateLimitError}, {@link ResponseError}, {@link PaginationError} of a walk or a scan, and the reason of the
 * caller's own signal.
 */
export interface VegaClient extends OperationMethods {
  /**
   * Reads all balance changes in a range of time exactly once, in order of time, also on nodes whose pages lose records
   * (observed on v0.74 nodes). Loop over it with `for await`, or call `toArray()`.
   *
   * @param query - The filter, and the range: its start belongs to it, its end does not. Without an end, the scan ends
   * before the block that is current when it starts.
   * @param options - The order, the limits and the options of each call.
   * @throws {@link PaginationError} with the `reason` `"pruned"` if the range begins before the oldest record that the
   * node keeps, unless the option `missingHistory` is `"ignore"`; `"behind"` if the node does not reach the end within
   * `catchUp`.
   * @example
   * ```ts
   * const changes = client.scanBalanceChanges({
   *   filter: { partyIds: [partyId] },
   *   dateRange: { startTimestamp: "2024-01-01", endTimestamp: "2024-02-01" },
   * });
   * for await (const change of changes) console.log(change.timestamp, change.balance);
   * ```
   */
  scanBalanceChanges(query?: ScanBalanceChangesArguments, options?: ScanOptions): Scan<BalanceChange>;

  /** The address of the node, without a `/` or `/api/v2` at its end; with a pool, the address of its first node. */
  readonly baseUrl: string;

  /**
   * An openapi-fetch client, for other endpoints. Its requests have the deadlines, pacing and events of the methods,
   * and their retries, unless they change something: a POST is sent once. They resolve to `{ data, error, response }`,
   * and reject if there is no response, or a redirect. Middleware that is added with `http.use()` works for the
   * methods, too: once for each call, before its first attempt and after its last one.
   *
   * @example
   * ```ts
   * client.http.use({ onRequest: ({ request }) => request.headers.set("Authorization", token) });
   * const { data, error } = await client.http.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } });
   * ```
   */
  readonly http: HttpClient<paths, "application/json">;

  /**
   * Returns another client of the same node with other defaults. Both share the rate limit, the pool and the middleware
   * of `http`.
   *
   * @param overrides - The options that differ. Headers are added to the headers of this client.
   * @throws {@link ArgumentError} if an option is invalid, or is `baseUrl`, `fetch` or `pacing`.
   * @example
   * ```ts
   * const patient = client.withOptions({ totalTimeout: 120_000, headers: { "X-Job": "report" } });
   * const votes = await patient.listVotes({ proposalId }).toArray();
   * ```
   */
  withOptions(overrides: OptionOverrides): VegaClient;
}

/**
 * Creates a client of a node, or of a pool of nodes. Nothing is sent yet.
 *
 * @param options - `baseUrl`, and the defaults of all calls.
 * @throws {@link ArgumentError} if an option is invalid.
 * @example
 * ```ts
 * const client = createClient({ baseUrl: "https://node.example" });
 * ```
 */
export function createClient(options: ClientOptions): VegaClient {
  const { urls, pool, fetch, pacing, defaults } = readClientOptions(options);
  // Requests of `client.http` begin with it; a pool replaces it.
  const [baseUrl = ""] = urls;
  const http = createHttp(baseUrl, fetch);
  // Each node of a pool has a rate limit of its own.
  const limiter =
    pool || !pacing ? undefined : sharedLimiter(options.fetch ?? globalThis.fetch ?? fetch, new URL(baseUrl).origin);
  const shared = { urls, http, fetch, pacing, limiter, session: {}, connect: pool ? pool[connect] : connectTo };
  return createMethods(shared, defaults);
}

interface Shared extends Pick<ConnectionOptions, "fetch" | "pacing" | "limiter" | "session" | "http"> {
  urls: readonly string[];
  connect(options: ConnectionOptions): Connection;
}

function createMethods(shared: Shared, defaults: ClientDefaults): VegaClient {
  const { http, connect, urls } = shared;
  const { headers, observe, validate } = defaults;
  const connection = connect({ ...shared, headers, validate, observe });
  const context = { connection, defaults };

  const listMethod = (id: ListId) => (argument: unknown, options?: ListingOptions) =>
    listOperation(id, context, argument, options);

  const singleMethod = (id: Exclude<OperationId, ListId>) => {
    const { responseMembers, ...operation } = operations[id];
    const read = (body: object) => (responseMembers.every((name) => name in body) ? body : undefined);
    const route = { operation: id, described: id, once: "sentOnce" in operation, read };
    return (argument: unknown, options?: CallOptions) =>
      call(() =>
        connection.send({
          ...route,
          params: readArguments(id, operation, argument),
          ...readCallOptions(id, options, defaults, callChecks),
        }),
      );
  };

  const methods = Object.entries(operations).map(([id, { kind }]) => [
    id,
    kind === "list" ? listMethod(id as ListId) : singleMethod(id as Exclude<OperationId, ListId>),
  ]);

  const client: VegaClient = {
    // The table of operations and the interface of the methods are generated from the same description.
    ...(Object.fromEntries(methods) as OperationMethods),
    scanBalanceChanges: (argument, options) => scanOperation(context, argument, options),
    withOptions: (overrides) => createMethods(shared, readOverrides(overrides, defaults)),
    baseUrl: urls[0] ?? "",
    http: httpWith(http, connection, defaults),
  };
  return printedAs(client, `VegaClient of ${urls.join(", ")}`);
}
