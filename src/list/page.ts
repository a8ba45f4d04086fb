import type { PageInfo } from "../../generated/types.js";
import type { Backward, Edge, Forward } from "../evidence/page.js";
import type { NodeExtra } from "../http/call.js";

/** A page of a list, in the list's order, in whichever direction it was read. */
export interface WalkPage<T> {
  /** The records, without those of earlier pages of the same walk. */
  readonly nodes: T[];
  /** The records with their cursors. */
  readonly edges: Edge<T>[];
  /** The page's place in its list. `null`, as the source sent it, is an end. */
  readonly pageInfo: PageInfo | null;
  /**
   * The `pagination` of the next page as plain data, for another process or a later time; `undefined` if there is none.
   * No record is lost between the two pages, but the next one may repeat records of this one.
   *
   * @throws {@link PaginationError} if there is a next page that no cursor leads to.
   * @example
   * ```ts
   * const page = await client.listVotes({ proposalId });
   * const next = page.next && (await client.listVotes({ proposalId, pagination: page.next }));
   * ```
   */
  readonly next: Forward | undefined;
  /**
   * The `pagination` of the previous page as plain data; `undefined` if there is none. See {@link WalkPage.next}.
   *
   * @throws {@link PaginationError} if there is a previous page that no cursor leads to.
   */
  readonly previous: Backward | undefined;
  /**
   * Fetches the next page; `undefined` if there is none. A chain of these calls is a walk: records of earlier pages of the
   * chain are left out.
   *
   * @throws {@link PaginationError} if there is a next page that no cursor leads to.
   */
  nextPage(): Promise<this | undefined>;
  /**
   * Fetches the previous page; `undefined` if there is none. See {@link WalkPage.nextPage}.
   *
   * @throws {@link PaginationError} if there is a previous page that no cursor leads to.
   */
  previousPage(): Promise<this | undefined>;
}

/** A page of a list of a node, with its response. */
export interface Page<T> extends WalkPage<T>, NodeExtra {}
