import { VegaError, type VegaErrorOptions } from "./vega-error.js";

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
