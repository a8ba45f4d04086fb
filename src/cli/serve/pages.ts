import { operations } from "../../../generated/operations.js";
import type { Operation } from "../../arguments/operation.js";
import type { Page } from "../../pagination/listing.js";
import { nanosecondsOf } from "../../source/block-cursor.js";
import { readByBlocks } from "./blocks.js";
import { encodeCursor } from "./cursors.js";
import {
  assemble,
  inDirection,
  isDescending,
  type PageRequest,
  paginationOf,
  type Row,
  type ServedPage,
} from "./lists.js";
import { readWhole } from "./whole-lists.js";

/** Rows this much older than the block of a node, in nanoseconds, are final, also if a node names a block too early. */
const finalAfter = 10_000_000_000n;

/** Reads a page whose cursors lead to the rest of the list, also on nodes whose own cursors do not. */
export async function readPage(request: PageRequest): Promise<ServedPage> {
  const { cursors, range } = operations[request.id] as Operation & {
    cursors?: { rejectedWith?: number; missingMember?: object; timeMember?: string };
  };
  if (cursors?.rejectedWith !== undefined) return readWhole(request);
  const isByBlock = cursors?.timeMember !== undefined && cursors.missingMember === undefined;
  return (isByBlock ? await readByBlocks(request) : undefined) ?? readWalk(request, range !== undefined);
}

/** As the client walks the list. Its `page.next` holds all that is needed to continue. */
async function readWalk(request: PageRequest, isFinalBehindBlock: boolean): Promise<ServedPage> {
  const { id, size, isBackward, cursor } = request;
  const from = cursor && ((isBackward ? cursor.before : cursor.after) ?? cursor.own);
  const pages: Page<Row>[] = [];
  for await (const page of request.open(paginationOf(request, size, from), { maxItems: size }).pages())
    pages.push(page);
  const [first, last] = [pages[0] as Page<Row>, pages.at(-1) as Page<Row>];
  const edges = pages.flatMap((page) => inDirection(page.edges, request));
  const next = isBackward ? last.previous?.before : last.next?.after;
  const hasEarlier = (isBackward ? first.pageInfo?.hasNextPage : first.pageInfo?.hasPreviousPage) ?? false;
  // No cursor leads back from a page without records.
  const previous = edges.length === 0 ? undefined : isBackward ? first.next?.after : first.previous?.before;
  // Older rows than those of a block do not change: any node that is past the cursor has them, which the client makes sure of.
  const isSettled = isFinalBehindBlock && isDescending(request);
  const block = isSettled ? undefined : (cursor?.block ?? first.block?.height.toString());
  const [head, tail] = isBackward ? (["after", "before"] as const) : (["before", "after"] as const);
  const marked = edges.map((edge, index) => {
    const isFirst = index === 0;
    const isLast = index === edges.length - 1;
    if (!isFirst && !isLast) return edge;
    const places = { ...(isFirst && { [head]: previous }), ...(isLast && { [tail]: next }) };
    return { node: edge.node, cursor: encodeCursor({ list: id, own: edge.cursor, ...places, block }) };
  });
  const hasMore = next !== undefined;
  return assemble(request, marked, {
    hasMore,
    hasEarlier,
    source: first,
    isFinal: isFinalBehindBlock && isFinal(request, first, edges.at(-1)?.node, hasMore),
  });
}

/** Whether no row can join the page any more. */
function isFinal(request: PageRequest, { block, stale }: Page<Row>, last: Row | undefined, hasMore: boolean): boolean {
  if (block === undefined || stale) return false;
  const settled = block.timestamp - finalAfter;
  if (request.end !== undefined && request.end <= settled) return true;
  if (isDescending(request)) {
    const place = request.cursor && nanosecondsOf(request.cursor.own);
    return place !== undefined && place < settled;
  }
  return hasMore && last !== undefined && BigInt(String(last["timestamp"])) < settled;
}
