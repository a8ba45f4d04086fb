import type { Backward, Forward } from "../../generated/client.js";
import type { PageInfo } from "../../generated/types.js";
import type { Page } from "../client/listing.js";
import { unlessUnreachable } from "../list/page.js";

/** A page of a list as JSON. */
export interface PageData<T> {
  /** The records. */
  nodes: T[];
  /** The page's place in its list. */
  pageInfo: PageInfo | null;
  /** The `pagination` of the next page. Absent if there is none, or if no cursor leads to it. */
  next?: Forward;
  /** The `pagination` of the previous page. Absent if there is none, or if no cursor leads to it. */
  previous?: Backward;
  /** The current block when the node responded, in digits. Absent if the node does not say. */
  block?: { height: `${bigint}`; timestamp: `${bigint}` };
  /** Whether the page may be out of date, because no node of a pool gave a fresh one. */
  stale: boolean;
}

/** Returns a page as JSON. */
export function toPageData<T>(page: Page<T>): PageData<T> {
  const { nodes, pageInfo, block, stale } = page;
  const next = unlessUnreachable(() => page.next);
  const previous = unlessUnreachable(() => page.previous);
  return {
    nodes,
    pageInfo,
    ...(next && { next }),
    ...(previous && { previous }),
    ...(block && { block: { height: `${block.height}`, timestamp: `${block.timestamp}` } }),
    stale,
  };
}
