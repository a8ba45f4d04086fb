import { operations } from "../../../generated/operations.js";
import { ApiError } from "../../errors/index.js";
import type { Page } from "../../pagination/listing.js";
import { largestPage } from "../../pagination/repair/continuation.js";
import { keyBy } from "../../values/natural-key.js";
import { encodeCursor, type GatewayCursor } from "./cursors.js";
import { assemble, inDirection, type PageRequest, type Row, type RowEdge, type ServedPage } from "./lists.js";
import { Rejection } from "./replies.js";

/**
 * A page of a list of which nodes show only the first page from either end (observed on v0.74 nodes): both are read, and the page is cut
 * from them.
 */
export async function readWhole(request: PageRequest): Promise<ServedPage> {
  const { id, cursor, size } = request;
  const { source, edges: found } = await readEnds(request);
  const keyOf = keyBy<Row>(operations[id].naturalKey);
  const list = inDirection(found, request);
  const start = cursor === undefined ? 0 : list.findIndex((edge) => isAt(edge, cursor, keyOf)) + 1;
  if (cursor !== undefined && start === 0) {
    throw new Rejection(3, `Expected a cursor of ${id} with this filter, got one that names none of its records.`);
  }
  const block = cursor?.block ?? source.block?.height.toString();
  const edges = list.slice(start, start + size).map(({ node, cursor: own }) => ({
    node,
    cursor: encodeCursor({ list: id, own, key: keyOf(node), block }),
  }));
  return assemble(request, edges, { hasMore: start + size < list.length, hasEarlier: start > 0, source });
}

const isAt = ({ node, cursor }: RowEdge, { key, own }: GatewayCursor, keyOf: (record: Row) => string) =>
  key === undefined ? cursor === own : keyOf(node) === key;

/** All edges in the order of the list. */
async function readEnds({
  id,
  newestFirst,
  open,
}: PageRequest): Promise<{ source: Page<Row>; edges: readonly RowEdge[] }> {
  const source = await open({ first: largestPage, newestFirst });
  if (!source.pageInfo?.hasNextPage) return { source, edges: source.edges };
  const keyOf = keyBy<Row>(operations[id].naturalKey);
  const known = new Set(source.nodes.map(keyOf));
  const end = await open({ first: largestPage, newestFirst: !newestFirst });
  const rest = end.edges.filter(({ node }) => !known.has(keyOf(node)));
  // What both pages show is all there is. So it is if the other end has one page.
  if (rest.length < end.edges.length || !end.pageInfo?.hasNextPage) {
    return { source, edges: [...source.edges, ...rest.reverse()] };
  }
  return { source, edges: await walk(source) };
}

/** The edges of all pages, on nodes whose cursors work. */
async function walk(first: Page<Row>): Promise<readonly RowEdge[]> {
  const edges: RowEdge[] = [];
  try {
    for (let page: Page<Row> | undefined = first; page; page = await page.nextPage()) edges.push(...page.edges);
    return edges;
  } catch (error) {
    if (!ApiError.is(error) || error.status !== 500) throw error;
    const message = `The list has more than ${2 * largestPage} records, of which nodes show those at its ends. Request them by their ids.`;
    throw new Rejection(15, message);
  }
}
