import { brand, isBranded } from "./brand.js";
import { VegaError, type VegaErrorOptions } from "./vega-error.js";

/** Options of a {@link PaginationError}. */
export interface PaginationErrorOptions extends VegaErrorOptions {
  reason: PaginationError["reason"];
  timestamp?: PaginationError["timestamp"];
  availableFrom?: PaginationError["availableFrom"];
}

/** The pages of the node do not lead to all records: a loop cannot continue without repeating itself, or a scan not at all. */
export class PaginationError extends VegaError {
  override name = "PaginationError" as const;
  /**
   * - `"repeated-cursor"`: the node returned a cursor twice.
   * - `"missing-cursor"`: the node reports a further page but returned no cursor for it.
   * - `"too-dense"`: more records share one time than a scan can read.
   * - `"pruned"`: the range begins before the oldest record that the node keeps.
   * - `"gap"`: a follower cannot reach all votes since its position.
   * - `"discontinuity"`: the node of a walk failed, and no other node could continue the walk.
   */
  readonly reason: "repeated-cursor" | "missing-cursor" | "too-dense" | "pruned" | "gap" | "discontinuity";
  /** If `reason` is `"too-dense"`: the time of the records, in Unix nanoseconds. */
  readonly timestamp: `${bigint}` | undefined;
  /**
   * If `reason` is `"pruned"`: the time of the oldest record that the node keeps, in Unix nanoseconds. If it is `"gap"`: the block
   * time from which on all votes are within reach.
   */
  readonly availableFrom: bigint | undefined;

  static {
    brand(PaginationError, "PaginationError");
  }

  constructor(message: string, { reason, timestamp, availableFrom, ...options }: PaginationErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.timestamp = timestamp;
    this.availableFrom = availableFrom;
  }

  override toJSON(): Record<string, unknown> {
    const { reason, timestamp, availableFrom } = this;
    // JSON has no bigint: the time as digits.
    return { ...super.toJSON(), reason, timestamp, availableFrom: availableFrom?.toString() };
  }

  /** Returns whether a value is a {@link PaginationError}. */
  static override is(error: unknown): error is PaginationError {
    return isBranded(error, "PaginationError");
  }
}
