import { abortSignal, boolean, itemLimit, type OptionChecks, withDefaults } from "../arguments/check-options.js";

/** Options of a walk. */
export interface WalkOptions {
  /**
   * The maximum number of records to read. The last request asks for no more than are left, unless its page repeats
   * records of the one before. Default: `Infinity`.
   *
   * @example
   * ```ts
   * const votes = await client.listVotes({ partyId }, { maxItems: 500 }).toArray();
   * ```
   */
  maxItems?: number | undefined;
  /**
   * Whether the next page is fetched while the caller works on the current one, from the second page on and never more
   * than one page in advance. Default: `true`.
   */
  readAhead?: boolean | undefined;
  /** Ends the walk and the request in flight: a call that waits for a record rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export const walkChecks: OptionChecks<WalkOptions> = {
  maxItems: itemLimit,
  readAhead: boolean,
  signal: abortSignal,
};

export const readWalkOptions = (options: WalkOptions = {}) => ({
  ...withDefaults({ maxItems: Number.POSITIVE_INFINITY, readAhead: true }, options),
  signal: options.signal,
});

export type WalkSettings = ReturnType<typeof readWalkOptions>;
