import { base64ToBytes, bytesToHex, describeIllegalBase64 } from "./base64.js";
import { invalidPagination } from "./errors.js";
import { toJson } from "./json.js";
import { type Microseconds, parseRfc3339, zeroTime } from "./time.js";

/** Encodes a cursor: base64 of JSON in UTF-8. */
export function encodeCursor(json: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: The range is ASCII, which btoa takes as it is.
  if (/^[\x00-\x7f]*$/.test(json)) return btoa(json);
  return btoa(Array.from(new TextEncoder().encode(json), (byte) => String.fromCharCode(byte)).join(""));
}

/**
 * Decodes a cursor to its JSON.
 *
 * @throws {@link NodeError} with status 400 for another text.
 */
export function decodeCursor(text: string, direction: "after" | "before"): string {
  if (text === "") throw invalidPagination(`failed to decode ${direction} cursor: cursor is empty`);
  const bytes = base64ToBytes(text);
  if (bytes !== undefined) return new TextDecoder().decode(bytes);
  throw invalidPagination(
    `failed to decode ${direction} cursor: failed to decode cursor: ${describeIllegalBase64(text)}`,
  );
}

/** The types of a cursor's members. */
export type CursorFields = Readonly<Record<string, "text" | "time" | "number" | "bytes" | "list">>;

/** Where a cursor points. Members that it does not give have Go's zero value; `undefined` where that is a `null`. */
export class CursorPlace {
  readonly #members: ReadonlyMap<string, unknown>;

  constructor(members: ReadonlyMap<string, unknown>) {
    this.#members = members;
  }

  text(name: string): string | undefined {
    const value = this.#members.get(name);
    return typeof value === "string" ? value : undefined;
  }

  number(name: string): number {
    const value = this.#members.get(name);
    return typeof value === "number" ? value : 0;
  }

  time(name: string): Microseconds {
    const value = this.#members.get(name);
    return typeof value === "number" ? value : zeroTime;
  }
}

/** What is wrong with a cursor, in the words of the node's JSON parser. */
export class CursorError extends Error {}

/**
 * Parses the JSON of a cursor as v0.74 nodes do. A cursor without any known member, such as `{}`, `null` or one of another
 * list, is no place in the list: `undefined`.
 *
 * @throws {@link CursorError} for anything but an object or `null`, and for a member of another type.
 */
export function parseCursor(json: string, fields: CursorFields): CursorPlace | undefined {
  const parsed = parseJson(json);
  if (parsed === null) return undefined;
  if (typeof parsed !== "object" || Array.isArray(parsed)) {
    throw new CursorError(`json: cannot unmarshal ${Array.isArray(parsed) ? "array" : typeof parsed}`);
  }
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(parsed)) {
    // Go matches names in either case of letters.
    const field = Object.keys(fields).find((each) => each.toLowerCase() === name.toLowerCase());
    const type = field === undefined ? undefined : fields[field];
    if (field === undefined || type === undefined || value === null) continue;
    const member = readMember(type, value);
    if (member !== zeroValues[type]) members.set(field, member);
  }
  return members.size === 0 ? undefined : new CursorPlace(members);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new CursorError((error as SyntaxError).message);
  }
}

const zeroValues = { text: "", time: zeroTime, number: 0, bytes: "", list: undefined };

function readMember(type: CursorFields[string], value: unknown): string | number | object {
  if (type === "list" && Array.isArray(value)) return value;
  if (type === "number" && Number.isInteger(value)) return Number(value);
  if (type === "text" && typeof value === "string") return value;
  const bytes = type === "bytes" && typeof value === "string" ? base64ToBytes(value) : undefined;
  if (bytes !== undefined) return bytesToHex(bytes);
  const time = type === "time" && typeof value === "string" ? parseRfc3339(value) : undefined;
  if (time === undefined) throw new CursorError(`json: cannot unmarshal ${toJson(value)}`);
  return time;
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
