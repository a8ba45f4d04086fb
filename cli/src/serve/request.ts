import type { Coverage, Listing, ListingOptions, Page, Pagination, VegaClient } from "vegaprotocol-client";
import { type ListId, listOperation } from "../operations.js";
import { type Cursor, decodeCursor } from "./cursors.js";
import { Rejection } from "./errors.js";

export type Row = Readonly<Record<string, unknown>>;
export type RowEdge = { readonly cursor: string; readonly node: Row };

/** A page that a caller wants: a number of records after the cursor or the start of the list, or before it or at the end. */
export interface PageRequest {
  readonly id: ListId;
  readonly size: number;
  readonly isBackward: boolean;
  readonly newestFirst: boolean;
  readonly cursor: Cursor | undefined;
  /** The listing of the client, with the filters of the request. */
  open(pagination: Pagination, options?: ListingOptions): Listing<Row>;
  /** The parameters of a page of nodes: what follows a cursor in the direction of the request. */
  place(size: number, cursor?: string): Pagination;
}

/** What was read for a page. Edges are in the direction of the request, and so are `hasMore` and `hasEarlier`. */
export interface PageReading {
  readonly edges: readonly (RowEdge & Partial<Cursor>)[];
  readonly hasMore: boolean;
  readonly hasEarlier: boolean;
  readonly pages: readonly Page<Row>[];
  /** The range of time for which the page is complete. */
  readonly coverage?: Pick<Coverage, "start" | "end">;
}

/** Nodes allow pages of this size, and return the other one without `first` and `last` (observed on v0.74 nodes). */
export const [largestPage, defaultPageSize] = [5000, 1000];

/** Two parameters of which nodes silently ignore one (observed on v0.74 nodes). */
const contradictions = "first last,first before,last after,after before".split(",").map((pair) => pair.split(" "));

/** @param latest - The time of a block that no node has reached, in Unix nanoseconds. */
export function readPageRequest(
  client: VegaClient,
  id: ListId,
  argument: object,
  latest: bigint | undefined,
): PageRequest {
  const { pagination = {}, ...filters } = argument as { pagination?: Pagination };
  const { first, last, after, before, newestFirst = true } = pagination;
  const size = first ?? last ?? defaultPageSize;
  if (!Number.isInteger(size) || size < 1 || size > largestPage) {
    throw new Rejection(3, `Expected a page of 1 to ${largestPage} records, got ${size}.`);
  }
  if (typeof newestFirst !== "boolean") throw new Rejection(3, "Expected pagination.newestFirst to be true or false.");
  const pair = contradictions.find((names) => names.every((name) => name in pagination));
  if (pair) throw new Rejection(3, `pagination.${pair[1]} cannot be combined with pagination.${pair[0]}.`);
  const text = after ?? before;
  const isBackward = last !== undefined || before !== undefined;
  const [sizeName, cursorName] = isBackward ? (["last", "before"] as const) : (["first", "after"] as const);
  // The types of the lists have nothing in common that a record of any of them could be read by.
  const list = client[id] as unknown as (argument: object, options: ListingOptions) => Listing<Row>;
  return {
    id,
    size,
    isBackward,
    newestFirst,
    cursor: text === undefined ? undefined : decodeCursor(text, id, latest),
    open: (page, options) => list({ ...filters, pagination: page }, { ...options, readAhead: false }),
    place: (count, from) => ({ [sizeName]: count, ...(from !== undefined && { [cursorName]: from }), newestFirst }),
  };
}

/** The edges in the direction of the request, or, of edges in that direction, in the order of the list. */
export const inDirection = <T>(edges: readonly T[], { isBackward }: Pick<PageRequest, "isBackward">): readonly T[] =>
  isBackward ? [...edges].reverse() : edges;

/** Joins the members that identify a record to one text. */
export const keyOf = (id: ListId, record: Row): string =>
  // The time of a vote is not that of its block.
  JSON.stringify(listOperation(id).naturalKey.map((name) => (name === "timestamp" ? "" : record[name])));
