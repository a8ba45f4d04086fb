/** A record with its place in time; `number` parts those of one time. */
export interface Entry<T> {
  readonly record: T;
  readonly time: bigint;
  readonly number: number;
}

/** What is wrong with a request, as nodes say it. */
export class Refusal extends Error {
  /** The status code of gRPC. */
  readonly code: number;
  readonly details: { "@type": string; code: number; message: string; inner: string }[];

  constructor(code: number, message: string, detail?: { code: number; message: string }) {
    super(message);
    this.code = code;
    this.details = detail ? [{ "@type": "type.googleapis.com/vega.ErrorDetail", ...detail, inner: "" }] : [];
  }
}

export const invalidArgument = (message = "InvalidArgument error", detail?: { code: number; message: string }) =>
  new Refusal(3, message, detail);

/** How the pages of a list lead astray. */
export interface Astray {
  /** A cursor is a time alone: the first record of that time is taken for the one that it stands for. */
  byTimeAlone?: boolean;
  /** One record too many is passed over behind a cursor. */
  skipsOne?: boolean;
  /** A cursor cannot be read. */
  fails?: boolean;
  /** A cursor without a size is passed over. */
  ignoredWithoutSize?: boolean;
  /** The page comes without its records, and its cursors lead to them. */
  empty?: boolean;
  /** There is always more, behind the cursor that was asked with. */
  repeats?: boolean;
}

const pageSize = { usual: 1000, most: 5000 };

/** The page of a list that a query asks for. `entries` come oldest first. */
export function page<T>(list: string, entries: readonly Entry<T>[], query: URLSearchParams, astray: Astray) {
  const first = readSize(query, "pagination.first");
  const last = first === undefined ? readSize(query, "pagination.last") : undefined;
  const given = { after: query.get("pagination.after"), before: query.get("pagination.before") };
  if (given.after !== null && given.before !== null) throw invalidArgument();
  // A size in one direction hides a cursor of the other.
  const after = last === undefined ? readCursor(list, given.after) : undefined;
  const before = first === undefined ? readCursor(list, given.before) : undefined;
  if (astray.fails && (after ?? before)) throw new Refusal(13, "Internal error");
  const order = readFlag(query, "pagination.newestFirst", true) ? -1 : 1;
  const ordered = order === 1 ? entries : [...entries].reverse();
  const size = first ?? last ?? pageSize.usual;
  const backward = last !== undefined || before !== undefined;
  const known = astray.ignoredWithoutSize && first === undefined && last === undefined ? undefined : (after ?? before);
  const place = known && placeOf(known, ordered, order, backward, astray.skipsOne ? 1 : 0);
  const from = backward ? Math.max(0, (place ?? ordered.length) - size) : Math.min(place ?? 0, ordered.length);
  const to = backward ? Math.max(0, place ?? ordered.length) : Math.min(ordered.length, from + size);
  if (astray.empty && from < to) {
    const cursor = cursorOf(list, `@${backward ? to : from} ${ordered.length}`);
    const pageInfo = { hasNextPage: true, hasPreviousPage: true, startCursor: cursor, endCursor: cursor };
    return { edges: [], pageInfo };
  }
  const edges = ordered.slice(from, to).map(({ record, time, number }) => ({
    cursor: cursorOf(list, astray.byTimeAlone ? `${time}` : `${time} ${number}`),
    node: record,
  }));
  const repeated = astray.repeats ? (given.after ?? given.before ?? undefined) : undefined;
  return {
    edges,
    pageInfo: {
      hasNextPage: astray.repeats || (backward ? known !== undefined : to < ordered.length),
      hasPreviousPage: astray.repeats || (backward ? from > 0 : known !== undefined),
      startCursor: repeated ?? edges.at(0)?.cursor ?? "",
      endCursor: repeated ?? edges.at(-1)?.cursor ?? "",
    },
  };
}

/** How many entries lie before a page that begins behind the cursor, or before the end of one that ends ahead of it. */
function placeOf<T>(cursor: Cursor, ordered: readonly Entry<T>[], order: 1 | -1, backward: boolean, skipped: number) {
  if ("place" in cursor) return cursor.place;
  const distance = ({ time, number }: Entry<T>) =>
    order * (Number(time > cursor.time) - Number(time < cursor.time) || number - (cursor.number ?? number));
  const first = (test: (distance: number) => boolean) => {
    const index = ordered.findIndex((entry) => test(distance(entry)));
    return index === -1 ? ordered.length : index;
  };
  const reached = first((distance) => distance >= 0);
  const passed = first((distance) => distance > 0);
  // A node takes the one record that it meets first for the cursor's own, also where the cursor fits several.
  if (cursor.number === undefined) return backward ? passed - 1 : reached + 1;
  return backward ? reached - skipped : passed + skipped;
}

/** The record that it belongs to, by a time alone for some lists; or how many records lie before it. */
type Cursor = { time: bigint; number: number | undefined } | { place: number };

/** The mark at its head gives each cursor a `+` and a `/`, which a URL holds in an escaped form only. */
const mark = "~~~>>>???";

const cursorOf = (list: string, place: string) => btoa(`${mark}${list} ${place}`);

function readCursor(list: string, text: string | null): Cursor | undefined {
  if (text === null) return undefined;
  const [, of, place, time, number] = /^~~~>>>\?\?\?(\w+) (?:@(\d+) \d+|(-?\d+)(?: (\d+))?)$/.exec(decode(text)) ?? [];
  if (of === list && place !== undefined) return { place: Number(place) };
  if (of !== list || time === undefined) throw invalidArgument("invalid cursor");
  return { time: BigInt(time), number: number === undefined ? undefined : Number(number) };
}

function decode(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}

function readSize(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^-?\d+$/.test(text)) {
    throw invalidArgument(
      `type mismatch, parameter: ${name}, error: strconv.ParseInt: parsing "${text}": invalid syntax`,
    );
  }
  const size = Number(text);
  if (size < 1 || size > pageSize.most) throw invalidArgument();
  return size;
}

function readFlag(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw invalidArgument(
    `type mismatch, parameter: ${name}, error: strconv.ParseBool: parsing "${text}": invalid syntax`,
  );
}

/** A time in a query: digits of Unix nanoseconds. */
export function readTime(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return BigInt(text);
  throw invalidArgument(
    `type mismatch, parameter: ${name}, error: strconv.ParseInt: parsing "${text}": invalid syntax`,
  );
}
