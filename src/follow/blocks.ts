import type { Listing, Page } from "../client/listing.js";
import { ResponseError } from "../errors/index.js";
import type { Block } from "../http/block.js";

/** What a follower reads of a page. */
export interface BlockSource {
  readonly block: Block | undefined;
  readonly response: Response;
}

/** The error of a response that a follower cannot use. */
export const unusable = (operation: string, what: string, response: Response, body?: unknown): ResponseError =>
  new ResponseError(`${operation} got ${what} from ${response.url}`, { operation, attempts: 1, response, body });

/** @throws {@link ResponseError} if the response names no block: nothing shows which records are final. */
export function blockOf(operation: string, { block, response }: BlockSource): Block {
  if (block !== undefined) return block;
  throw unusable(operation, "a response without X-Block-Height and X-Block-Timestamp", response);
}

export const earlier = (a: Block, b = a): Block => (a.timestamp <= b.timestamp ? a : b);

/** The first page of a loop. Unlike a page that is awaited alone, it has a block if the nodes name any. */
export async function firstPageOf<T>(listing: Listing<T>): Promise<Page<T>> {
  const { value } = await listing.pages().next();
  return value as Page<T>;
}
