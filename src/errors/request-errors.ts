import { VegaError, type VegaErrorOptions } from "./vega-error.js";

/** An argument or an option is invalid. Nothing was sent. */
export class ArgumentError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ArgumentError";
  override name = "ArgumentError" as const;
  /** The invalid argument or option, as in `pagination.first`. */
  readonly argument: string;

  constructor(message: string, { argument, ...options }: VegaErrorOptions & { argument: string }) {
    super(message, options);
    this.argument = argument;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), argument: this.argument };
  }
}

/**
 * No complete response was received: the connection was refused, reset or closed early, or the host name or its certificate
 * is wrong. `cause` is the error of `fetch`.
 */
export class ConnectionError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ConnectionError";
  override name = "ConnectionError" as const;
}

/** Options of a {@link TimeoutError}. */
export interface TimeoutErrorOptions extends VegaErrorOptions {
  scope: TimeoutError["scope"];
  waitedFor?: TimeoutError["waitedFor"];
}

/** A deadline has passed: that of one attempt, or that of the call with all its attempts and waits. */
export class TimeoutError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.TimeoutError";
  override name = "TimeoutError" as const;
  /** Which deadline has passed: `"attempt"` for the option `timeout`, `"total"` for `totalTimeout`. */
  readonly scope: "attempt" | "total";
  /**
   * `"rate-limit"` if the deadline passed while the call waited for the rate limit of the client, or if that wait took most of the
   * time of the attempt; otherwise `undefined`: the node was late.
   */
  readonly waitedFor: "rate-limit" | undefined;

  constructor(message: string, { scope, waitedFor, ...options }: TimeoutErrorOptions) {
    super(message, options);
    this.scope = scope;
    this.waitedFor = waitedFor;
  }

  override toJSON(): Record<string, unknown> {
    const { scope, waitedFor } = this;
    return { ...super.toJSON(), scope, waitedFor };
  }
}

/** The response has a success status but does not match the OpenAPI description: HTML, truncated JSON, no envelope. */
export class ResponseError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ResponseError";
  override name = "ResponseError" as const;
  /** The response. Its body has been read. */
  readonly response: Response;
  /** The body: parsed if it is JSON, otherwise its text. */
  readonly body: unknown;

  constructor(
    message: string,
    { response, body, ...options }: VegaErrorOptions & { response: Response; body: unknown },
  ) {
    super(message, options);
    this.response = response;
    this.body = body;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), status: this.response.status };
  }
}
