import { dataNodeError, type ErrorDetail, invalidPagination } from "./errors.js";
import { base64ToBytes, bytesToBase64, bytesToHex, type Microseconds, parseRfc3339, toJson, zeroTime } from "./wire.js";

/** Encodes a cursor: base64 of JSON in UTF-8. */
export function encodeCursor(json: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: The range is ASCII, which btoa takes as it is.
  return /^[\x00-\x7f]*$/.test(json) ? btoa(json) : bytesToBase64(new TextEncoder().encode(json));
}

/**
 * Decodes a cursor to its JSON.
 *
 * @throws {@link NodeError} with status 400 for another text.
 */
export function decodeCursor(text: string, direction: "after" | "before"): string {
  const bytes = text === "" ? undefined : base64ToBytes(text);
  if (bytes === undefined) throw invalidPagination(`failed to decode ${direction} cursor`);
  return new TextDecoder().decode(bytes);
}

/** The types of a cursor's members. `null` and Go's zero value count as not given. */
interface CursorTypes {
  text: string;
  time: Microseconds;
  number: number;
  /** In hex. */
  bytes: string;
  list: readonly unknown[];
}

type CursorFields = Readonly<Record<string, keyof CursorTypes>>;

/** Where a cursor points. */
export type CursorPlace<Fields extends CursorFields> = { [Name in keyof Fields]?: CursorTypes[Fields[Name]] };

/**
 * Parses the JSON of a cursor as nodes do. A cursor without any known member, such as `{}`, `null` or a cursor of another
 * list, is no place in the list: `undefined`.
 *
 * @param failure - The details of the error of the list.
 * @throws {@link NodeError} with status 500 for anything but an object or `null`, and for a member of another type.
 */
export function parseCursor<const Fields extends CursorFields>(
  json: string | undefined,
  fields: Fields,
  failure: ErrorDetail,
): CursorPlace<Fields> | undefined {
  if (json === undefined) return undefined;
  const fail = (): never => {
    throw dataNodeError(13, { ...failure, inner: `parsing cursor: ${json}` });
  };
  const parsed = parseObject(json) ?? fail();
  const place: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parsed)) {
    // Go matches names in either case of letters.
    const field = Object.keys(fields).find((each) => each.toLowerCase() === name.toLowerCase());
    const type = field === undefined ? undefined : fields[field];
    if (field === undefined || type === undefined || value === null) continue;
    const member = readMember(type, value) ?? fail();
    if (member !== zeroValues[type]) place[field] = member;
  }
  return Object.keys(place).length === 0 ? undefined : (place as CursorPlace<Fields>);
}

function parseObject(json: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(json) ?? {};
    return typeof parsed === "object" && !Array.isArray(parsed) && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const zeroValues = { text: "", time: zeroTime, number: 0, bytes: "", list: undefined };

function readMember(type: keyof CursorTypes, value: unknown): unknown {
  if (type === "list") return Array.isArray(value) ? value : undefined;
  if (type === "number") return Number.isInteger(value) ? value : undefined;
  if (typeof value !== "string" || type === "text") return typeof value === "string" ? value : undefined;
  if (type === "time") return parseRfc3339(value);
  const bytes = base64ToBytes(value);
  return bytes && bytesToHex(bytes);
}

/**
 * Spells a cursor in another way, for the fault "empty-page": the same place in the list, or its beginning, that no client
 * mistakes for a cursor that it has seen.
 */
export const respellCursor = (cursor: string | undefined, number: number) =>
  encodeCursor(toJson({ emptyPage: number, cursor: cursor ?? null }));

/** The cursor that {@link respellCursor} got; another one as it is. */
export function unspellCursor(cursor: string): string | undefined {
  if (!cursor.startsWith('{"emptyPage":')) return cursor;
  const { cursor: original } = JSON.parse(cursor) as { cursor: string | null };
  return original ?? undefined;
}
