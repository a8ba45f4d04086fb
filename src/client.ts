import createHttp, { type Client as HttpClient } from "openapi-fetch";
import type { operations, paths } from "../generated/openapi.js";
import type {
  BalanceChange,
  BalanceChangeList,
  CheckTransactionRequest,
  GetSpamStatisticsQuery,
  NodeSignature,
  NodeSignatureList,
  Pagination,
  PartyProfile,
  PartyProfileList,
  SpamStatisticsResponse,
  TransactionCheckResult,
  Vote,
  VoteList,
} from "../generated/types.js";
import { bareFetchOf } from "./bare.js";
import type { Attempt, AttemptInit } from "./exchange.js";
import { type Identity, type PageContent, type Walk, type WalkOptions, type WalkPage, walk } from "./listing.js";
import {
  type CallOptions,
  type ClientOptions,
  listingNames,
  readCallOptions,
  readClientOptions,
  scanNames,
} from "./options.js";
import { halved, inReach, joined } from "./parts.js";
import {
  type BalanceChangesInRange,
  type BalanceChangesScanQuery,
  type ListQuery,
  type ProfilesOfParties,
  readBalanceChangesQuery,
  readProfilesQuery,
  readScanQuery,
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
import { type Block, type Call, type CallSettings, call, Requester, type Route, readBlock } from "./request.js";
import { type Part, type Scan, type ScanWalkOptions, scan } from "./scan.js";

/** Options of one listing. */
export interface ListingOptions extends CallOptions, WalkOptions {}

/** Options of one scan. */
export interface ScanOptions extends CallOptions, ScanWalkOptions {}

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
   * A page holds 5000 votes where `pagination` says nothing else: a cursor of v0.74 nodes is a time, so that votes of one
   * block can come twice at the border of two pages, where a loop passes over them, or not at all, which nobody can
   * notice. A page that holds all of them is right (observed on v0.74 nodes).
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
   * (observed on v0.74 nodes). Where `parties` are too many for one URL, they are asked for in several requests.
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
   * {@link VegaClient.scanBalanceChanges} loses none. Where parties or markets are too many for one URL, they are asked for
   * in several requests, and their changes come in one order.
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
   * Read all balance changes in a range of time, in its order, without cursors: none is lost and none comes twice, also on
   * nodes that lose rows between pages (observed on v0.74 nodes). Several requests are under way at once.
   *
   * An end of the range that is left out is found when the scan begins, and then stays.
   *
   * @example
   * ```ts
   * const changes = client.scanBalanceChanges({
   *   filter: { partyIds: [partyId] },
   *   dateRange: { startTimestamp: new Date("2024-01-01"), endTimestamp: new Date("2024-02-01") },
   * });
   * for await (const change of changes) console.log(change.timestamp, change.balance);
   * ```
   */
  scanBalanceChanges(query?: BalanceChangesScanQuery, options?: ScanOptions): Scan<BalanceChange>;

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
  const { baseUrl, headers, fetch, pacing, observe, validate, settings } = readClientOptions(options);
  const http = createHttp<paths, "application/json">({ baseUrl, headers, fetch, pathSerializer });
  const bareFetch = bareFetchOf(options.fetch, http);
  const requester = new Requester({ fetch, bareFetch, pacing, observe, validate });

  function list<Id extends keyof operations, Body extends object, T>(
    operation: Id,
    options: ListingOptions | undefined,
    { pageSize, readQuery, attempt, read, adviceOn, compare, ...source }: ListOperation<Id, Body, T>,
  ): Listing<T> {
    const open = () => {
      const { filters, pagination } = readQuery();
      const callSettings = readCallOptions(operation, options, settings, listingNames);
      const route = { operation, attempt, read: (body: Body) => connection(read(body)) };
      const parts = inReach(filters).map((part) => async (page: Pagination, signal: AbortSignal) => {
        const query = { ...part, ...toWirePagination(page) };
        const pageSettings = { ...callSettings, signal, adviceOn: adviceOn?.(page) };
        const { data, response } = await requester.send(route, { query }, pageSettings);
        return { ...data, response, block: readBlock(response) };
      });
      const [only, ...others] = parts;
      const isWhole = only !== undefined && others.length === 0;
      return { pagination, pageSize, fetchPage: isWhole ? only : joined(operation, parts, compare?.(pagination)) };
    };
    return walk({ operation, open, ...source }, options);
  }

  const scanRoute: Route<{ query: WireQuery<"listBalanceChanges"> }, BalanceChangeList, PageContent<BalanceChange>> = {
    operation: "scanBalanceChanges",
    described: "listBalanceChanges",
    attempt: (init) => http.GET("/api/v2/balance/changes", init),
    read: ({ balances }) => connection(balances),
  };

  function scanPart(filters: WireQuery<"listBalanceChanges">, callSettings: CallSettings): Part<BalanceChange> {
    const fetch: Part<BalanceChange>["fetch"] = async ({ start, end, size, newestFirst }, signal) => {
      const query = {
        ...filters,
        ...(start !== undefined && { "dateRange.startTimestamp": String(start) }),
        ...(end !== undefined && { "dateRange.endTimestamp": String(end) }),
        ...toWirePagination({ first: size, newestFirst }),
      };
      const { data, response } = await requester.send(scanRoute, { query }, { ...callSettings, signal });
      const records = data.edges.flatMap((edge) => edge?.node ?? []);
      return { records, hasMore: data.pageInfo?.hasNextPage ?? false, response };
    };
    return { fetch, split: () => halved(filters).map((half) => scanPart(half, callSettings)) };
  }

  function single<Params, Body extends object, T>(
    route: Route<Params, Body, T>,
    options: CallOptions | undefined,
    readParams: () => Params,
  ): Call<T> {
    return call(() => requester.send(route, readParams(), readCallOptions(route.operation, options, settings)));
  }

  const spamStatistics = {
    operation: "getSpamStatistics",
    attempt: (init: AttemptInit<{ path: GetSpamStatisticsQuery }>) => http.GET("/statistics/spam/{partyId}", init),
    read: (body: SpamStatisticsResponse) => (body.statistics === undefined ? undefined : body),
  };

  const transactionCheck = {
    operation: "checkTransaction",
    // Not followed: a redirect would send it again, or as a GET.
    attempt: ({ params: body, ...init }: AttemptInit<ReturnType<typeof readTransaction>>) =>
      http.POST("/transaction/check", { ...init, body, redirect: "manual" }),
    read: (body: TransactionCheckResult) => (typeof body.success === "boolean" ? body : undefined),
    once: true,
  };

  return {
    listVotes: (query, options) =>
      list("listVotes", options, {
        pageSize: 5000,
        readQuery: () => readVotesQuery(query),
        attempt: (init) => http.GET("/api/v2/votes", init),
        read: (body: VoteList) => body.votes,
        // A cursor is a time and nothing else (observed on v0.74 nodes).
        identify: ({ timestamp, partyId, proposalId }) => ({ time: timestamp, key: `${partyId} ${proposalId}` }),
        advice:
          "On v0.74 nodes this means that more votes share one block time than fit a page. Ask for a larger page " +
          "(`pagination.first`, at most 5000) or for the votes of one party; those on the other side of the block come with " +
          "`newestFirst: false`, or `true` if that was it.",
      }),

    listPartiesProfiles: (query, options) =>
      list("listPartiesProfiles", options, {
        pageSize: 5000,
        readQuery: () => readProfilesQuery(query),
        attempt: (init) => http.GET("/api/v2/parties/profiles", init),
        read: (body: PartyProfileList) => body.profiles,
        // Nodes go on answering so (observed on v0.74 nodes).
        adviceOn:
          ({ after, before }) =>
          (status) =>
            status === 500 && (after ?? before) !== undefined ? profilesAdvice : undefined,
      }),

    getSpamStatistics: (query, options) =>
      single(spamStatistics, options, () => ({ path: readSpamStatisticsQuery(query) })),

    listBalanceChanges: (query, options) =>
      list("listBalanceChanges", options, {
        pageSize: 1000,
        readQuery: () => readBalanceChangesQuery(query),
        attempt: (init) => http.GET("/api/v2/balance/changes", init),
        read: (body: BalanceChangeList) => body.balances,
        compare:
          ({ newestFirst = true }) =>
          (a, b) =>
            (newestFirst ? -1 : 1) * compareTimes(a.timestamp, b.timestamp),
      }),

    scanBalanceChanges: (query, options) => {
      const open = () => {
        const { start, end, filters } = readScanQuery(query);
        const callSettings = readCallOptions("scanBalanceChanges", options, settings, scanNames);
        return { start, end, parts: inReach(filters).map((part) => scanPart(part, callSettings)) };
      };
      return scan({ operation: "scanBalanceChanges", open, timeOf: ({ timestamp }) => timestamp }, options);
    },

    listNodeSignatures: (query, options) =>
      list("listNodeSignatures", options, {
        pageSize: 1000,
        readQuery: () => readSignaturesQuery(query),
        attempt: (init) => http.GET("/api/v2/node/signatures", init),
        read: (body: NodeSignatureList) => body.signatures,
      }),

    checkTransaction: (query, options) => single(transactionCheck, options, () => readTransaction(query)),

    http,
    // An operation of openapi.yaml that the client lacks is a compile error here.
  } satisfies VegaClient & Record<keyof operations, unknown>;
}

/** What is different from one list operation to the next. */
interface ListOperation<Id extends keyof operations, Body, T> {
  /** Size of a page where the caller names none. */
  pageSize: number;
  readQuery(): ListQuery<Id>;
  attempt: Attempt<{ query: WireQuery<Id> }>;
  /** Takes the envelope out of the body. */
  read(body: Body): PageContent<T>;
  /** Tells for a page which statuses that usually pass are known to stay: what to do instead. */
  adviceOn?(page: Pagination): (status: number) => string | undefined;
  /** What comes first in the order that is asked for, where a list is put together from parts. */
  compare?(pagination: Pagination): (a: T, b: T) => number;
  identify?(record: T): Identity;
  advice?: string;
}

const profilesAdvice =
  "v0.74 nodes answer so to every cursor of this list, so that its first page alone can be had: ask for a larger one " +
  "(`pagination.first`, at most 5000), from the other end (`newestFirst: false`), or for `parties` by name";

function compareTimes(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** The envelope, where it is one: a page without edges or without a word on what follows would end a walk too early. */
function connection<T>(envelope: PageContent<T> | null | undefined): PageContent<T> | undefined {
  return Array.isArray(envelope?.edges) && envelope.pageInfo !== undefined ? envelope : undefined;
}

/** openapi-fetch's own knows more styles than the description uses, and takes a tenth of the time of a call for it. */
function pathSerializer(path: string, params: Record<string, unknown>): string {
  let filled = path;
  for (const name in params) filled = filled.replace(`{${name}}`, encodeURIComponent(String(params[name])));
  return filled;
}
