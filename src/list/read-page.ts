import type { PageInfo } from "../../generated/types.js";
import { within } from "../async/abort.js";
import { unlessThrown } from "../errors/index.js";
import type { Block } from "../values/block.js";
import { advance, cursorAt, endAgain, paginationAt, startAgain } from "./advance.js";
import { anchorsOf } from "./anchors.js";
import { fetchByAnchor, gapOrPruned, type PageOptions } from "./fetch-page.js";
import { edgesAfter } from "./judge.js";
import {
  type BackwardPagination,
  backward,
  type Direction,
  type Edge,
  type ForwardPagination,
  forward,
  inWalkOrder,
  isDescending,
  type NodePage,
  notLater,
  type Page,
} from "./page.js";
import type { WalkPlan } from "./plan.js";
import { emptyState, startOf, type WalkState } from "./state.js";
import { type TakenPage, takePage } from "./take-page.js";
import { withEarlierVote } from "./votes.js";

/** How many records show whether a list has ended. A query for many may time out each time. */
const endSize = 100;

/** Reads the page after a state, by the first anchor whose page shows that it continues there. */
export async function readPage<T>(plan: WalkPlan<T>, from: WalkState<T>, options: PageOptions): Promise<ListPage<T>> {
  const { signal, left = Number.POSITIVE_INFINITY, isAlone = false } = options;
  const { range } = plan;
  // New records arrive all the time: the end stays where it was until it is requested once more.
  const walk = range && from.endsAt ? { ...plan, range: { ...range, end: from.endsAt, trail: undefined } } : plan;
  const state = await withEarlierVote(walk, from, signal);
  const most = from.endsAt === undefined ? (state.again ?? walk).size : Math.min(walk.size, endSize);
  const size = walk.isWanted ? most : Math.min(most, left);
  const anchors = anchorsOf(walk, state);
  for (const anchor of anchors) {
    const { skip, continuesFrom } = anchor;
    const fetched = await fetchByAnchor(walk, state, anchor, size, options);
    const content = fetched && from.endsAt ? notLater(fetched, from.block) : fetched;
    const received = content && inWalkOrder(content.edges, state.direction);
    const continued = received && continuesFrom && edgesAfter(received, continuesFrom);
    const edges = continued ?? (continuesFrom && !content?.foundIn ? undefined : received);
    if (content === undefined || edges === undefined) continue;
    // Without known records in the request, the page is not cut.
    const taken = takePage(walk, state, { ...content, edges }, skip > 0 ? size : undefined);
    const isWhole = anchor.cursor === undefined && !content.pageInfo?.[state.direction.more];
    if (taken.isRepeated && anchor !== anchors.at(-1)) continue;
    const page = new ListPage(walk, taken, content, { isWhole, isAlone });
    // Its cursor would lead a caller's own loop back for ever. This throws the error that ends a loop of the client.
    if (isAlone && taken.isRepeated && taken.edges.length === 0) page.after(state.direction);
    return page;
  }
  throw await gapOrPruned(walk, state, signal);
}

export class ListPage<T> implements Page<T> {
  readonly nodes: T[];
  readonly edges: Edge<T>[];
  readonly pageInfo: PageInfo | null;
  declare readonly response: Response;
  declare readonly block: Block | undefined;
  declare readonly stale: boolean;
  declare readonly next: ForwardPagination | undefined;
  declare readonly previous: BackwardPagination | undefined;
  readonly #walk: WalkPlan<T>;
  readonly #taken: TakenPage<T>;
  readonly #fetched: NodePage<T>;
  readonly #isWhole: boolean;
  readonly #isAlone: boolean;
  /** The page from which a page of votes was reached. A cursor does not show which votes of a block come before it. */
  #origin: ListPage<T> | undefined;

  constructor(
    walk: WalkPlan<T>,
    taken: TakenPage<T>,
    fetched: NodePage<T>,
    { isWhole, isAlone }: { isWhole: boolean; isAlone: boolean },
  ) {
    const wanted = taken.edges.filter(({ node }) => walk.isWanted?.(node) ?? true);
    this.edges = inWalkOrder(wanted, taken.end.direction) as Edge<T>[];
    this.nodes = this.edges.map(({ node }) => node);
    this.pageInfo = taken.pageInfo;
    this.#walk = walk;
    this.#taken = taken;
    this.#fetched = fetched;
    this.#isWhole = isWhole;
    this.#isAlone = isAlone;
    Object.assign(this, fetched.extra);
    const paginationAfter = (direction: Direction) => {
      const state = this.after(direction);
      return state && paginationAt(walk, state);
    };
    // A copy such as `{ ...page }` has them, too: without them, a list would seem to end.
    Object.defineProperties(this, {
      next: { get: () => paginationAfter(forward), enumerable: true },
      previous: { get: () => paginationAfter(backward), enumerable: true },
    });
  }

  /** `console.log` of Node.js would print each record twice, long cursors and the response. */
  [Symbol.for("nodejs.util.inspect.custom")](): object {
    const { nodes, pageInfo, block, stale } = this;
    const { hasNextPage, hasPreviousPage } = pageInfo ?? {};
    return { nodes, hasNextPage, hasPreviousPage, block, stale };
  }

  /** The time from which on the walk is complete, in Unix nanoseconds; 0 if this page does not limit it. */
  get completeFrom(): bigint {
    const { edges, end } = this.#taken;
    // Until the end is requested once more, it is uncertain which record is the oldest one.
    const isSure = !isDescending(this.#walk.pagination, end.direction) && edges.length > 0;
    const { completeFrom, gapFrom = 0n } = this.#fetched;
    return isSure || this.#endAgain() === undefined ? completeFrom : gapFrom;
  }

  /** Whether the page belongs to a second reading of the newest votes, or of the end, and has only known records. */
  get hasNothingNew(): boolean {
    const { again, endsAt } = this.#taken.end;
    return (again !== undefined || endsAt !== undefined) && this.edges.length === 0;
  }

  /** The last record that was read, whether it is wanted or not. */
  get last(): Edge<T> | undefined {
    return this.#taken.edges.at(-1);
  }

  /** The state after this page in a direction; `undefined` at the end. */
  after(direction: Direction): WalkState<T> | undefined {
    const { edges, all, end } = this.#taken;
    if (direction === end.direction) return advance(this.#walk, end, all, this.pageInfo);
    const { block, node } = end;
    // A page without records is at the end of the list.
    if (edges.length === 0)
      return this.pageInfo?.[direction.more] ? { ...emptyState(direction), block, node } : undefined;
    const firstBlock = this.#walk.kind === "signatures" ? end.firstBlock : undefined;
    const turned = { ...emptyState(direction), pages: 1, block, node, firstBlock };
    const state = advance(this.#walk, turned, [...edges].reverse(), this.pageInfo);
    return state && { ...startOf({ direction, cursor: cursorAt(this.#walk, state) }), block, node };
  }

  /** The state before the next page in a direction. After the last page, votes or the end may have to be read again. */
  onward(direction: Direction): WalkState<T> | undefined {
    const { all, end } = this.#taken;
    const state = this.after(direction);
    if (state !== undefined || direction !== end.direction) return state;
    return this.#endAgain() ?? (this.#isWhole ? undefined : startAgain(this.#walk, end, all));
  }

  #endAgain(): WalkState<T> | undefined {
    const { edges, all, end } = this.#taken;
    const isShown = this.pageInfo?.[end.direction.more] || (end.endsAt !== undefined && edges.length === 0);
    const isProved = !this.#isAlone && this.#fetched.completeFrom === 0n;
    return isShown ? undefined : endAgain(this.#walk, end, all, { isProved, isAlone: this.#isAlone });
  }

  /** Whether its response had all of the list. A second reading takes only the newest votes. */
  get isWholeList(): boolean {
    return this.#isWhole && this.#taken.end.again === undefined;
  }

  nextPage(): Promise<this | undefined> {
    return this.#pageAfter(forward);
  }

  previousPage(): Promise<this | undefined> {
    return this.#pageAfter(backward);
  }

  async #pageAfter(direction: Direction): Promise<this | undefined> {
    const walk = this.#walk;
    if (this.#origin && direction !== this.#taken.end.direction) return this.#origin as this;
    let page: ListPage<T> = this;
    for (let state = page.onward(direction); state; state = page.onward(direction)) {
      const next = state;
      page = await within({ signals: [walk.signal] }, (signal) => readPage(walk, next, { signal }));
      if (page.hasNothingNew) continue;
      if (walk.kind === "votes") page.#origin = this;
      return page as this;
    }
    return undefined;
  }

  toJSON(): object {
    const { nodes, pageInfo, block, stale } = this;
    // The response is not data. `pageInfo` still shows a page that no cursor leads to.
    const next = unlessThrown(() => this.next);
    const previous = unlessThrown(() => this.previous);
    return { nodes, pageInfo, next, previous, block, stale };
  }
}
