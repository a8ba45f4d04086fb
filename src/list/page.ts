import type { BackwardPagination, ForwardPagination } from "../../generated/client.js";
import type { PageInfo, Pagination } from "../../generated/types.js";
import type { NodeExtra } from "../http/call.js";
import type { Expectation } from "../http/expectation.js";
import type { Block } from "../values/block.js";
import { isDigits } from "../values/integers.js";

export type { BackwardPagination, ForwardPagination };

/** A record and its place in the list. */
export interface Edge<T> {
  /** The record's place in the list, as the node sent it. Opaque. */
  cursor: string;
  /** The record. */
  node: T;
}

/** A page as it is fetched. An edge without a record is left out. */
export interface PageContent<T> {
  edges: readonly ({ cursor: string; node: T | null } | null)[];
  pageInfo: PageInfo | null;
}

/** A request for one page. Times are Unix nanoseconds; the start belongs to the range, the end does not. */
export interface PageRequest {
  pagination: Pagination;
  start?: bigint | undefined;
  end?: bigint | undefined;
}

/** A page whose edges have records. */
export interface EdgePage<T> {
  edges: readonly Edge<T>[];
  pageInfo: PageInfo | null;
}

/** A page with its request: the evidence for `judge`. */
export interface ReceivedPage<T> extends EdgePage<T> {
  request: PageRequest;
}

/** A page of a node, with its response. */
export interface NodePage<T> extends EdgePage<T> {
  extra: NodeExtra;
  /** The address of the node, if the client has several. */
  node?: string | undefined;
  /** The time from which on no record is missing, in Unix nanoseconds; 0 if this page does not limit it. */
  completeFrom: bigint;
  /** Set if records after the start are missing, as far as is known: the time of the oldest record that is there. */
  availableFrom?: bigint | undefined;
  /**
   * Set if the response covers only a part of the range, because its node refuses longer ones: that part, and whether
   * further pages of it follow.
   */
  window?: { start: bigint; end: bigint; hasMore: boolean } | undefined;
  /** The request of its window, if earlier windows had no new records: the page does not begin with known ones then. */
  foundIn?: PageRequest | undefined;
  /** The time from which on a reading through windows is complete, in Unix nanoseconds, if not all of them are. */
  gapFrom?: bigint;
}

/** Reads one page that meets the expectation. Rejects with `MissingEvidence` if none does. */
export type ReadPage<T> = (request: PageRequest, expectation: Expectation, signal: AbortSignal) => Promise<NodePage<T>>;

/** The time of a record in Unix nanoseconds; `undefined` if it has none. */
export function timeOf(edge: Edge<unknown> | undefined): bigint | undefined {
  const { timestamp } = (edge?.node ?? {}) as { timestamp?: unknown };
  return isDigits(timestamp) ? BigInt(timestamp) : undefined;
}

/** A time that no record reaches, in Unix nanoseconds. */
export const never = (1n << 63n) - 1n;

/** The names that a direction uses in requests and responses. */
export interface Direction {
  size: "first" | "last";
  cursor: "after" | "before";
  nextCursor: "endCursor" | "startCursor";
  more: "hasNextPage" | "hasPreviousPage";
}

export const forward: Direction = { size: "first", cursor: "after", nextCursor: "endCursor", more: "hasNextPage" };
export const backward: Direction = {
  size: "last",
  cursor: "before",
  nextCursor: "startCursor",
  more: "hasPreviousPage",
};

export const directionOf = ({ last, before }: Pagination): Direction =>
  last !== undefined || before !== undefined ? backward : forward;

export const cursorOf = ({ after, before }: Pagination): string | undefined => after ?? before;

export const opposite = (direction: Direction): Direction => (direction === forward ? backward : forward);

/** Whether a list is read from newer records to older ones, in its own direction by default. */
export const isDescending = (pagination: Pagination, direction = directionOf(pagination)): boolean =>
  (direction === forward) === (pagination.newestFirst ?? true);

/** The oldest edge of a page. A page keeps the order of its list, whichever direction it was read in. */
export const oldestOf = <Edge>(edges: readonly Edge[], { newestFirst = true }: Pagination): Edge | undefined =>
  edges.at(newestFirst ? -1 : 0);

/** The time of the oldest record of a page; `never` without records. */
export const oldestTime = (edges: readonly Edge<unknown>[], pagination: Pagination): bigint =>
  timeOf(oldestOf(edges, pagination)) ?? never;

/** The items of a page in the order of the walk. A page keeps the order of its list in both directions. */
export const inWalkOrder = <T>(items: readonly T[], direction: Direction): readonly T[] =>
  direction === forward ? items : [...items].reverse();

/** The place of a page, with or without more after it. */
export const withMore = (pageInfo: PageInfo | null, { more }: Direction, hasMore: boolean): PageInfo | null =>
  pageInfo && { ...pageInfo, [more]: hasMore };

/** A page that claims nothing after a block. */
export function notLater<T>(page: NodePage<T>, block: Block | undefined): NodePage<T> {
  const own = page.extra.block;
  const isLater = own === undefined || block === undefined || block.timestamp < own.timestamp;
  return isLater ? { ...page, extra: { ...page.extra, block: own && block } } : page;
}

/** Nodes allow pages of this size (observed on v0.74 and v0.79 nodes). */
export const largestPage = 5000;

/** How many more records a page requests, because known ones come first. */
export const room = 50;

/** The size of a page that has room for more records, as far as nodes allow it. */
export const withRoom = (size: number, more: number): number => Math.min(size + more, Math.max(size, largestPage));

/** A page of a list, in the list's order, in whichever direction it was read. */
export interface WalkPage<T> {
  /** The records of the page. A walk leaves out records that an earlier page had. */
  readonly nodes: T[];
  /** The records with their cursors. */
  readonly edges: Edge<T>[];
  /** The page's place in its list. `null`, as the source sent it, is an end. */
  readonly pageInfo: PageInfo | null;
  /**
   * The `pagination` of the next page as plain data, for another process or a later time; `undefined` if there is none.
   * No record is lost between the two pages, but the next one may repeat records of this one. Newest first, a vote that
   * is cast again can be missed: it moves before the first page. Oldest first, only one that moves to the newest block
   * can, and only while no later block follows.
   *
   * @throws {@link PaginationError} if there is a next page that no cursor leads to.
   * @example
   * ```ts
   * const page = await client.listVotes({ proposalId });
   * const next = page.next && (await client.listVotes({ proposalId, pagination: page.next }));
   * ```
   */
  readonly next: ForwardPagination | undefined;
  /**
   * The `pagination` of the previous page as plain data; `undefined` if there is none. See {@link WalkPage.next}. If
   * all votes of the page are of one block, the previous page can also have votes that come after it.
   *
   * @throws {@link PaginationError} if there is a previous page that no cursor leads to.
   */
  readonly previous: BackwardPagination | undefined;
  /**
   * Fetches the next page; `undefined` if there is none. A chain of these calls is a walk: records of earlier pages of
   * the chain are left out.
   *
   * @throws {@link PaginationError} if there is a next page that no cursor leads to.
   */
  nextPage(): Promise<this | undefined>;
  /**
   * Fetches the previous page; `undefined` if there is none. See {@link WalkPage.nextPage}. For a page of votes
   * that was reached by `nextPage()`, that is the page before, without a request.
   *
   * @throws {@link PaginationError} if there is a previous page that no cursor leads to.
   */
  previousPage(): Promise<this | undefined>;
}

/** A page of a list of a node, with its response. */
export interface Page<T> extends WalkPage<T>, NodeExtra {}
