import type { Page } from "vegaprotocol-client";
import { blockTimeOf } from "./cursors.js";
import { Rejection } from "./errors.js";
import type { PageReading, PageRequest, Row, RowEdge } from "./request.js";
import { inDirection, keyOf, largestPage } from "./request.js";

/** The place of a record in the list: the time of its block, and its key among the records of the block. */
type Place = { readonly time: bigint; readonly key: string };
type PlacedEdge = RowEdge & Place;

/**
 * A page of a list whose cursors name a block, and not a record of it (observed on v0.74 nodes). Whole blocks are read, from a block
 * before that of the cursor, and their records are sorted by their key, so that a place in a block is the same on all nodes.
 *
 * @returns `undefined` if the cursors of the node have another form.
 */
export async function readByBlocks(request: PageRequest): Promise<PageReading | undefined> {
  const { id, size, cursor, isBackward, newestFirst } = request;
  const time = cursor && blockTimeOf(cursor.own);
  if (cursor !== undefined && time === undefined) return undefined;
  if (cursor !== undefined && cursor.key === undefined) {
    throw new Rejection(3, "Expected a cursor of the gateway: that of a node names a block, and not a record of it.");
  }
  const at = time === undefined ? undefined : { time, key: cursor?.key ?? "" };
  const [timeSign, keySign] = [isBackward === newestFirst ? 1 : -1, isBackward ? -1 : 1];
  const compare = (a: Place, b: Place) =>
    a.time === b.time ? keySign * (a.key < b.key ? -1 : Number(a.key > b.key)) : timeSign * (a.time < b.time ? -1 : 1);
  const guard = isBackward ? cursor?.before : cursor?.after;
  // Most pages are within a small page of a node. If what came before the cursor has moved, the list is read from its start.
  const small = Math.min(size + 100, largestPage);
  for (const [pageSize, from] of [[small, guard] as const, [largestPage, guard] as const, [largestPage] as const]) {
    const read: PlacedEdge[] = [];
    const pages: Page<Row>[] = [];
    for await (const page of request.open(request.place(pageSize, from)).pages()) {
      for (const edge of inDirection(page.edges, request)) {
        const edgeTime = blockTimeOf(edge.cursor);
        if (edgeTime === undefined) return undefined;
        read.push({ ...edge, time: edgeTime, key: keyOf(id, edge.node) });
      }
      // The node leaves out the first record of the block that it is asked from: the page must begin before the cursor's block.
      const lead = at && read[0] ? timeSign * Number(at.time - read[0].time) : 0;
      if (pages.length === 0 && from !== undefined && lead <= 0) break;
      pages.push(page);
      const isAtEnd = !(isBackward ? page.pageInfo?.hasPreviousPage : page.pageInfo?.hasNextPage);
      read.sort(compare);
      // Further records of the last block can follow.
      const complete = isAtEnd ? read : read.filter((edge) => edge.time !== read.at(-1)?.time);
      const behind = at ? complete.filter((edge) => compare(edge, at) > 0) : complete;
      if (isAtEnd || behind.length >= size) {
        const edges = withPlaces(behind.slice(0, size), read, { from, isBackward });
        return { edges, hasMore: behind.length > size || !isAtEnd, hasEarlier: cursor !== undefined, pages };
      }
      if (pageSize < largestPage) break;
    }
  }
  throw new Rejection(13, `Expected pages of ${id} up to the cursor.`);
}

/** Adds what a node is asked for to continue after each record, and before it. */
function withPlaces(edges: PlacedEdge[], read: PlacedEdge[], at: { from: string | undefined; isBackward: boolean }) {
  const blocks = new Map<bigint, { start: number; end: number }>();
  for (const [index, { time }] of read.entries()) {
    blocks.set(time, { start: blocks.get(time)?.start ?? index, end: index });
  }
  return edges.map(({ node, cursor, time, key }) => {
    const { start, end } = blocks.get(time) ?? { start: 0, end: 0 };
    // Two records away, so that the node shows one of them if it leaves out the other.
    const earlier = read[start - 2]?.cursor ?? at.from;
    const later = (read[end + 2] ?? read[end + 1])?.cursor;
    const [before, after] = at.isBackward ? [earlier, later] : [later, earlier];
    return { node, cursor, key, before, after };
  });
}
