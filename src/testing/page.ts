import type { NodeBehavior } from "./options.js";
import type { QueryValues } from "./query.js";
import type { VersionRules } from "./versions.js";
import {
  base64ToBytes,
  base64ToHex,
  bytesToBase64,
  dataNodeError,
  type ErrorDetail,
  invalidPagination,
  type Microseconds,
  parseRfc3339,
  zeroTime,
} from "./wire.js";

/** How a node responds to requests of lists. */
export interface ListNode extends Pick<NodeBehavior, "defects" | "now"> {
  version: VersionRules;
  /** What the order of votes of one block depends on; `undefined` for their order by party. */
  tieSeed: string | undefined;
  /** The oldest time whose balance changes it keeps. */
  oldest: Microseconds;
}

export interface List<Row> {
  /** Checks what a node checks after the pagination. A cursor of the other direction does not count. */
  check?(hasCursor: boolean): void;
  /**
   * Reads rows that fit the filter, from the lowest sort key on or from the highest one. With a cursor, which is JSON, those at its place
   * and behind it.
   */
  read(upwards: boolean, cursor: string | undefined, limit: number): readonly Row[];
  cursor(row: Row): string;
  node(row: Row): object;
}

const pageSize = { default: 1000, largest: 5000 };

/** Makes a page as v0.74 nodes do: from the number of rows that the store returns (observed on v0.74 nodes). */
export function makePage<Row>(list: List<Row>, query: QueryValues) {
  const { size, backward, newestFirst, cursor } = readPagination(query);
  const place = cursor === undefined ? undefined : decodeCursor(cursor, backward ? "before" : "after");
  list.check?.(place !== undefined);
  const read = list.read(backward === newestFirst, place, size + (place === undefined ? 1 : 2));
  const { rows, ahead, behind } = cutToPage(list, read, size, place);
  const ordered = backward ? [...rows].reverse() : rows;
  const edges = ordered.map((row) => ({ node: list.node(row), cursor: encodeCursor(list.cursor(row)) }));
  const pageInfo = {
    hasNextPage: backward ? behind : ahead,
    hasPreviousPage: backward ? ahead : behind,
    startCursor: edges.at(0)?.cursor ?? "",
    endCursor: edges.at(-1)?.cursor ?? "",
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
function readPagination(query: QueryValues) {
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
  const newestFirst = query.flag("pagination.newestFirst") ?? true;
  const size = given === undefined ? pageSize.default : Number(given);
  return { size, backward, newestFirst, cursor: backward ? before : after };
}

/** Encodes a cursor: base64 of JSON in UTF-8. */
function encodeCursor(json: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: The range is ASCII, which btoa takes as it is.
  return /^[\x00-\x7f]*$/.test(json) ? btoa(json) : bytesToBase64(new TextEncoder().encode(json));
}

function decodeCursor(text: string, direction: "after" | "before"): string {
  const bytes = text === "" ? undefined : base64ToBytes(text);
  if (bytes === undefined) throw invalidPagination(`failed to decode ${direction} cursor`);
  return new TextDecoder().decode(bytes);
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Read the members of cursors; `undefined` for a value of another type. */
const readers = {
  text,
  time: (value: unknown) => parseRfc3339(text(value) ?? ""),
  number: (value: unknown) => (Number.isInteger(value) ? Number(value) : undefined),
  hex: (value: unknown) => (typeof value === "string" ? base64ToHex(value) : undefined),
  list: (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined),
};
/** Go's zero values, which count as not given. */
const zeroValues = { text: "", time: zeroTime, number: 0, hex: "", list: undefined };

/**
 * Parses the JSON of a cursor as nodes do. A cursor without any known member, such as `{}`, `null` or a cursor of another
 * list, is no place in the list: `undefined`.
 */
export function parseCursor<const Fields extends Readonly<Record<string, keyof typeof readers>>>(
  json: string | undefined,
  fields: Fields,
  failure: ErrorDetail,
): { [Name in keyof Fields]?: NonNullable<ReturnType<(typeof readers)[Fields[Name]]>> } | undefined {
  if (json === undefined) return undefined;
  const fail = (): never => {
    throw dataNodeError(13, { ...failure, inner: `parsing cursor: ${json}` });
  };
  const place: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parseObject(json) ?? fail())) {
    // Go matches names in either case of letters.
    const [field, type] = Object.entries(fields).find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? [];
    if (field === undefined || type === undefined || value === null) continue;
    const member = readers[type](value) ?? fail();
    if (member !== zeroValues[type]) place[field] = member;
  }
  return Object.keys(place).length === 0 ? undefined : (place as ReturnType<typeof parseCursor<Fields>>);
}

function parseObject(json: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(json) ?? {};
    return typeof parsed === "object" && !Array.isArray(parsed) && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
