import type { RangePage } from "./range-page.js";
import type { SegmentReader } from "./segment-reader.js";
import { microsecondOf, toTime } from "./timeline.js";

/**
 * Returns the end of what a scan reads, in Unix nanoseconds. Everything before the microsecond of the block that had begun
 * is final: v0.74 nodes show the records of a block at once when it ends.
 *
 * @param end - The end that the caller wants. Default: all that is final.
 * @param firstPage - The first page of the first reader.
 */
export async function findEnd(
  end: bigint | undefined,
  { blockTime, edges, hasMore }: RangePage,
  readers: readonly SegmentReader[],
): Promise<bigint> {
  if (blockTime !== undefined) {
    const begun = toTime(microsecondOf(blockTime));
    return end === undefined || end > begun ? begun : end;
  }
  if (end !== undefined) return end;
  const shown = readers[0]?.order.newestFirst ? edges.at(0) : hasMore ? undefined : edges.at(-1);
  const newest =
    shown && readers.length === 1 ? [shown.node] : await Promise.all(readers.map((reader) => reader.newest()));
  const times = newest.map((record) => (record === undefined ? -1n : BigInt(record.timestamp)));
  return times.reduce((a, b) => (a > b ? a : b)) + 1n;
}
