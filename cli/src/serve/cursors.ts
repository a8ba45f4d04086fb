import { createHash } from "node:crypto";
import { toNanoseconds } from "vegaprotocol-client";
import { Rejection } from "./errors.js";

/** A place in a list, with all that any gateway needs to continue, also after a restart. */
export interface Cursor {
  /** The operation of the list. A node would respond to the cursor of another list with a wrong page (observed on v0.74 nodes). */
  readonly list?: string | undefined;
  /** The cursor of the record as the node wrote it, and what to continue from after and before the record if it is not that. */
  readonly own: string;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  /** Distinguishes the records of one block. */
  readonly key?: string | undefined;
  /** The time of the block that the next page must not be before, in Unix nanoseconds. */
  readonly block?: bigint | undefined;
}

const checkLength = 8;
const checkOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, checkLength);

/** Text that needs no escapes in a URL: many callers write cursors into it as they are. */
export function encodeCursor({ list, own, after, before, key, block }: Cursor): string {
  const fields = [list, own, after, before, key, block?.toString()].map((field) => field ?? null);
  const text = Buffer.from(JSON.stringify(fields)).toString("base64url");
  return checkOf(text) + text;
}

/**
 * Reads a cursor of a gateway, or that of a node.
 *
 * @param latest - The time of a block that no node has reached, in Unix nanoseconds; `undefined` if none is known.
 * @throws {@link Rejection} for any other text: an edited cursor costs a node no request.
 */
export function decodeCursor(cursor: string, list: string, latest: bigint | undefined): Cursor {
  const text = cursor.slice(checkLength);
  const isOwn = cursor.slice(0, checkLength) === checkOf(text);
  const fields = isOwn ? parse(text) : parse(cursor) && [list, cursor];
  const values = Array.isArray(fields) ? fields.map((each) => each ?? undefined) : [];
  const [of, own, after, before, key, block = "0"] = values;
  const time = /^\d{1,19}$/.test(block) ? BigInt(block) : undefined;
  if (of !== list || typeof own !== "string" || time === undefined || (latest !== undefined && time > latest)) {
    throw new Rejection(3, `Expected a cursor of a page of ${list}. Leave it out to begin at the start of the list.`);
  }
  return { list: of, own, after, before, key, block: time || undefined };
}

/** Reads base64 of a JSON object, which cursors of nodes are. */
function parse(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value = JSON.parse(Buffer.from(text, "base64").toString());
    return typeof value === "object" ? (value ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** The time of the block that the cursor of a node names, in Unix nanoseconds (observed on v0.74 nodes). */
export function blockTimeOf(cursor: string): bigint | undefined {
  try {
    return toNanoseconds(String(parse(cursor)?.["vega_time"]));
  } catch {
    return undefined;
  }
}
