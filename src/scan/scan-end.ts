import type { RangePage } from "./range-page.js";
import type { SegmentReader } from "./segment-reader.js";
import { finalTime } from "./timeline.js";

/**
 * Returns the end of what a scan reads, in Unix nanoseconds.
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
    const final = finalTime(blockTime);
    return end === undefined || end > final ? final : end;
  }
  if (end !== undefined) return end;
  const shown = readers[0]?.order.newestFirst ? edges.at(0) : hasMore ? undefined : edges.at(-1);
  const newest =
    shown && readers.length === 1 ? [shown.node] : await Promise.all(readers.map((reader) => reader.newest()));
  const times = newest.map((record) => (record === undefined ? -1n : BigInt(record.timestamp)));
  return times.reduce((a, b) => (a > b ? a : b)) + 1n;
}
