import { ApiError, type ApiErrorOptions } from "./api-error.js";

/** Options of a {@link RateLimitError}. */
export interface RateLimitErrorOptions extends Omit<ApiErrorOptions, "hint"> {
  retryAfter: number | undefined;
  banned: boolean;
  /** Whether this call was sent; if not, the response is that of an earlier call. */
  sent: boolean;
}

/** The node rejects requests because of their rate, or it has banned the client. */
export class RateLimitError extends ApiError {
  protected static override readonly brand: string = "vegaprotocol-client.RateLimitError";
  override name = "RateLimitError" as const;
  /** Seconds until the node accepts requests again; `undefined` if the response does not name them. */
  readonly retryAfter: number | undefined;
  /** Whether the node has banned the client. */
  readonly banned: boolean;

  constructor({ retryAfter, banned, sent, ...options }: RateLimitErrorOptions) {
    const wait = retryAfter === undefined ? "" : `Wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`;
    super({
      ...options,
      hint: sent ? wait : `This is the response to an earlier call; this call was not sent. ${wait}`,
    });
    this.retryAfter = retryAfter;
    this.banned = banned;
  }

  override toJSON(): Record<string, unknown> {
    const { retryAfter, banned } = this;
    return { ...super.toJSON(), retryAfter, banned };
  }
}
