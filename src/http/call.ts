import type { Reply } from "./context.js";

/** A result with the response it came from. */
export interface Answer<T> extends Reply<T> {}

/** The promise of a result. */
export interface Call<T> extends Promise<T> {
  /**
   * Resolves to the result with status, headers and block of its response, and whether it is stale. Rejects as the call does. Sends no further request.
   *
   * @example
   * ```ts
   * const { data, response, block } = await client.getSpamStatistics({ partyId }).withResponse();
   * ```
   */
  withResponse(): Promise<Answer<T>>;
}

/** Returns the promise of a result. What `send` throws becomes a rejection. */
export function call<T>(send: () => Promise<Reply<T>>): Call<T> {
  const reply = start(send);
  const data = reply.then((whole) => whole.data);
  const withResponse = async (): Promise<Answer<T>> => {
    // The caller handles the rejection of this promise only: Node.js would end the process because of the other.
    data.catch(() => {});
    return { ...(await reply) };
  };
  return Object.assign(data, { withResponse });
}

function start<T>(send: () => Promise<T>): Promise<T> {
  try {
    return send();
  } catch (error) {
    return Promise.reject(error);
  }
}
