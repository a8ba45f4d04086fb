import { VegaError, type VegaErrorOptions } from "./vega-error.js";

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
