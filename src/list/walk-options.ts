import { abortSignal, boolean, type OptionChecks, positiveInteger } from "../arguments/check-options.js";

/** Options of a walk. */
export interface WalkOptions {
  /**
   * How many records to read at most. The last request asks for no more than are left, unless its page repeats records of
   * the one before.
   *
   * @default Infinity
   * @example
   * ```ts
   * const votes = await client.listVotes({ partyId }, { maxItems: 500 }).toArray();
   * ```
   */
  maxItems?: number | undefined;
  /**
   * Whether the next page is fetched while the caller works on the current one, from the second page on and never more
   * than one page in advance.
   *
   * @default true
   */
  readAhead?: boolean | undefined;
  /** Ends the walk and the request in flight: a call that waits for a record rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export const walkChecks: OptionChecks<WalkOptions> = {
  maxItems: positiveInteger,
  readAhead: boolean,
  signal: abortSignal,
};

/** The checked options of a walk, with all defaults. */
export interface WalkSettings {
  maxItems: number;
  readAhead: boolean;
  signal: AbortSignal | undefined;
}

/** Adds the defaults to checked options. */
export const readWalkOptions = ({ maxItems, readAhead, signal }: WalkOptions = {}): WalkSettings => ({
  maxItems: maxItems ?? Number.POSITIVE_INFINITY,
  readAhead: readAhead ?? true,
  signal,
});
