import { dataNodeError, type NodeError } from "../errors.js";

/** A range of times in Unix nanoseconds. */
export interface DateRange {
  start: bigint | undefined;
  end: bigint | undefined;
}

/** No time of a range can be before this one, which an open start stands for. */
const earliest = BigInt(Date.UTC(2020, 0, 1)) * 1_000_000n;
const longest = 365n * 86_400n * 1_000_000_000n;

/**
 * Checks a range as v0.79 nodes do, in their order and to the nanosecond.
 *
 * @param isRequired - Whether a range without both ends is an error.
 * @param now - The node's clock, in milliseconds: the time that an open end stands for.
 * @throws {@link NodeError} with status 400.
 */
export function checkDateRange({ start, end }: DateRange, isRequired: boolean, now: () => number): void {
  if (start === undefined && end === undefined) {
    if (isRequired) throw invalidRange("date range is required");
    return;
  }
  if ([start, end].some((time) => time !== undefined && time < earliest)) {
    throw invalidRange("date range start must be after 2020-01-01");
  }
  if (start !== undefined && end !== undefined && start > end)
    throw invalidRange("date range start must be before end");
  const until = end ?? BigInt(Math.floor(now())) * 1_000_000n;
  if (until - (start ?? earliest) > longest) throw invalidRange("date range is too long");
}

const invalidRange = (inner: string): NodeError =>
  dataNodeError(3, { code: 10000, message: "invalid date range", inner });
