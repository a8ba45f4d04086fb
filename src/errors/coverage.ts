/** What a scan or a loop over a listing has read: every record from `start` to `end`, in Unix nanoseconds. The end does not belong to it. */
export interface Coverage {
  /**
   * The time from which on no record is missing. It is later than the start of the range if the responses do not show more: a node that
   * keeps a part of the history does not return the rest, and a list whose first record is later does not show that nothing is missing.
   */
  readonly start: bigint;
  /** `undefined` if a response came without block headers, so that nothing shows how far the node had come. */
  readonly end: bigint | undefined;
  /** The newest block of the responses; `undefined` if they had no block headers. */
  readonly block: { readonly height: bigint; readonly timestamp: bigint } | undefined;
}
