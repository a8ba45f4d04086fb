import type { PageInfo, Pagination } from "../../generated/types.js";
import type { Block } from "../http/block.js";
import type { Demand } from "../http/demand.js";
import { isDigits } from "../values/digits.js";

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

/** The time of a record in Unix nanoseconds; `undefined` if it has none. */
export function timeOf(edge: PageContent<unknown>["edges"][number] | undefined): bigint | undefined {
  const { timestamp } = (edge?.node ?? {}) as { timestamp?: unknown };
  return isDigits(timestamp) ? BigInt(timestamp) : undefined;
}

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

/** A page that decides how far back a reading is complete. */
export interface OldestPage<T> extends NodePage<T> {
  /** The time from which on no record is missing, in Unix nanoseconds; 0 if older pages follow. */
  completeFrom: bigint;
  /** Set if records between the start and that time are missing, as far as is known: the time of the oldest record that is there. */
  availableFrom: bigint | undefined;
}

/** Reads the pages of a list. */
export interface ListReader<T> {
  /** Reads a page that continues what was read. */
  read: ReadList<T>;
  /**
   * Reads a page that decides how far back the reading is complete: the first one in ascending order, any one in descending order.
   *
   * @param options.lead - How much earlier than the range the request begins, in nanoseconds.
   * @param options.takesWhatIsLeft - Whether a page is taken as it is that does not show the history from the start on.
   * @param options.isProbe - Whether another page decides, which is not requested yet.
   */
  readOldest(
    request: ListRequest,
    signal: AbortSignal,
    demand?: Demand<PageContent<T>>,
    options?: { lead?: bigint; takesWhatIsLeft?: boolean; isProbe?: boolean },
  ): Promise<OldestPage<T>>;
}

/** The envelope of a page, if it is one: without edges or without `pageInfo`, a walk would end too early. */
export const readEnvelope = <T>(envelope: PageContent<T> | null | undefined): PageContent<T> | undefined =>
  Array.isArray(envelope?.edges) && envelope.pageInfo !== undefined ? envelope : undefined;

/** Of the blocks that several responses name, a page names the earliest: only the records before it are final in all of them. */
export function ofEarlierBlock(a: NodeExtra, b: NodeExtra): NodeExtra {
  const isEarlier = a.block === undefined || (b.block !== undefined && a.block.timestamp <= b.block.timestamp);
  return { ...(isEarlier ? a : b), stale: a.stale || b.stale };
}
