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
