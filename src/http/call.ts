import { atCaller } from "../errors/index.js";
import { isDigits } from "../values/integers.js";
import { withDigits } from "../values/show.js";

/**
 * The current block of a node: the newest one that it has begun. The records of all blocks before it are there and
 * final; its own can be missing (observed on v0.74 nodes).
 */
export interface Block {
  height: bigint;
  /** Unix nanoseconds. */
  timestamp: bigint;
}

/** Reads the block headers of a response; `undefined` without them. The JSON of a block has digits. */
export function readBlock({ headers }: Pick<Response, "headers">): Block | undefined {
  const height = headers.get("x-block-height") ?? "";
  const timestamp = headers.get("x-block-timestamp") ?? "";
  if (!isDigits(height) || height.startsWith("-") || !isDigits(timestamp)) return undefined;
  return withDigits({ height: BigInt(height), timestamp: BigInt(timestamp) });
}

/**
 * Whether a node has no block yet: it has just started, or waits to be restored. Its block has height 0 and time 0
 * (observed on v0.74 nodes), and its empty pages prove nothing.
 */
export const hasNoBlock = (block: Block | undefined): boolean => block !== undefined && block.timestamp <= 0n;

/** The members that a result or a page has in addition. */
export interface NodeExtra {
  /** Status, headers and URL of the response. Its body has been read. */
  readonly response: Response;
  /**
   * The current block when the node responded; `undefined` without block headers. All records of earlier blocks are
   * final (observed on v0.74 nodes).
   */
  readonly block: Block | undefined;
  /**
   * Whether the response may be out of date, because no node of a pool gave a fresh one. Always `false` for a client of
   * one node, because there is nothing to compare it with.
   */
  readonly stale: boolean;
}

/** A result with the response it came from. */
export interface Answer<T> extends NodeExtra {
  /** The body. */
  data: T;
  /** The address of the node that responded, if the client has several. */
  node?: string | undefined;
}

/** The promise of a result. */
export interface Call<T> extends Promise<T> {
  /**
   * Resolves to the result with status, headers and block of its response, and whether it is stale. Rejects as the call
   * does. Sends no further request.
   *
   * @example
   * ```ts
   * const { data, response, block } = await client.getSpamStatistics({ partyId }).withResponse();
   * ```
   */
  withResponse(): Promise<Answer<T>>;
}

/** Returns the promise of a result. Errors of `send` become rejections. */
export function call<T>(send: () => Promise<Answer<T>>): Call<T> {
  let answer: Answer<T>;
  const data = (async () => {
    try {
      answer = await send();
      return answer.data;
    } catch (error) {
      throw atCaller(error);
    }
  })();
  return Object.assign(data, { withResponse: () => data.then(() => ({ ...answer })) });
}
