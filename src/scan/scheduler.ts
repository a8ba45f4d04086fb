import type { BalanceChange } from "../../generated/types.js";
import type { WalkState } from "../list/state.js";
import { isEmpty, lengthOf, type Range } from "./timeline.js";

/** Where a scan could not continue. Everything before was yielded. */
export interface Failure {
  unread: Range;
  error: unknown;
}

/** The next records; a failure once everything before it was returned; `undefined` at the end. */
export type NextRecords = readonly BalanceChange[] | Failure | undefined;

/** A part of the range of a scan, which one walk reads. */
export interface Segment {
  /** The whole range, including the part that was read. */
  range: Range;
  /** The microsecond from which on it is requested: a record before its start shows that nothing is missing there. */
  lead: bigint;
  /** The microsecond up to which it is requested, oldest first: a record from after its end shows the same there. */
  trail: bigint;
  /** The unread range, from the microsecond of the last record on. */
  unread: Range;
  /** The state before its next page. */
  state: WalkState<BalanceChange>;
  /** The records of the last microsecond, of which more can follow. */
  held: BalanceChange[];
  /** The records that wait for the caller. */
  batches: (readonly BalanceChange[])[];
  /** Whether a request for it is in flight. */
  isBusy: boolean;
  /** Records in a microsecond, if known. */
  density: number | undefined;
  /** Set if it cannot be read. */
  failure: Failure | undefined;
}

export interface QueueLoad {
  /** How many requests may be in flight. */
  concurrency: number;
  /** How many records are read before the caller needs them. */
  limit: number;
  /** How many records a full page has. */
  pageSize: number;
  fullPages: number;
  splits: number;
}

/**
 * Chooses what a free request does: it reads the first waiting segment, or, if more requests are free than segments
 * wait, splits the one with the most unread records. `undefined` if another request would gain nothing. A segment that
 * is being read is never split.
 *
 * @param segments - In reading order.
 */
export function nextRequest(
  segments: readonly Segment[],
  { concurrency, limit, pageSize, fullPages, splits }: QueueLoad,
): { segment: Segment; length?: bigint } | undefined {
  const free = concurrency - segments.filter(({ isBusy }) => isBusy).length;
  let ahead = 0;
  const waiting: { segment: Segment; needed: number }[] = [];
  for (const segment of segments) {
    const { unread, batches, isBusy, density = 0, failure } = segment;
    ahead += batches.reduce((count, { length }) => count + length, 0);
    if (failure || isEmpty(unread)) continue;
    const estimate = density * lengthOf(unread);
    if (isBusy) ahead += Math.max(estimate, pageSize);
    else {
      if (ahead < limit) waiting.push({ segment, needed: Math.min(estimate, limit - ahead) });
      ahead += estimate;
    }
  }
  const [first, ...others] = waiting;
  if (!first || free < 1) return undefined;
  const largest = others.reduce((most, each) => (each.needed > most.needed ? each : most), first);
  // A split costs one request more, for a page that is not full. One for three full pages is acceptable.
  const affordable = Math.min(fullPages, Math.floor((fullPages + Math.min(ahead, limit) / pageSize) / 3));
  const isWorthIt = largest.needed >= 4 * pageSize && lengthOf(largest.segment.unread) > 1 && splits < affordable;
  if (waiting.length >= free || !isWorthIt) return first;
  return { segment: largest.segment, length: lengthOfFirst(largest, pageSize, free - waiting.length + 1) };
}

/** The length of one of several equal parts of the needed records, in whole pages. */
function lengthOfFirst(
  { segment, needed }: { segment: Segment; needed: number },
  pageSize: number,
  parts: number,
): bigint {
  const records = pageSize * Math.ceil(Math.max(2, needed / pageSize / parts));
  return BigInt(Math.max(1, Math.floor(records / (segment.density ?? 1))));
}
