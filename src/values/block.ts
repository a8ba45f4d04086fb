import { isDigits } from "./integers.js";
import { withDigits } from "./show.js";
import { microsecondOf, toTime } from "./times.js";

/**
 * The current block of a node: the newest one that it has begun. The records of all blocks before it are there and
 * final; its own can be missing (observed on v0.74 nodes).
 */
export interface Block {
  readonly height: bigint;
  /** Unix nanoseconds. */
  readonly timestamp: bigint;
}

/** Reads the block headers of a response; `undefined` without them. The JSON of a block has digits. */
export function readBlock({ headers }: Pick<Response, "headers">): Block | undefined {
  const height = headers.get("x-block-height") ?? "";
  const timestamp = headers.get("x-block-timestamp") ?? "";
  if (!isDigits(height) || height.startsWith("-") || !isDigits(timestamp)) return undefined;
  return withDigits({ height: BigInt(height), timestamp: BigInt(timestamp) });
}

/**
 * Whether a node has no block yet: it has just started, or waits to be restored. Its block has height 0 and time 0
 * (observed on v0.74 nodes), and its empty pages prove nothing.
 */
export const hasNoBlock = (block: Block | undefined): boolean => block !== undefined && block.timestamp <= 0n;

export const laterOf = (block: Block | undefined, next: Block | undefined): Block | undefined =>
  block && (next === undefined || next.timestamp < block.timestamp) ? block : next;

/**
 * Everything before this time is final, if a response has a block of that time: v0.74 nodes show the records of a block
 * at once when it ends, and keep times in microseconds.
 */
export const finalTime = (blockTime: bigint): bigint => toTime(microsecondOf(blockTime));
