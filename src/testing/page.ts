import { decodeCursor, encodeCursor, respellCursor, unspellCursor } from "./cursor.js";
import { invalidPagination } from "./errors.js";
import type { QueryValues } from "./query.js";

/** A list that pages are made from. */
export interface List<Row> {
  /**
   * Checks what a node checks after the pagination.
   *
   * @param hasCursor - Whether the request has a cursor in its direction.
   * @throws {@link NodeError} if the node rejects the request.
   */
  check?(hasCursor: boolean): void;
  /**
   * Reads rows that fit the filter, from the end where the walk begins.
   *
   * @param upwards - Whether to read from the lowest sort key on.
   * @param cursor - The JSON of a cursor: rows at or behind its place are read.
   * @param limit - How many rows to read at most.
   */
  read(upwards: boolean, cursor: string | undefined, limit: number): readonly Row[];
  /** The JSON of a row's cursor. */
  cursor(row: Row): string;
  /** A row as the wire shows it. */
  node(row: Row): object;
}

/** How a fault changes a page. */
export interface PageFault {
  /** The page comes without its records; its cursor leads to them. The number makes that cursor a new one. */
  empty?: number | undefined;
  /** The page reports further pages, and returns the cursor of the request. */
  repeated?: boolean | undefined;
}

const pageSize = { default: 1000, largest: 5000 };

interface PageRequest {
  size: number;
  backward: boolean;
  newestFirst: boolean;
  /** As sent. */
  cursor: string | undefined;
}

/**
 * Makes a page as v0.74 nodes do: from the number of rows that the store returns and from nothing else (observed on v0.74
 * nodes).
 *
 * @throws {@link NodeError} with status 400 for a size out of range, both cursors at once, and a cursor that is not base64.
 */
export function makePage<Row>(list: List<Row>, query: QueryValues, fault: PageFault) {
  const { size, backward, newestFirst, cursor } = readPagination(query);
  const decoded = cursor === undefined ? undefined : decodeCursor(cursor, backward ? "before" : "after");
  list.check?.(decoded !== undefined);
  const place = decoded === undefined ? undefined : unspellCursor(decoded);
  const read = list.read(backward === newestFirst, place, size + (place === undefined ? 1 : 2));
  const { rows, ahead, behind } = cutToPage(list, read, size, place);
  const ordered = backward ? [...rows].reverse() : rows;
  if (fault.empty !== undefined && rows.length > 0) {
    const next = respellCursor(place, fault.empty);
    return { edges: [], pageInfo: { hasNextPage: true, hasPreviousPage: true, startCursor: next, endCursor: next } };
  }
  const edges = ordered.map((row) => ({ node: list.node(row), cursor: encodeCursor(list.cursor(row)) }));
  const repeated = fault.repeated === true;
  const pageInfo = {
    hasNextPage: repeated || (backward ? behind : ahead),
    hasPreviousPage: repeated || (backward ? ahead : behind),
    startCursor: (repeated ? cursor : undefined) ?? edges.at(0)?.cursor ?? "",
    endCursor: (repeated ? cursor : undefined) ?? edges.at(-1)?.cursor ?? "",
  };
  return { edges, pageInfo };
}

/** Decides which of the rows are the page, and whether others follow and precede it. */
function cutToPage<Row>(list: List<Row>, read: readonly Row[], size: number, cursor: string | undefined) {
  if (cursor === undefined) return { rows: read.slice(0, size), ahead: read.length > size, behind: false };
  if (read.length > size + 1) return { rows: read.slice(1, -1), ahead: true, behind: true };
  const [first] = read;
  const isOwn = first !== undefined && (read.length > size || list.cursor(first) === cursor);
  return { rows: isOwn ? read.slice(1) : read, ahead: false, behind: isOwn };
}

/** `first` decides for a forward page, whatever else is given; a size or cursor of the other direction is not even read. */
function readPagination(query: QueryValues): PageRequest {
  const first = query.integer("pagination.first");
  const last = query.integer("pagination.last");
  const after = query.text("pagination.after");
  const before = query.text("pagination.before");
  const given = first ?? last;
  if (given !== undefined && (given < 1n || given > BigInt(pageSize.largest))) {
    throw invalidPagination(`pagination limit must be in range 0-${pageSize.largest}`);
  }
  if (after !== undefined && before !== undefined) {
    throw invalidPagination("cannot set both a before and after cursor");
  }
  const backward = first === undefined && (last !== undefined || before !== undefined);
  return {
    size: given === undefined ? pageSize.default : Number(given),
    backward,
    newestFirst: query.flag("pagination.newestFirst") ?? true,
    cursor: backward ? before : after,
  };
}
