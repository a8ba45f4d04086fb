import type { Pagination } from "../../../generated/types.js";
import type { VegaClient } from "../../client/client.js";
import { contradictionIn } from "../../pagination/direction.js";
import type { ListId } from "../../pagination/list-operation.js";
import type { Listing, ListingOptions, Page } from "../../pagination/listing.js";
import { largestPage } from "../../pagination/repair/continuation.js";
import { isDigits } from "../../values/digits.js";
import { decodeCursor, type GatewayCursor } from "./cursors.js";
import { Rejection } from "./replies.js";

/** A record of any list. */
export type Row = Readonly<Record<string, unknown>>;

/** A record and its cursor. */
export interface RowEdge {
  readonly cursor: string;
  readonly node: Row;
}

/** A page that a caller wants. */
export interface PageRequest {
  readonly id: ListId;
  /** How many records. */
  readonly size: number;
  /** Whether it comes before the cursor, or at the end of the list. */
  readonly isBackward: boolean;
  readonly newestFirst: boolean;
  readonly cursor: GatewayCursor | undefined;
  /** The end of the range, in Unix nanoseconds. */
  readonly end: bigint | undefined;
  /** The listing of the client, with the filters of the request. */
  open(pagination: Pagination, options?: ListingOptions): Listing<Row>;
}

/** What a caller gets. */
export interface ServedPage {
  readonly edges: readonly RowEdge[];
  readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  /** The page of the client whose block counts. */
  readonly source: Page<Row>;
  /** Whether the same request has the same page forever. */
  readonly isFinal: boolean;
}

/** What nodes return without `first` and `last` (observed on v0.74 nodes). */
const defaultPageSize = 1000;

/** Reads what a caller wants, with the sizes and directions of nodes. */
export function readPageRequest(
  client: VegaClient,
  id: ListId,
  argument: Record<string, unknown>,
  signal: AbortSignal,
): PageRequest {
  const { pagination = {}, ...filters } = argument as {
    pagination?: Pagination;
    dateRange?: { endTimestamp?: unknown };
  };
  const { first, last, after, before, newestFirst = true } = pagination;
  const size = first ?? last ?? defaultPageSize;
  if (!Number.isInteger(size) || size < 1 || size > largestPage) {
    throw new Rejection(3, `Expected a page of 1 to ${largestPage} records, got ${size}.`);
  }
  const [one, other] = contradictionIn(pagination) ?? [];
  if (one !== undefined) throw new Rejection(3, `pagination.${other} cannot be combined with pagination.${one}.`);
  const text: unknown = after ?? before;
  if (text !== undefined && (typeof text !== "string" || text === "")) {
    throw new Rejection(3, "Expected a cursor. Leave the parameter out to begin at the start of the list.");
  }
  const cursor = text === undefined ? undefined : decodeCursor(text);
  if (cursor?.list !== undefined && cursor.list !== id) {
    throw new Rejection(3, `Expected a cursor of ${id}, got one of ${cursor.list}.`);
  }
  // The types of the lists have nothing in common that a record of any of them could be read by.
  const list = client[id] as unknown as (argument: object, options: ListingOptions) => Listing<Row>;
  const end = filters.dateRange?.endTimestamp;
  return {
    id,
    size,
    isBackward: last !== undefined || before !== undefined,
    newestFirst,
    cursor,
    end: isDigits(end) ? BigInt(end) : undefined,
    open: (page, options) => list({ ...filters, pagination: page }, { ...options, readAhead: false, signal }),
  };
}

/** The parameters of a page of nodes: what follows a cursor in the direction of the request. */
export const paginationOf = (
  { isBackward, newestFirst }: PageRequest,
  size: number,
  cursor: string | undefined,
): Pagination => ({
  [isBackward ? "last" : "first"]: size,
  ...(cursor !== undefined && { [isBackward ? "before" : "after"]: cursor }),
  newestFirst,
});

/** The edges in the direction of the request, or, of edges in that direction, in the order of the list. */
export const inDirection = <T>(edges: readonly T[], { isBackward }: PageRequest): readonly T[] =>
  isBackward ? [...edges].reverse() : edges;

/** Whether nodes read the list downwards for the request. */
export const isDescending = ({ isBackward, newestFirst }: PageRequest): boolean => isBackward !== newestFirst;

/**
 * The page of edges.
 *
 * @param edges - In the direction of the request.
 * @param hasMore - Whether further records follow in that direction.
 */
export function assemble(
  request: PageRequest,
  edges: readonly RowEdge[],
  {
    hasMore,
    hasEarlier,
    source,
    isFinal = false,
  }: { hasMore: boolean; hasEarlier: boolean; source: Page<Row>; isFinal?: boolean },
): ServedPage {
  const ordered = inDirection(edges, request);
  const [hasPreviousPage, hasNextPage] = request.isBackward ? [hasMore, hasEarlier] : [hasEarlier, hasMore];
  const [startCursor, endCursor] = [ordered.at(0)?.cursor ?? "", ordered.at(-1)?.cursor ?? ""];
  return { edges: ordered, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor }, source, isFinal };
}
