import type { Block } from "../http/block.js";

/** What a scan has read: every record from `start` to `end`, in Unix nanoseconds. The end does not belong to it. */
export interface Coverage {
  /** `undefined` if it begins with the oldest record that the node keeps. */
  readonly start: bigint | undefined;
  /** `undefined` if no response named a block, so that nothing shows how far the node had come. */
  readonly end: bigint | undefined;
  /** The newest block that a response named. */
  readonly block: Block | undefined;
}
