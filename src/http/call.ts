import { atCaller } from "../errors/index.js";
import type { Block } from "../values/block.js";

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
