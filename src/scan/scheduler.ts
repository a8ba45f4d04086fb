import type { BalanceChange } from "../../generated/types.js";
import type { Position } from "../list/position.js";
import { isEmpty, lengthOf, type Range } from "./timeline.js";

/** Where a scan could not continue. What comes before was yielded. */
export interface Failure {
  /** What was not read. */
  unread: Range;
  error: unknown;
}

/** A part of the range of a scan, which one walk reads. */
export interface Segment {
  /** All of it, what was read included. */
  range: Range;
  /** What is not read yet, from the microsecond of the last record on. */
  unread: Range;
  /** Where its next page begins. */
  position: Position<BalanceChange>;
  /** The records of the last microsecond, of which more can follow. */
  held: BalanceChange[];
  batches: (readonly BalanceChange[])[];
  /** How many of its records wait for the caller. */
  buffered: number;
  /** Whether a request for it is in flight. */
  isBusy: boolean;
  /** Records in a microsecond, if known. */
  density: number | undefined;
  /** Set if it cannot be read. */
  failure: Failure | undefined;
}

export interface QueueLoad {
  /** How many records are read before the caller needs them. */
  limit: number;
  /** How many records a full page has. */
  pageSize: number;
  /** How many full pages were read. */
  fullPages: number;
  /** How many splits were made. */
  splits: number;
}

/**
 * What to request next: the first segment that no request reads, else what follows a length of the one with the most unread records.
 * `undefined` if another request would gain nothing.
 *
 * @param segments - In reading order.
 */
export function decide(
  segments: readonly Segment[],
  { limit, pageSize, fullPages, splits }: QueueLoad,
): { segment: Segment; length?: bigint } | undefined {
  let ahead = 0;
  let largest: { segment: Segment; needed: number; estimate: number } | undefined;
  for (const segment of segments) {
    const { unread, buffered, isBusy, density = 0, failure } = segment;
    ahead += buffered;
    if (failure || isEmpty(unread)) continue;
    if (!isBusy && ahead < limit) return { segment };
    if (isBusy) ahead += pageSize;
    const estimate = Math.max(0, density * lengthOf(unread) - (isBusy ? pageSize : 0));
    const needed = Math.max(0, Math.min(estimate, limit - ahead));
    if (isBusy && lengthOf(unread) > 1 && needed > (largest?.needed ?? 0)) largest = { segment, needed, estimate };
    ahead += estimate;
  }
  // A split costs one request more, for a page that is not full. One in four full pages is a price worth paying.
  const affordable = Math.max(Math.min(1, fullPages), Math.floor(fullPages / 4));
  if (largest === undefined || largest.needed < 2 * pageSize || splits >= affordable) return undefined;
  const { segment, needed, estimate } = largest;
  return { segment, length: lengthOfFirst(segment, pageSize, needed / 2 / estimate) };
}

/** The length of what the request in flight may still return, and of a share of what follows, in whole pages. */
function lengthOfFirst({ unread, density = 1 }: Segment, pageSize: number, share: number): bigint {
  // A page begins with a record of the one before.
  const page = Math.max(1, pageSize - 1) / density;
  const pages = Math.ceil(1 + (lengthOf(unread) / page - 1) * share);
  // The request in flight may be for the first microsecond alone.
  return BigInt(Math.max(1, Math.floor(pages * page)));
}
