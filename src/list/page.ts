import type { PageInfo, Pagination } from "../../generated/types.js";
import { PaginationError } from "../errors/index.js";
import { type Backward, backward, type Direction, type Edge, type Forward, forward } from "../evidence/page.js";

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

/** A page of a walk that is not fetched yet. */
export interface Step<T, Extra extends object> {
  readonly pagination: Forward | Backward;
  /**
   * Fetches the page, of which `left` records are needed.
   *
   * @param isAlone - Whether the caller wants this page and not the list: what the node does not keep is left out.
   */
  fetch(signal: AbortSignal, left?: number, isAlone?: boolean): Promise<ListPage<T, Extra> & Extra>;
  fetchAlone(): Promise<ListPage<T, Extra> & Extra>;
}

export class ListPage<T, Extra extends object> implements WalkPage<T> {
  readonly nodes: T[];
  readonly edges: Edge<T>[];
  readonly pageInfo: PageInfo | null;
  readonly #step: (direction: Direction) => Step<T, Extra> | undefined;
  readonly #completeFrom: bigint;

  constructor(
    edges: readonly Edge<T>[],
    pageInfo: PageInfo | null,
    step: (direction: Direction) => Step<T, Extra> | undefined,
    completeFrom = 0n,
  ) {
    this.#completeFrom = completeFrom;
    this.edges = edges as Edge<T>[];
    this.nodes = edges.map(({ node }) => node);
    this.pageInfo = pageInfo;
    this.#step = step;
  }

  /** The step to the page after this one in a direction; `undefined` at the end. */
  step(direction: Direction): Step<T, Extra> | undefined {
    return this.#step(direction);
  }

  /** The time from which on the walk is complete, in Unix nanoseconds; 0 if older pages decide it. */
  get completeFrom(): bigint {
    return this.#completeFrom;
  }

  get next(): Forward | undefined {
    return this.#step(forward)?.pagination as Forward | undefined;
  }

  get previous(): Backward | undefined {
    return this.#step(backward)?.pagination as Backward | undefined;
  }

  async nextPage(): Promise<this | undefined> {
    return (await this.#step(forward)?.fetchAlone()) as this | undefined;
  }

  async previousPage(): Promise<this | undefined> {
    return (await this.#step(backward)?.fetchAlone()) as this | undefined;
  }

  toJSON(): object {
    const { nodes, pageInfo } = this;
    // Of what the client adds to a page, the response is not data.
    const { block, stale } = this as { block?: unknown; stale?: unknown };
    const next = unlessUnreachable(() => this.next);
    const previous = unlessUnreachable(() => this.previous);
    return { nodes, pageInfo, next, previous, block, stale };
  }
}

/** Reads the `pagination` of a neighboring page. `pageInfo` still shows a page that no cursor leads to. */
function unlessUnreachable<P extends Pagination>(read: () => P | undefined): P | undefined {
  try {
    return read();
  } catch (error) {
    if (PaginationError.is(error)) return undefined;
    throw error;
  }
}
