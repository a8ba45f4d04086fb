import { createHash } from "node:crypto";
import { Rejection } from "./errors.js";

/** A place in a list, with all that any gateway needs to continue, also after a restart. */
export interface Cursor {
  /** The sort key of a record: its time in 20 digits, and the members that distinguish records of that time. */
  readonly place: readonly string[];
  /** How many records of its time a loop has read: the page that follows is requested with room for them. */
  readonly skipped: number;
  /** The time of the block that the next page must not be before, in Unix nanoseconds. */
  readonly block?: bigint | undefined;
  /** The time of the newest record of the loop, in 20 digits, if it began with that record. */
  readonly newest?: string | undefined;
}

const checkLength = 8;
const checkOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, checkLength);

/** Text that needs no escapes in a URL: many callers write cursors into it as they are. */
export function encodeCursor(list: string, { place, skipped, block = 0n, newest = "" }: Cursor): string {
  const text = Buffer.from(JSON.stringify([list, `${block}`, ...place, newest, `${skipped}`])).toString("base64url");
  return checkOf(text) + text;
}

/**
 * The check finds cursors that were cut off or edited by mistake. Callers can compute it: a cursor of their own costs
 * no more than any other page.
 */
export function decodeCursor(cursor: string, list: string): Cursor {
  const fields = cursor.startsWith(checkOf(cursor.slice(checkLength))) ? parse(cursor.slice(checkLength)) : [];
  const [of, block = "", ...place] = fields;
  const skipped = place.pop();
  const newest = place.pop() || undefined;
  const isTime = (text = "") => /^\d{1,20}$/.test(text);
  if (of === list && fields.every((each) => typeof each === "string") && [block, place[0], skipped].every(isTime)) {
    const time = BigInt(block) || undefined;
    // No record is after the block of its page.
    if (time === undefined || BigInt(place[0] ?? "") <= time)
      return { place, skipped: Number(skipped), block: time, newest };
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
