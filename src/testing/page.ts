import type { Block } from "../values/block.js";
import type { createTransactionCheck } from "./check.js";
import type { NodeBehavior } from "./options.js";
import type { RateLimiter } from "./rate-limiter.js";
import { takeRows } from "./sorted.js";
import type { Store } from "./store.js";
import * as wire from "./wire.js";

/** A node, while it responds to one request. */
export interface DataNode extends NodeBehavior {
  store: Store;
  block: Block;
  limiter: RateLimiter | undefined;
  checkTransaction: ReturnType<typeof createTransactionCheck>;
  /** The seed of the order of votes of one block; `undefined` for their order by party. */
  tieSeed: string | undefined;
}

/** Read the members of cursors; `undefined` for a value of another type. */
const readers = {
  text: (value: unknown) => (typeof value === "string" ? value : undefined),
  time: (value: unknown) => (typeof value === "string" ? wire.parseRfc3339(value) : undefined),
  binary: (value: unknown) => (typeof value === "string" ? wire.base64ToBinary(value) : undefined),
};

type Fields = Readonly<Record<string, keyof typeof readers>>;
type Place<Of extends Fields> = { [Name in keyof Of]?: NonNullable<ReturnType<(typeof readers)[Of[Name]]>> };

interface ListRules<Row, Of extends Fields> {
  /** The error of whatever the database rejects. */
  failure: wire.ErrorDetail;
  /** The checks of a node after the pagination. A cursor of the other direction does not count. */
  check?: (hasCursor: boolean) => void;
  /** The rows by their sort key, for a page of a size, after the JSON of a cursor. */
  rows: (upwards: boolean, size: number, cursor: string | undefined) => readonly Row[];
  isWanted?: ((row: Row) => boolean) | undefined;
  /** The members of cursors that are read. */
  fields: Of;
  cursor: (row: Row) => object;
  /** Returns a function that compares a row with the place of a cursor. */
  order: (place: Place<Of>, upwards: boolean) => (row: Row) => number;
  node: (row: Row) => object;
}

/** Makes a page as v0.74 nodes do: from the number of rows that the store returns (observed on v0.74 nodes). */
export function makePage<Row, const Of extends Fields>(query: URLSearchParams, list: ListRules<Row, Of>) {
  const { size, backward, newestFirst, cursor } = readPagination(query);
  const json = cursor === undefined ? undefined : decodeCursor(cursor, backward ? "before" : "after");
  list.check?.(json !== undefined);
  const upwards = backward === newestFirst;
  const place = json === undefined ? undefined : readPlace(json, list);
  const rows = list.rows(upwards, size, json);
  const most = size + (json === undefined ? 1 : 2);
  const read = takeRows(rows, upwards, most, place && list.order(place, upwards), list.isWanted);
  const toCursor = (row: Row) => JSON.stringify(list.cursor(row));
  const { page, ahead, behind } = cutToPage(read, size, json, toCursor);
  const ordered = backward ? page.reverse() : page;
  const edges = ordered.map((row) => ({ node: list.node(row), cursor: encodeCursor(toCursor(row)) }));
  const pageInfo = {
    hasNextPage: backward ? behind : ahead,
    hasPreviousPage: backward ? ahead : behind,
    startCursor: edges.at(0)?.cursor ?? "",
    endCursor: edges.at(-1)?.cursor ?? "",
  };
  return { edges, pageInfo };
}

/** Decides which of the rows are the page, and whether others follow and precede it. */
function cutToPage<Row>(read: Row[], size: number, cursor: string | undefined, toCursor: (row: Row) => string) {
  if (cursor === undefined) return { page: read.slice(0, size), ahead: read.length > size, behind: false };
  if (read.length > size + 1) return { page: read.slice(1, -1), ahead: true, behind: true };
  const [first] = read;
  const isOwn = first !== undefined && (read.length > size || toCursor(first) === cursor);
  return { page: isOwn ? read.slice(1) : read, ahead: false, behind: isOwn };
}

const invalid = (inner: string) => wire.dataNodeError(3, { code: 10028, message: "invalid pagination", inner });

/** With `first`, the page is a forward one: a size or a cursor of the other direction is not even read. */
function readPagination(query: URLSearchParams) {
  const [first, last, after, before, order] = ["first", "last", "after", "before", "newestFirst"].map(
    (name) => query.get(`pagination.${name}`) ?? undefined,
  );
  const size = Number(first ?? last ?? 1000);
  if (size < 1 || size > 5000) throw invalid("pagination limit must be in range 0-5000");
  if (after !== undefined && before !== undefined) throw invalid("cannot set both a before and after cursor");
  const backward = first === undefined && (last !== undefined || before !== undefined);
  return { size, backward, newestFirst: !/^[fF0]/.test(order ?? ""), cursor: backward ? before : after };
}

/** Encodes a cursor: base64 of JSON in UTF-8. Most of them are ASCII, which is fast. */
const encodeCursor = (json: string) =>
  btoa(/[\u0080-\uffff]/.test(json) ? String.fromCharCode(...new TextEncoder().encode(json)) : json);

function decodeCursor(text: string, direction: string): string {
  const bytes = text === "" ? undefined : wire.base64ToBytes(text);
  if (bytes === undefined) throw invalid(`failed to decode ${direction} cursor`);
  return new TextDecoder().decode(bytes);
}

/** Parses the JSON of a cursor; `undefined` without any known member, such as for a cursor of another list. */
function readPlace<Of extends Fields>(
  json: string,
  { fields, failure }: Pick<ListRules<never, Of>, "fields" | "failure">,
) {
  const fail = (): never => {
    throw wire.dataNodeError(13, { ...failure, inner: `parsing cursor: ${json}` });
  };
  const members = wire.parseObject(json) ?? fail();
  const known = Object.entries(fields).filter(([name]) => name in members);
  const place = known.map(([name, type]) => [name, readers[type](members[name]) ?? fail()]);
  return place.length === 0 ? undefined : (Object.fromEntries(place) as Place<Of>);
}
