import type { Pagination } from "../../generated/types.js";
import { checkOptions, type OptionChecks } from "../arguments/check-options.js";
import { take } from "../arguments/take.js";
import { early } from "../async/early.js";
import { CoveragePromise } from "../evidence/coverage.js";
import type { Block } from "../http/block.js";
import { type CallOptions, callChecks } from "../http/call-options.js";
import type { Coverage } from "../values/coverage.js";
import type { Backward, Forward } from "./direction.js";
import { FirstStep } from "./first-step.js";
import type { Edge, ListPage, PageContent, WalkPage } from "./page.js";
import { PageIterator, RecordIterator } from "./page-iterator.js";
import { RequestPlan, readWalkOptions, type WalkOptions, type WalkRequest, walkChecks } from "./request-plan.js";

/** Fetches one page. The signal aborts if the page is no longer needed. */
export type FetchPage<T> = (pagination: Pagination, signal: AbortSignal) => PromiseLike<PageContent<T>>;

/**
 * A list that is fetched page by page as it is used. Nothing is sent before.
 *
 * `await` returns the first page, with one request however often it is awaited. Each loop is a walk of its own, from the
 * start. With `pagination.last` or `pagination.before` a walk goes backward: records come from the end of each page to its
 * start.
 *
 * A walk yields every record exactly once, in the list's order. Only the source's `hasNextPage` ends it, not an empty or a
 * short page. A cursor that leads to an earlier page, or one that is missing although there is a next page, ends the walk
 * with a {@link PaginationError} after the records before it were yielded. A {@link VegaError} that ends a walk has `resume`,
 * the `pagination` to continue with, `pagesRead` and `itemsRead`.
 */
export interface Walk<T, P extends WalkPage<T> = WalkPage<T>> extends AsyncIterable<T>, PromiseLike<P> {
  /** Every record, page after page. Concurrent calls of `next()` are resolved in order. */
  [Symbol.asyncIterator](): AsyncGenerator<T, undefined, undefined>;
  /** Every page. */
  pages(): AsyncGenerator<P, undefined, undefined>;
  /**
   * Every record with its cursor.
   *
   * @example
   * ```ts
   * for await (const { cursor, node } of client.listNodeSignatures({ id }).edges()) await save(node, cursor);
   * // Later, after the last one that was saved:
   * const rest = client.listNodeSignatures({ id, pagination: { after: lastCursor } });
   * ```
   */
  edges(): AsyncGenerator<Edge<T>, undefined, undefined>;
  /** Every record in an array, in walking order. `maxItems` bounds it. */
  toArray(): Promise<T[]>;
  /** `catch` of the first page's promise. */
  catch<R = never>(onRejected?: ((reason: unknown) => R | PromiseLike<R>) | null): Promise<P | R>;
  /** `finally` of the first page's promise. */
  finally(onFinally?: (() => void) | null): Promise<P>;
}

/** Options of one listing. */
export interface ListingOptions extends CallOptions, WalkOptions {}

export const listingChecks: OptionChecks<ListingOptions> = { ...callChecks, ...walkChecks };

/** A page of a list of a node. */
export interface Page<T> extends WalkPage<T> {
  /**
   * The current block when the node responded; `undefined` if the node does not say. All records of earlier blocks
   * are final (observed on v0.74 nodes).
   */
  readonly block: Block | undefined;
  /** Status, headers and URL of the response. Its body has been read. */
  readonly response: Response;
  /**
   * Whether the page may be out of date, because no node of a pool gave a fresh one. Always `false` for a client of one node,
   * which nothing can be compared with.
   */
  readonly stale: boolean;
}

/**
 * A list of a node, fetched page by page as it is used. Nothing is sent before.
 *
 * `await` returns the first page, with one request however often it is awaited. `for await` yields every record, page after
 * page, and each loop is a walk of its own. An error that ends a walk has `resume`, the `pagination` to continue with.
 *
 * An async function that returns a listing returns its first page, since a listing can be awaited. To return the listing
 * itself, wrap it: `return { votes: listing }`.
 *
 * @example
 * ```ts
 * const page = await client.listVotes({ partyId });
 * for await (const vote of client.listVotes({ partyId })) console.log(vote.value);
 * ```
 */
export interface Listing<T> extends Walk<T, Page<T>> {
  /**
   * The range of block time for which the first loop over the listing is complete, once it has ended. If `break` or `maxItems` ends it,
   * that is less. It rejects with the error that ends the loop. Awaiting the listing for its first page is no loop.
   *
   * @example
   * ```ts
   * const listing = client.listBalanceChanges({ filter: { partyIds: [partyId] } });
   * const changes = await listing.toArray();
   * const { start, end } = await listing.coverage;
   * console.log(`${changes.length} changes from ${start} to ${end}`);
   * ```
   */
  readonly coverage: Promise<Coverage>;
}

/**
 * Reads any list with Relay-style cursor pagination page by page, as the client's listings are read.
 *
 * @param fetchPage - Fetches one page. The signal aborts if the page is no longer needed.
 * @param pagination - Where to start, the direction, and the page size. Default: forward from the start, 1000 records.
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
export function paginate<T>(
  fetchPage: FetchPage<T>,
  pagination: Forward | Backward = {},
  options: WalkOptions = {},
): Walk<T> {
  const taken = take(() => {
    checkOptions(walkChecks, options, { name: "paginate" });
    return { pagination: { ...pagination }, pageSize: 1000, ...readWalkOptions(options) };
  });
  const { coverage: _, ...list } = walk<T, object>(() => {
    const { begin, call } = early((page: Pagination, signal: AbortSignal) => fetchPage(page, signal));
    return { ...taken(), begin, open: () => ({ fetchPage: call }) };
  });
  return list;
}

/**
 * The walk over a list.
 *
 * @param read - Returns what was requested, or throws what is wrong with it. Called when the walk is used.
 */
export function walk<T, Extra extends object>(
  read: () => WalkRequest<T, Extra>,
): Walk<T, WalkPage<T> & Extra> & Pick<Listing<T>, "coverage"> {
  const plan = () => new RequestPlan(read());
  const coverage = new CoveragePromise();
  const records = () => new RecordIterator<T, T>(plan, ({ nodes }) => nodes, coverage.take());
  let first: Promise<ListPage<T, Extra> & Extra> | undefined;
  const firstPage = () => {
    first ??= (async () => {
      const opened = plan();
      return new FirstStep(opened).fetchAlone(opened.maxItems);
    })();
    return first;
  };
  return {
    [Symbol.asyncIterator]: records,
    pages: () => new PageIterator<T, Extra>(plan, coverage.take()),
    edges: () => new RecordIterator<T, Edge<T>>(plan, ({ edges }) => edges, coverage.take()),
    toArray: () => records().drain(),
    coverage: coverage.promise,
    // biome-ignore lint/suspicious/noThenProperty: awaiting a listing for its first page is what it offers.
    then: (onFulfilled, onRejected) => firstPage().then(onFulfilled, onRejected),
    catch: (onRejected) => firstPage().catch(onRejected),
    finally: (onFinally) => firstPage().finally(onFinally),
  };
}
