import { ResponseError } from "../errors/index.js";
import type { Block } from "../http/index.js";
import { microsecondOf, toTime } from "../scan/timeline.js";

/** What a follower reads of a page. */
export interface BlockSource {
  readonly block: Block | undefined;
  readonly response: Response;
}

/** @throws `ResponseError` if the response names no block: nothing shows which records are final. */
export function blockOf(operation: string, { block, response }: BlockSource): Block {
  if (block !== undefined) return block;
  throw new ResponseError(
    `${operation} received a response without the headers X-Block-Height and X-Block-Timestamp from ${response.url}, so that it ` +
      "does not know which records are final. Use the address of a data node, or have the proxy pass these headers on.",
    { operation, attempts: 1, response, body: undefined },
  );
}

export const earlier = (a: Block, b: Block): Block => (a.timestamp <= b.timestamp ? a : b);

/**
 * Everything before this time is final: v0.74 nodes show the records of a block when it ends, and keep times in microseconds
 * (observed on v0.74 nodes).
 */
export const finalTime = ({ timestamp }: Block): bigint => toTime(microsecondOf(timestamp));
