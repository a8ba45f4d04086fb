import { isDigits } from "../values/digits.js";
import { withDigits } from "../values/json.js";

/**
 * The current block of a node: the newest one that it has begun. The records of all blocks before it are there and final; its own
 * can be missing (observed on v0.74 nodes).
 */
export interface Block {
  height: bigint;
  /** Unix nanoseconds. */
  timestamp: bigint;
}

/** Returns the block that a response names; `undefined` if it names none. Its JSON has digits. */
export function readBlock({ headers }: Pick<Response, "headers">): Block | undefined {
  const height = headers.get("x-block-height") ?? "";
  const timestamp = headers.get("x-block-timestamp") ?? "";
  if (!isDigits(height) || height.startsWith("-") || !isDigits(timestamp)) return undefined;
  return withDigits({ height: BigInt(height), timestamp: BigInt(timestamp) });
}
