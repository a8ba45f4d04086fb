import type { Answer } from "../http/call.js";
import type { EvidenceKind, Expectation, KnownRecord, PlaceInList } from "../http/expectation.js";
import { hasNoBlock } from "../values/block.js";
import { nanosecondsOf } from "./cursors.js";
import { directionOf, inWalkOrder, isDescending, oldestTime, type ReceivedPage } from "./page.js";

/**
 * Returns the missing evidence of a response; `undefined` if it can be used. It decides for one address and for a pool
 * alike.
 *
 * @param sendsBlocks - Whether earlier responses had block headers, of this node or of another one of the pool.
 */
export function judge(
  { minBlock = 0n, minBlockAtEnd = 0n, needsBlock, continuesFrom, includes, historyFrom }: Expectation,
  { block, data }: Pick<Answer<unknown>, "data" | "block">,
  sendsBlocks: boolean,
): EvidenceKind | undefined {
  if (block && block.timestamp < minBlock) return "block";
  // A node that waits for its first block has no records yet, whatever it keeps later.
  if (hasNoBlock(block)) return "block";
  // Only pages of lists are expected to show more.
  const page = data as ReceivedPage<unknown>;
  if (block && block.timestamp < minBlockAtEnd && !hasMore(page)) return "block";
  if (continuesFrom && !isContinued(page, continuesFrom)) return "place";
  // The next page can have it.
  if (includes && !hasMore(page) && !page.edges.some((edge) => isSame(includes, edge.node))) return "place";
  if (!block && sendsBlocks && needsBlock) return "block";
  return historyFrom !== undefined && completeFrom(page) > historyFrom ? "history" : undefined;
}

/**
 * The time from which on no record of the list is missing before the oldest one of a page, in Unix nanoseconds; 0 if
 * older pages follow, which decide it. A page without records proves nothing.
 */
export function completeFrom(page: ReceivedPage<unknown>): bigint {
  const { pagination } = page.request;
  return isDescending(pagination) && hasMore(page) ? 0n : oldestTime(page.edges, pagination);
}

/** The records of a page that follow a place; `undefined` if the page does not continue there. */
export function edgesAfter<T extends { node: unknown; cursor: string }>(
  edges: readonly T[],
  place: PlaceInList,
): readonly T[] | undefined {
  if ("from" in place) {
    const { from, to } = place;
    const time = nanosecondsOf(edges[0]?.cursor ?? "");
    const isBetween = time !== undefined && (from < to ? time >= from && time < to : time <= from && time > to);
    return isBetween ? edges : undefined;
  }
  const { records, most = edges.length } = place;
  const isKnown = (node: unknown) => records.some((record) => isSame(record, node));
  const index = edges.slice(0, most + 1).findIndex(({ node }) => isKnown(node));
  return index < 0 ? undefined : edges.slice(index + 1);
}

const isContinued = (page: ReceivedPage<unknown>, place: PlaceInList) =>
  edgesAfter(inWalkOrder(page.edges, directionOf(page.request.pagination)), place) !== undefined;

/** Compares the members that are known. */
export function isSame(known: KnownRecord, record: unknown): boolean {
  for (const name in known) if ((record as Record<string, unknown>)[name] !== known[name]) return false;
  return true;
}

/** Whether more records follow, as far as the node says. */
const hasMore = ({ pageInfo, request: { pagination } }: ReceivedPage<unknown>): boolean =>
  pageInfo?.[directionOf(pagination).more] ?? false;
