import { VegaError, type VegaErrorOptions } from "./vega-error.js";

export * from "./api-error.js";
export * from "./vega-error.js";

/** An argument or an option is invalid. Nothing was sent, unless `fetch` did not resolve to a `Response`. */
export class ArgumentError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ArgumentError";
  override name = "ArgumentError" as const;
  /** The invalid argument or option, such as `pagination.first`. */
  declare readonly argument: string;

  constructor(message: string, options: VegaErrorOptions & Pick<ArgumentError, "argument">) {
    super(message, options);
  }
}

/**
 * No complete response was received: the connection was refused, reset or closed early, or the host name or its
 * certificate is wrong. `cause` is the error of `fetch`.
 */
export class ConnectionError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ConnectionError";
  override name = "ConnectionError" as const;
}

type TimeoutErrorOptions = VegaErrorOptions & Pick<TimeoutError, "scope"> & Partial<Pick<TimeoutError, "waitedFor">>;

/** The deadline of one attempt has passed, or of the call with all its attempts and waits. */
export class TimeoutError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.TimeoutError";
  override name = "TimeoutError" as const;
  /** Which deadline has passed: `"attempt"` for the option `timeout`, `"total"` for `totalTimeout`. */
  declare readonly scope: "attempt" | "total";
  /**
   * `"rate-limit"` if `totalTimeout` passed while the call waited for the rate limit of the client; otherwise
   * `undefined`: the node was late.
   */
  declare readonly waitedFor: "rate-limit" | undefined;

  constructor(message: string, options: TimeoutErrorOptions) {
    super(message, options);
  }
}

/** The response has a success status but does not match the OpenAPI description: HTML, truncated JSON, no envelope. */
export class ResponseError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ResponseError";
  override name = "ResponseError" as const;
  /** The response. Its body has been read. */
  declare readonly response: Response;
  /** The body: parsed if it is JSON, otherwise its text. */
  declare readonly body: unknown;

  constructor(message: string, options: VegaErrorOptions & Pick<ResponseError, "response" | "body">) {
    super(message, options);
  }

  override toJSON(): Record<string, unknown> {
    const { response, body, ...members } = super.toJSON();
    return { ...members, status: this.response.status };
  }
}

type PaginationErrorOptions = VegaErrorOptions &
  Pick<PaginationError, "reason"> &
  Partial<Pick<PaginationError, "availableFrom" | "block" | "resume">>;

/** The pages of the node do not lead to all records, or do not show that they do. */
export class PaginationError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.PaginationError";
  override name = "PaginationError" as const;
  /**
   * - `"repeated-cursor"`: the node returned a cursor twice.
   * - `"missing-cursor"`: the node reports a further page but returned no cursor for it.
   * - `"pruned"`: the range begins before the oldest record that the node keeps.
   * - `"behind"`: the node has not reached the end of the range, or is behind the node of an earlier page.
   * - `"gap"`: no response shows which records come next. A follower of votes cannot reach all those since its
   *   checkpoint.
   */
  declare readonly reason: "repeated-cursor" | "missing-cursor" | "pruned" | "behind" | "gap";
  /**
   * If `reason` is `"pruned"`: the time of the oldest record that the node keeps, in Unix nanoseconds. If it is
   * `"gap"`: the block time from which all votes are within reach.
   */
  declare readonly availableFrom: bigint | undefined;
  /** If `reason` is `"behind"`: the block that the node has reached; `undefined` without block headers. */
  declare readonly block: { readonly height: bigint; readonly timestamp: bigint } | undefined;

  constructor(message: string, options: PaginationErrorOptions) {
    super(message, options);
  }
}
