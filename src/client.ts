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
import { systemClock } from "./http/clock.js";
import {
  type AttemptInit,
  type Block,
  type Call,
  type CallSettings,
  call,
  createRequester,
  type Route,
  readBlock,
} from "./http/index.js";
import {
  type CallOptions,
  type ClientOptions,
  listingNames,
  readCallOptions,
  readClientOptions,
  scanNames,
} from "./options.js";
import type { UnreliableCursors } from "./pagination/continuation.js";
import { compareDigits } from "./pagination/cursors.js";
import { compareWithAllPages, compareWithLastTime, type Deduplicator } from "./pagination/deduplicator.js";
import { type Walk, walk } from "./pagination/listing.js";
import { mergePages } from "./pagination/merge.js";
import type { Edge, PageContent, WalkPage } from "./pagination/page.js";
import type { WalkOptions } from "./pagination/request-plan.js";
import { splitFilters } from "./pagination/split.js";
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
import { History } from "./scan/history.js";
import type { FetchRange } from "./scan/range-page.js";
import { keyOf } from "./scan/record-order.js";
import { type Scan, type ScanWalkOptions, scan } from "./scan/scan.js";

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
  const requester = createRequester({ fetch, pacing, observe, validate });

  function list<Id extends keyof operations, Body extends object, T>(
    operation: Id,
    options: ListingOptions | undefined,
    { pageSize, readQuery, attempt, read, withCursor, compare, isComparable, ...source }: ListOperation<Id, Body, T>,
  ): Listing<T> {
    const open = () => {
      const callSettings = readCallOptions(operation, options, settings, listingNames);
      const { filters, pagination } = readQuery();
      const queries = splitFilters(filters);
      // Merging compares records. Of others, the envelope alone is checked.
      const isReadable = ({ edges }: PageContent<T>) =>
        queries.length === 1 || edges.every((edge) => edge?.node == null || (isComparable?.(edge.node) ?? true));
      const route = {
        operation,
        attempt,
        read: (body: Body) => {
          const page = connection(read(body));
          return page && isReadable(page) ? page : undefined;
        },
      };
      const [only, ...others] = queries.map((part) => async (page: Pagination, signal: AbortSignal) => {
        const query = { ...part, ...toWirePagination(page) };
        const pageRoute = (page.after ?? page.before) === undefined ? route : { ...route, ...withCursor };
        const { data, response } = await requester.send(pageRoute, { query }, { ...callSettings, signal });
        const { edges, pageInfo } = data;
        return { edges, pageInfo, extra: { response, block: readBlock(response) } };
      });
      if (only !== undefined && others.length === 0) return { pagination, pageSize, fetchPage: only };
      const parts = only === undefined ? [] : [only, ...others];
      return { pagination, pageSize, fetchPage: mergePages({ source: { operation, ...source }, parts, compare }) };
    };
    return walk({ operation, open, ...source }, options);
  }

  const scanRoute: Route<{ query: WireQuery<"listBalanceChanges"> }, BalanceChangeList, PageContent<BalanceChange>> = {
    operation: "scanBalanceChanges",
    described: "listBalanceChanges",
    attempt: (init) => http.GET("/api/v2/balance/changes", init),
    read: ({ balances }) => connection(balances),
  };

  function scanPart(filters: WireQuery<"listBalanceChanges">, callSettings: CallSettings): FetchRange {
    return async ({ start, end, size, newestFirst, after }, signal) => {
      const query = {
        ...filters,
        ...(start !== undefined && { "dateRange.startTimestamp": String(start) }),
        ...(end !== undefined && { "dateRange.endTimestamp": String(end) }),
        ...toWirePagination({ first: size, newestFirst, ...(after !== undefined && { after }) }),
      };
      const { data, response } = await requester.send(scanRoute, { query }, { ...callSettings, signal });
      const { edges, pageInfo } = data;
      return {
        edges: edges.filter((edge): edge is Edge<BalanceChange> => edge?.node != null),
        hasMore: pageInfo?.hasNextPage ?? false,
        endCursor: pageInfo?.endCursor,
        blockTime: readBlock(response)?.timestamp,
        response,
      };
    };
  }

  const history = new History(systemClock);

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
        cursors: { lack: "record", keyOf: voteKey },
        // A vote that is written again during a walk comes again.
        deduplicator: () => compareWithAllPages(voteKey),
        advice:
          "On v0.74 nodes this means that a page has no room for all votes that were last written in one block. Request a " +
          "larger page (`pagination.first`, at most 5000), or the votes of one party. With `newestFirst` reversed, the votes " +
          "on the other side of the block can be read.",
      }),

    listPartiesProfiles: (query, options) =>
      list("listPartiesProfiles", options, {
        pageSize: 5000,
        readQuery: () => readProfilesQuery(query),
        attempt: (init) => http.GET("/api/v2/parties/profiles", init),
        read: (body: PartyProfileList) => body.profiles,
        // v0.74 nodes answer 500 to every cursor of this list.
        withCursor: { finalStatuses: [500], hints: { 500: profilesHint } },
      }),

    getSpamStatistics: (query, options) =>
      single(spamStatistics, options, () => ({ path: readSpamStatisticsQuery(query) })),

    listBalanceChanges: (query, options) =>
      list("listBalanceChanges", options, {
        pageSize: 1000,
        readQuery: () => readBalanceChangesQuery(query),
        attempt: (init) => http.GET("/api/v2/balance/changes", init),
        read: (body: BalanceChangeList) => body.balances,
        cursors: { lack: "account", keyOf },
        deduplicator: () => compareWithLastTime(keyOf, ({ timestamp }) => timestamp),
        compare: (a, b) => compareDigits(a.timestamp, b.timestamp),
        isComparable: ({ timestamp }) => /^-?\d+$/.test(timestamp),
        advice:
          "A larger page (`pagination.first`, at most 5000) may pass the block, and `scanBalanceChanges` needs no cursor.",
      }),

    scanBalanceChanges: (query, options) => {
      const open = () => {
        const callSettings = readCallOptions("scanBalanceChanges", options, settings, scanNames);
        const { start, end, filters } = readScanQuery(query);
        const parts = splitFilters(filters).map((part) => scanPart(part, callSettings));
        return { start, end, parts, fetchAny: scanPart({}, callSettings) };
      };
      return scan({ operation: "scanBalanceChanges", open, history }, options);
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
  attempt: Route<{ query: WireQuery<Id> }, Body, T>["attempt"];
  /** Takes the envelope out of the body. */
  read(body: Body): PageContent<T>;
  /** What is different for requests with a cursor. */
  withCursor?: Pick<Route<unknown, Body, T>, "finalStatuses" | "hints">;
  /** Less than 0 if the first comes before the second with the oldest first. Default: the list has no order. */
  compare?(a: T, b: T): number;
  /** Whether a record has what `compare` reads: the description promises it, a server may not. */
  isComparable?(record: T): boolean;
  cursors?: UnreliableCursors<T>;
  deduplicator?(): Deduplicator<T>;
  advice?: string;
}

const profilesHint =
  "v0.74 nodes answer 500 to every cursor of this list: only its first page is available. Request a larger page " +
  "(`pagination.first`, at most 5000), the other end of the list (`newestFirst: false`), or certain `parties`";

const voteKey = ({ partyId, proposalId, timestamp }: Vote) => `${partyId} ${proposalId} ${timestamp}`;

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
