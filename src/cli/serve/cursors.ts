/**
 * A place in a list, as callers of the gateway receive and return it. It holds all that is needed to continue, so that any gateway
 * can, also after a restart.
 */
export interface GatewayCursor {
  /** The operation of the list. A node would respond to the cursor of another list with a wrong page (observed on v0.74 nodes). */
  list?: string | undefined;
  /** The cursor of the record, as the node wrote it. */
  own: string;
  /** What a node is asked for to continue after the record, if it is not `own`. */
  after?: string | undefined;
  /** What a node is asked for to continue before the record, if it is not `own`. */
  before?: string | undefined;
  /** Distinguishes the records of one block. */
  key?: string | undefined;
  /** The height of the block that the first page of the loop was of: nodes before it have less than that page promised. */
  block?: string | undefined;
}

/** Names the form, for a gateway of another version. */
const version = 1;

/** Text that needs no escapes in a URL: many callers write cursors into it as they are. */
export const encodeCursor = (cursor: GatewayCursor): string =>
  Buffer.from(JSON.stringify({ gateway: version, ...cursor })).toString("base64url");

/** Reads a cursor of a gateway; any other text is the cursor of a node. */
export function decodeCursor(text: string): GatewayCursor {
  try {
    const { gateway, ...cursor } = JSON.parse(Buffer.from(text, "base64url").toString());
    if (gateway === version && typeof cursor.own === "string") return cursor;
  } catch {
    // The cursor of a node.
  }
  return { own: text };
}
