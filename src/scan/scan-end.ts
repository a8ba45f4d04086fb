import { maximum } from "../values/integers.js";
import { finalTime } from "../values/microseconds.js";
import type { RangePage } from "./range-page.js";
import type { SegmentReader } from "./segment-reader.js";

/**
 * Returns the end of what a scan without an end reads, in Unix nanoseconds: all that is final, or if the node names no block, what
 * is there.
 *
 * @param first - The first page of the first reader.
 */
export async function findEnd(first: RangePage | undefined, readers: readonly SegmentReader[]): Promise<bigint> {
  if (first?.block) return finalTime(first.block.timestamp);
  const { edges = [], hasMore = true } = first ?? {};
  const shown = readers[0]?.order.newestFirst ? edges.at(0) : hasMore ? undefined : edges.at(-1);
  const newest =
    shown && readers.length === 1 ? [shown.node] : await Promise.all(readers.map((reader) => reader.newest()));
  const times = newest.map((record) => (record === undefined ? -1n : BigInt(record.timestamp)));
  return times.reduce(maximum) + 1n;
}
