import { VegaError, type VegaErrorOptions } from "./vega-error.js";

/** Options of a {@link PaginationError}. */
export interface PaginationErrorOptions extends VegaErrorOptions {
  reason: PaginationError["reason"];
  timestamp?: PaginationError["timestamp"];
  availableFrom?: PaginationError["availableFrom"];
  block?: PaginationError["block"];
}

/** The pages of the node do not lead to all records, or do not show that they do. */
export class PaginationError extends VegaError {
  protected static override readonly brand: string = "vegaprotocol-client.PaginationError";
  override name = "PaginationError" as const;
  /**
   * - `"repeated-cursor"`: the node returned a cursor twice.
   * - `"missing-cursor"`: the node reports a further page but returned no cursor for it.
   * - `"too-dense"`: more records share one time than a scan can read.
   * - `"pruned"`: the range begins before the oldest record that the node keeps.
   * - `"behind"`: the node has not reached the end of what is read, or is behind the node of an earlier page.
   * - `"gap"`: no response shows the records that follow those before, as of a follower that cannot reach all votes since its position.
   */
  readonly reason: "repeated-cursor" | "missing-cursor" | "too-dense" | "pruned" | "behind" | "gap";
  /** If `reason` is `"too-dense"`: the time of the records, in Unix nanoseconds. */
  readonly timestamp: `${bigint}` | undefined;
  /**
   * If `reason` is `"pruned"`: the time of the oldest record that the node keeps, in Unix nanoseconds. If it is `"gap"`: the block
   * time from which on all votes are within reach.
   */
  readonly availableFrom: bigint | undefined;
  /** If `reason` is `"behind"`: the block that the node has reached; `undefined` if it names none. */
  readonly block: { readonly height: bigint; readonly timestamp: bigint } | undefined;

  constructor(message: string, { reason, timestamp, availableFrom, block, ...options }: PaginationErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.timestamp = timestamp;
    this.availableFrom = availableFrom;
    this.block = block;
  }

  override toJSON(): Record<string, unknown> {
    const { reason, timestamp, availableFrom, block } = this;
    // JSON has no bigint: times and heights as digits.
    const reached = block && { height: `${block.height}`, timestamp: `${block.timestamp}` };
    return { ...super.toJSON(), reason, timestamp, availableFrom: availableFrom?.toString(), block: reached };
  }
}
