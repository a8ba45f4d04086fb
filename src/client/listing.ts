import type { OperationId, OperationTypes, Pagination } from "../../generated/client.js";
import { operations } from "../../generated/operations.js";
import { callback, checkOptions, type OptionChecks } from "../arguments/check-options.js";
import type { ListOperation, OperationTable, RecordOf } from "../arguments/operation.js";
import { readArguments, readAtOnce } from "../arguments/read-arguments.js";
import { atCaller, type Coverage } from "../errors/index.js";
import { type CallOptions, callChecks, readCallOptions } from "../http/call-options.js";
import type { Edge, Page, PageContent, WalkPage } from "../list/page.js";
import type { OpenWalk } from "../list/walk.js";
import { readWalkOptions, type WalkOptions, walkChecks } from "../list/walk-options.js";
import { printedAs } from "../values/show.js";
import { type ClientContext, loadLists, withCoverage } from "./loop.js";

export type { Page } from "../list/page.js";

/** Fetches one page. The signal aborts if the page is no longer needed. */
export type FetchPage<T> = (pagination: Pagination, signal: AbortSignal) => PromiseLike<PageContent<T>>;

/**
 * A list that is fetched page by page as it is used. Nothing is sent before.
 *
 * `await` returns the first page, with one request however often it is awaited. Each loop is a walk of its own, from
 * the start. With `pagination.last` or `pagination.before` a walk goes backward: records come from the end of each page
 * to its start.
 *
 * A walk yields every record exactly once, in the list's order. Only the source's `hasNextPage` ends it, not an empty
 * or a short page. A cursor that leads to an earlier page, or one that is missing although there is a next page, ends
 * the walk with a {@link PaginationError} after the records before it were yielded. A {@link VegaError} that ends a
 * walk has `resume`, with the `pagination` to continue with, `pagesRead` and `itemsRead`.
 */
export interface Walk<T, P extends WalkPage<T> = WalkPage<T>> extends AsyncIterable<T>, PromiseLike<P> {
  /** Every record, page after page. Concurrent calls of `next()` are resolved in order. */
  [Symbol.asyncIterator](): AsyncGenerator<T, undefined, undefined>;
  /** Every page. */
  pages(): AsyncGenerator<P, undefined, undefined>;
  /** Every record with its cursor, after which a later walk can continue: `pagination: { after: cursor }`. */
  edges(): AsyncGenerator<Edge<T>, undefined, undefined>;
  /** Every record in an array, in walking order. `maxItems` bounds it. */
  toArray(): Promise<T[]>;
  /** `then` of the first page's promise. */
  then: Promise<P>["then"];
  /** `catch` of the first page's promise. */
  catch<R = never>(onRejected?: ((reason: unknown) => R | PromiseLike<R>) | null): Promise<P | R>;
  /** `finally` of the first page's promise. */
  finally(onFinally?: (() => void) | null): Promise<P>;
}

/** Options of one listing. */
export interface ListingOptions extends CallOptions, WalkOptions {}

/**
 * A list of a node: `await` returns the first page, `for await` yields every record. See {@link Walk}.
 *
 * An async function that returns a listing returns its first page, since a listing can be awaited. To return the
 * listing itself, wrap it: `return { votes: listing }`.
 *
 * @example
 * ```ts
 * const page = await client.listVotes({ partyId });
 * for await (const vote of client.listVotes({ partyId })) console.log(vote.value);
 * ```
 */
export interface Listing<T> extends Walk<T, Page<T>> {
  /**
   * The range of block time for which the latest loop over the listing is complete, once it has ended. If `break` or
   * `maxItems` ends it, that is less. It rejects with the error that ends the loop, and before the first loop. Awaiting
   * the listing for its first page is not a loop.
   */
  readonly coverage: Promise<Coverage>;
}

/**
 * Reads any list with Relay-style cursor pagination page by page. It follows the cursors as they are: unlike the
 * methods of the client, it cannot tell whether a cursor skips or repeats records.
 *
 * @param fetchPage - Fetches one page. The signal aborts if the page is no longer needed.
 * @param pagination - Where to start, the direction, and the page size. Default: forward from the start, 1000 records.
 * @param options - How many records are read, whether a page is read ahead, and a signal.
 * @throws {@link ArgumentError} when the walk is used, if an argument is invalid.
 * @example
 * ```ts
 * const orders = paginate(async ({ first, after }, signal) => {
 *   const response = await fetch(`https://shop.example/orders?first=${first}&after=${after ?? ""}`, { signal });
 *   return await response.json(); // { edges: [{ cursor, node }], pageInfo: { endCursor, hasNextPage, … } }
 * });
 * for await (const order of orders) console.log(order);
 * ```
 */
export function paginate<T>(fetchPage: FetchPage<T>, pagination: Pagination = {}, options: WalkOptions = {}): Walk<T> {
  const taken = readAtOnce(() => {
    callback(fetchPage, { operation: "paginate", argument: "fetchPage" });
    const start: { pagination?: Pagination } = readArguments("paginate", { arguments: paging }, { pagination });
    checkOptions(walkChecks, options, { name: "paginate" });
    return { pagination: { ...start.pagination }, pageSize: 1000, ...readWalkOptions(options) };
  });
  const list = walk<T>("paginate", async () => {
    const request = taken();
    const { openSource } = await loadLists(request.signal);
    return openSource<T>(request, fetchPage);
  });
  // The coverage is not enumerable, so a copy has none: it is for lists of nodes.
  return printedAs({ ...list }, `Walk of paginate(). ${usage}`);
}

/** The name of an operation that returns a list. */
export type ListId = { [Id in OperationId]: OperationTypes[Id]["record"] extends object ? Id : never }[OperationId];

/** All lists have the same. */
const paging = { pagination: operations.listVotes.arguments.pagination };
const listingChecks: OptionChecks<ListingOptions> = { ...callChecks, ...walkChecks };
const lists: { readonly [Id in ListId]: ListOperation<RecordOf<Id>> & OperationTable[Id] } = operations;

export function listOperation<Id extends ListId>(
  id: Id,
  { connection, defaults }: ClientContext,
  argument: unknown,
  options: ListingOptions | undefined,
): Listing<RecordOf<Id>> {
  const operation = lists[id];
  const taken = readAtOnce(() => {
    const call = readCallOptions(id, options, defaults, listingChecks);
    return { call, checked: readArguments(id, operation, argument), walk: readWalkOptions(options) };
  });
  const listing = walk<RecordOf<Id>>(id, async () => {
    const request = taken();
    const { openList } = await loadLists(request.walk.signal);
    return openList<RecordOf<Id>>({ id, operation, connection, described: id, ...request });
  });
  return printedAs(listing, `Listing of ${id}(). ${usage}`);
}

const usage = "Use `await` for the first page, `for await` or `toArray()` for all records.";

/** The walk over a list. Each use of it opens the list, which can throw the error of its arguments. */
function walk<T>(operation: string, open: () => Promise<OpenWalk<T>>): Listing<T> {
  let first: Promise<Page<T>> | undefined;
  const firstPage = () => {
    first ??= open()
      .then((walk) => walk.first())
      .catch((error) => {
        throw atCaller(error);
      });
    return first;
  };
  return withCoverage(operation, (start) => {
    const items = <Item>(itemsOf: (page: Page<T>) => readonly Item[]) =>
      start(async () => (await open()).items(itemsOf));
    const records = () => items(({ nodes }) => nodes);
    return {
      [Symbol.asyncIterator]: records,
      pages: () => items((page) => [page]),
      edges: () => items(({ edges }) => edges),
      toArray: () => records().drain(),
      // biome-ignore lint/suspicious/noThenProperty: a listing can be awaited for its first page.
      then: (onFulfilled, onRejected) => firstPage().then(onFulfilled, onRejected),
      catch: (onRejected) => firstPage().catch(onRejected),
      finally: (onFinally) => firstPage().finally(onFinally),
    } satisfies Omit<Listing<T>, "coverage">;
  });
}
