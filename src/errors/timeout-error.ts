import { VegaError, type VegaErrorOptions } from "./vega-error.js";

/** A deadline has passed: that of one attempt, or that of the call with all its attempts and waits. */
export class TimeoutError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.TimeoutError";
  override name = "TimeoutError" as const;
  /** Which deadline has passed: `"attempt"` for the option `timeout`, `"total"` for `totalTimeout`. */
  readonly scope: "attempt" | "total";

  constructor(message: string, { scope, ...options }: VegaErrorOptions & { scope: "attempt" | "total" }) {
    super(message, options);
    this.scope = scope;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), scope: this.scope };
  }
}
