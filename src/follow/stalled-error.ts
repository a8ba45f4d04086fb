import { VegaError, type VegaErrorOptions } from "../errors/vega-error.js";
import type { Block } from "../http/block.js";

/** The node responds, but its chain or its own copy of the chain makes no progress: no new block for `stalledAfter`. */
export class StalledError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.StalledError";
  override name = "StalledError" as const;
  /** The newest block that the follower has seen. */
  readonly block: Block;
  /** Milliseconds since the follower first saw that block. */
  readonly stalledFor: number;

  constructor(
    message: string,
    { block, stalledFor, ...options }: VegaErrorOptions & { block: Block; stalledFor: number },
  ) {
    super(message, options);
    this.block = block;
    this.stalledFor = stalledFor;
  }

  override toJSON(): Record<string, unknown> {
    const { block, stalledFor } = this;
    return { ...super.toJSON(), block, stalledFor };
  }
}
