import createHttp, { type Client as HttpClient } from "openapi-fetch";
import type { operations, paths } from "../generated/openapi.js";
import type {
  BalanceChange,
  CheckTransactionRequest,
  GetSpamStatisticsQuery,
  ListBalanceChangesResponse,
  ListNodeSignaturesResponse,
  ListPartiesProfilesResponse,
  ListVotesResponse,
  NodeSignature,
  Pagination,
  PartyProfile,
  SpamStatisticsResponse,
  TransactionCheckResult,
  Vote,
} from "../generated/types.js";
import type { ApiError } from "./errors.js";
import { type PageContent, type Walk, type WalkOptions, type WalkPage, walk } from "./listing.js";
import { type CallOptions, type ClientOptions, listingNames, readCallOptions, readClientOptions } from "./options.js";
import {
  type BalanceChangesInRange,
  type ListQuery,
  type ProfilesOfParties,
  readBalanceChangesQuery,
  readProfilesQuery,
  readSignaturesQuery,
  readSpamStatisticsQuery,
  readTransaction,
  readVotesQuery,
  type SignaturesOfResource,
  toWirePagination,
  type VotesOfParty,
  type VotesOnProposal,
  type WireQuery,
} from "./query.js";
import { type Attempt, type AttemptInit, type Block, type Call, call, Requester, type Route } from "./request.js";

/** Options of one listing. */
export interface ListingOptions extends CallOptions, WalkOptions {}

/** A page of a list, with what came along with it. */
export interface Page<T> extends WalkPage<T> {
  /** The last block that the node had processed; `undefined` where it does not say. */
  readonly block: Block | undefined;
  /** Status, headers and address of the answer. Its body has been read. */
  readonly response: Response;
}

/**
 * A list of a node, fetched page by page as it is used. Nothing is sent before.
 *
 * `await` gives its first page, however often, with one request; `for await` gives every record, page after page, and
 * each loop is a walk of its own. A walk hands out every record of every page once and in order. It ends where the node
 * says that there is no more, or with an error that carries `resume`, the `pagination` to go on with.
 *
 * A listing can be awaited, so an async function that returns one returns its first page. Wrap it to hand it out of one,
 * as in `return { votes: listing }`.
 *
 * @example
 * ```ts
 * const page = await client.listVotes({ partyId });
 * for await (const vote of client.listVotes({ partyId })) console.log(vote.value);
 * ```
 */
export interface Listing<T> extends Walk<T, Page<T>> {}

/**
 * A client of one node.
 *
 * Calls reject, they never throw; a listing rejects when it is used. With an {@link ArgumentError} nothing was sent. The
 * others are {@link ConnectionError}, {@link TimeoutError}, {@link ApiError} and {@link RateLimitError},
 * {@link ResponseError}, {@link PaginationError} from a walk, and the reason of the caller's own signal.
 */
export interface VegaClient {
  /**
   * List votes: those of a party, those on a proposal, or the vote of one party on one proposal.
   *
   * A page holds 5000 votes where `pagination` says nothing else: v0.74 nodes repeat or leave out votes of one block
   * between pages, and a page that holds all of them is right (observed on v0.74 nodes).
   *
   * @example
   * ```ts
   * for await (const vote of client.listVotes({ proposalId })) console.log(vote.partyId, vote.value);
   * ```
   */
  listVotes(query: VotesOfParty | VotesOnProposal, options?: ListingOptions): Listing<Vote>;

  /**
   * List profiles of parties: of those in `parties`, or of all.
   *
   * A page holds 5000 profiles where `pagination` says nothing else: v0.74 nodes answer 500 to any cursor of this list
   * (observed on v0.74 nodes).
   *
   * @example
   * ```ts
   * const { nodes } = await client.listPartiesProfiles({ parties: [partyId] });
   * ```
   */
  listPartiesProfiles(query?: ProfilesOfParties, options?: ListingOptions): Listing<PartyProfile>;

  /**
   * Get the spam statistics of a party: how much of its allowance it has used in the current epoch. A party that the
   * network does not know is answered with zeros (observed on v0.74 nodes).
   *
   * @example
   * ```ts
   * const { statistics } = await client.getSpamStatistics({ partyId });
   * console.log(statistics?.proposals?.bannedUntil ?? "not blocked");
   * ```
   */
  getSpamStatistics(query: GetSpamStatisticsQuery, options?: CallOptions): Call<SpamStatisticsResponse>;

  /**
   * List balance changes in a range of time, filtered by asset, party, market and type of account.
   *
   * v0.74 nodes lose rows between pages: only a range whose rows fit one page is whole (observed on v0.74 nodes).
   *
   * @example
   * ```ts
   * const changes = client.listBalanceChanges({
   *   filter: { partyIds: [partyId], accountTypes: ["ACCOUNT_TYPE_GENERAL"] },
   *   dateRange: { startTimestamp: new Date("2024-02-09"), endTimestamp: new Date("2024-02-10") },
   * });
   * ```
   */
  listBalanceChanges(query?: BalanceChangesInRange, options?: ListingOptions): Listing<BalanceChange>;

  /**
   * List node signatures of one resource, such as an asset or a withdrawal.
   *
   * @example
   * ```ts
   * const signatures = await client.listNodeSignatures({ id: withdrawalId }).toArray();
   * ```
   */
  listNodeSignatures(query: SignaturesOfResource, options?: ListingOptions): Listing<NodeSignature>;

  /**
   * Check a signed transaction without submitting it. One that is refused is no error: `success` tells.
   *
   * Sent once: a node refuses to check a transaction again in the same block, and to take it then (observed on v0.74
   * nodes).
   *
   * @example
   * ```ts
   * const result = await client.checkTransaction({ tx });
   * if (!result.success) console.error(`refused with code ${result.code}: ${result.data}`);
   * ```
   */
  checkTransaction(request: CheckTransactionRequest, options?: CallOptions): Call<TransactionCheckResult>;

  /**
   * The openapi-fetch client below the methods, for what they do not cover. Middleware added with `http.use()` works for
   * the methods too.
   *
   * @example
   * ```ts
   * client.http.use({ onRequest: ({ request }) => request.headers.set("Authorization", token) });
   * ```
   */
  readonly http: HttpClient<paths, "application/json">;
}

/**
 * Makes a client of one node. Nothing is sent yet.
 *
 * @throws {@link ArgumentError} where an option is not what it has to be.
 * @example
 * ```ts
 * const client = createClient({ baseUrl: "https://node.example" });
 * ```
 */
export function createClient(options: ClientOptions): VegaClient {
  const { baseUrl, headers, fetch, pacing, observe, settings } = readClientOptions(options);
  const http = createHttp<paths, "application/json">({ baseUrl, headers, fetch });
  const requester = new Requester({ fetch, pacing, observe });

  function list<Id extends keyof operations, Body extends object, T>(
    operation: Id,
    options: ListingOptions | undefined,
    { pageSize, readQuery, send, read, isFinal }: ListOperation<Id, Body, T>,
  ): Listing<T> {
    const open = () => {
      const { filters, pagination } = readQuery();
      const callSettings = readCallOptions(operation, options, settings, listingNames);
      const fetchPage = async (page: Pagination, signal: AbortSignal) => {
        const query = { ...filters, ...toWirePagination(page) };
        const attempt: Attempt = (init) => send(query, init);
        const route = { operation, attempt, read: (body: Body) => connection(read(body)), isFinal: isFinal?.(page) };
        const { data, ...rest } = await requester.send(route, { ...callSettings, signal });
        return { ...data, ...rest };
      };
      return { pagination, pageSize, fetchPage };
    };
    return walk({ operation, open }, options);
  }

  function single<Body extends object, T>(
    operation: keyof operations,
    options: CallOptions | undefined,
    route: () => Omit<Route<Body, T>, "operation">,
  ): Call<T> {
    return call(async () => requester.send({ operation, ...route() }, readCallOptions(operation, options, settings)));
  }

  return {
    listVotes: (query, options) =>
      list("listVotes", options, {
        pageSize: 5000,
        readQuery: () => readVotesQuery(query),
        send: (query, init) => http.GET("/api/v2/votes", { ...init, params: { query } }),
        read: (body: ListVotesResponse) => body.votes,
      }),

    listPartiesProfiles: (query, options) =>
      list("listPartiesProfiles", options, {
        pageSize: 5000,
        readQuery: () => readProfilesQuery(query),
        send: (query, init) => http.GET("/api/v2/parties/profiles", { ...init, params: { query } }),
        read: (body: ListPartiesProfilesResponse) => body.profiles,
        // To any cursor of this list nodes answer 500, and go on doing so (observed on v0.74 nodes).
        isFinal:
          ({ after, before }) =>
          (error) =>
            error.status === 500 && (after ?? before) !== undefined,
      }),

    getSpamStatistics: (query, options) =>
      single("getSpamStatistics", options, () => {
        const path = readSpamStatisticsQuery(query);
        return {
          attempt: (init) => http.GET("/statistics/spam/{partyId}", { ...init, params: { path } }),
          read: (body: SpamStatisticsResponse) => (body.statistics === undefined ? undefined : body),
        };
      }),

    listBalanceChanges: (query, options) =>
      list("listBalanceChanges", options, {
        pageSize: 1000,
        readQuery: () => readBalanceChangesQuery(query),
        send: (query, init) => http.GET("/api/v2/balance/changes", { ...init, params: { query } }),
        read: (body: ListBalanceChangesResponse) => body.balances,
      }),

    listNodeSignatures: (query, options) =>
      list("listNodeSignatures", options, {
        pageSize: 1000,
        readQuery: () => readSignaturesQuery(query),
        send: (query, init) => http.GET("/api/v2/node/signatures", { ...init, params: { query } }),
        read: (body: ListNodeSignaturesResponse) => body.signatures,
      }),

    checkTransaction: (query, options) =>
      single("checkTransaction", options, () => {
        const body = readTransaction(query);
        return {
          // Not followed: a redirect would send it again, or as a GET.
          attempt: (init) => http.POST("/transaction/check", { ...init, body, redirect: "manual" }),
          read: (body: TransactionCheckResult) => (typeof body.success === "boolean" ? body : undefined),
          once: true,
        };
      }),

    http,
    // An operation of openapi.yaml that the client lacks is a compile error here.
  } satisfies VegaClient & Record<keyof operations, unknown>;
}

/** What is different from one list operation to the next. */
interface ListOperation<Id extends keyof operations, Body, T> {
  /** Size of a page where the caller names none. */
  pageSize: number;
  readQuery(): ListQuery<Id>;
  send(query: WireQuery<Id>, init: AttemptInit): ReturnType<Attempt>;
  /** Takes the envelope out of the body. */
  read(body: Body): PageContent<T>;
  /** Tells for a page which errors that usually pass are known to stay. */
  isFinal?(page: Pagination): (error: ApiError) => boolean;
}

/** The envelope, where it is one: a page without edges or without a word on what follows would end a walk too early. */
function connection<T>(envelope: PageContent<T> | null | undefined): PageContent<T> | undefined {
  return Array.isArray(envelope?.edges) && envelope.pageInfo !== undefined ? envelope : undefined;
}
