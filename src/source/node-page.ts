import type { PageInfo, Pagination } from "../../generated/types.js";
import type { Block } from "../http/block.js";
import type { Demand } from "../http/demand.js";

/** A record and its place in the list. */
export interface Edge<T> {
  /** The record's place in the list, as the node sent it. Opaque. */
  cursor: string;
  /** The record. */
  node: T;
}

/** A page as it is fetched. An edge without a record is left out. */
export interface PageContent<T> {
  edges: readonly ({ cursor: string; node: T | null } | null)[];
  pageInfo: PageInfo | null;
}

export const hasRecord = <T>(edge: PageContent<T>["edges"][number]): edge is Edge<T> => edge?.node != null;

/** What the page of a node has beside its content. */
export interface NodeExtra {
  block: Block | undefined;
  response: Response;
  stale: boolean;
}

/** A page as a node sent it. */
export interface NodePage<T> extends PageContent<T> {
  extra: NodeExtra;
  /** The address of the node, if the client has several. */
  node?: string | undefined;
}

/** A request for one page. Times are Unix nanoseconds; the start belongs to the range, the end does not. */
export interface ListRequest {
  pagination: Pagination;
  start?: bigint | undefined;
  end?: bigint | undefined;
}

/**
 * Reads one page that shows what is demanded.
 *
 * @throws {@link NotShown} if none does.
 */
export type ReadList<T> = (
  request: ListRequest,
  signal: AbortSignal,
  demand?: Demand<PageContent<T>>,
) => Promise<NodePage<T>>;

/** The envelope of a page, if it is one: without edges or without `pageInfo`, a walk would end too early. */
export const readEnvelope = <T>(envelope: PageContent<T> | null | undefined): PageContent<T> | undefined =>
  Array.isArray(envelope?.edges) && envelope.pageInfo !== undefined ? envelope : undefined;

/** Of the blocks that several responses name, a page names the earliest: only the records before it are final in all of them. */
export function ofEarlierBlock(a: NodeExtra, b: NodeExtra): NodeExtra {
  const isEarlier = a.block === undefined || (b.block !== undefined && a.block.timestamp <= b.block.timestamp);
  return { ...(isEarlier ? a : b), stale: a.stale || b.stale };
}
