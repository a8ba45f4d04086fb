import { createHash } from "node:crypto";
import { Rejection } from "./errors.js";

/** A place in a list, with all that any gateway needs to continue, also after a restart. */
export interface Cursor {
  /** What sorts a record in its list: its time in 20 digits, and the members that distinguish it from others of that time. */
  readonly place: readonly string[];
  /** The time of the block that the next page must not be before, in Unix nanoseconds. */
  readonly block?: bigint | undefined;
}

const checkLength = 8;
const checkOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, checkLength);

/** Text that needs no escapes in a URL: many callers write cursors into it as they are. */
export function encodeCursor(list: string, { place, block = 0n }: Cursor): string {
  const text = Buffer.from(JSON.stringify([list, String(block), ...place])).toString("base64url");
  return checkOf(text) + text;
}

/**
 * @param latest - The time of a block that no node has reached, in Unix nanoseconds; `undefined` if none is known.
 * @throws {@link Rejection} for any other text: an edited cursor costs a node no request.
 */
export function decodeCursor(cursor: string, list: string, latest: bigint | undefined): Cursor {
  const fields = cursor.startsWith(checkOf(cursor.slice(checkLength))) ? parse(cursor.slice(checkLength)) : [];
  const [of, block = "", ...place] = fields;
  const times = [block, place[0] ?? ""];
  const isTime = (text: string) => /^\d{1,20}$/.test(text) && (latest === undefined || BigInt(text) <= latest);
  if (of === list && fields.every((each) => typeof each === "string") && times.every(isTime)) {
    return { place, block: BigInt(block) || undefined };
  }
  throw new Rejection(3, `Expected a cursor of a page of ${list}. Leave it out to begin at the start of the list.`);
}

function parse(text: string): string[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
