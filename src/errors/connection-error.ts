import { VegaError } from "./vega-error.js";

/**
 * No complete response was received: the connection was refused, reset or closed early, or the host name or its certificate
 * is wrong. `cause` is the error of `fetch`.
 */
export class ConnectionError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.ConnectionError";
  override name = "ConnectionError" as const;
}
