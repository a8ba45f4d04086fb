/**
 * A walk reads the pages of a list, one after the other:
 *
 *   state ─▶ anchorsOf ─▶ fetchPage ─▶ judge ─▶ takePage ─▶ advance ─▶ state
 *
 * A state is the knowledge between two pages. Its anchors are the ways to request the next one although cursors are
 * unreliable: each requests some known records again. `judge` decides whether a response meets the expectation: those
 * records, a block that is late enough, a history that is long enough. `takePage` leaves out known records. If no
 * anchor works, records may be missing, and the walk ends with an error. For a list with a range, `history` proves that
 * nothing is missing at its start, and the last page is requested once more (`endAgain`), because nodes can end a list
 * too early. `ranges` and `windows` divide a range that newer nodes refuse. `WalkCoverage` tells which range the pages
 * prove.
 */
import { untilAborted, within } from "../async/abort.js";
import { type Batches, type ItemBatch, ignore } from "../async/item-iterator.js";
import { annotate, type Coverage, VegaError } from "../errors/index.js";
import { resumeAt } from "./advance.js";
import { WalkCoverage } from "./coverage.js";
import { inWalkOrder, type Page } from "./page.js";
import { planWalk, type WalkPlan, type WalkRequest } from "./plan.js";
import { type ListPage, readPage } from "./read-page.js";
import { startOf, type WalkState } from "./state.js";

/** A list of which nothing is read yet. */
export type OpenWalk<T> = ReturnType<typeof openWalk<T>>;

export function openWalk<T>(request: WalkRequest<T>) {
  const plan = planWalk(request);
  const readFirst = (signal: AbortSignal) =>
    readPage(plan, startOf(plan), { signal, left: plan.maxItems, isAlone: true });
  return {
    /** The first page, for a caller who wants this page and not the list. */
    first: (): Promise<Page<T>> => within({ signals: [plan.signal] }, readFirst),
    /** Reads the pages one after the other, and takes items from each. */
    items: <Item>(itemsOf: (page: Page<T>) => readonly Item[]): Batches<Item> => new WalkReader(plan, itemsOf),
  };
}

/** Reads the pages of one walk, and fetches the next one while the caller works on the current one. */
class WalkReader<T, Item> implements Batches<Item> {
  readonly signal: AbortSignal | undefined;
  readonly #plan: WalkPlan<T>;
  readonly #itemsOf: (page: Page<T>) => readonly Item[];
  readonly #controller = new AbortController();
  readonly #coverage: WalkCoverage<T>;
  /** The state before the next page; `undefined` at the end. */
  #state: WalkState<T> | undefined;
  /** The next page. It rejects with the error that ends the walk after the current one. */
  #prefetched: Promise<ListPage<T>> | undefined;
  #pagesRead = 0;
  #itemsRead = 0;

  constructor(plan: WalkPlan<T>, itemsOf: (page: Page<T>) => readonly Item[]) {
    this.signal = plan.signal;
    this.#plan = plan;
    this.#itemsOf = itemsOf;
    this.#state = startOf(plan);
    this.#coverage = new WalkCoverage(plan, this.#state.given);
  }

  /** The items of the next page, in the order of the walk; `undefined` at the end. */
  async next(): Promise<ItemBatch<Item> | undefined> {
    const { maxItems, readAhead, direction } = this.#plan;
    const state = this.#state;
    if (state === undefined) return undefined;
    const page = await (this.#prefetched ?? this.#fetch(state)).catch((error: unknown) => {
      throw this.#withResume(error, state);
    });
    const left = maxItems - this.#itemsRead;
    const edges = inWalkOrder(page.edges, direction).slice(0, left);
    const items = page.hasNothingNew ? [] : inWalkOrder(this.#itemsOf(page), direction).slice(0, left);
    const before = this.#coverage.last;
    const last = (page.edges.length >= left ? edges.at(-1) : page.last) ?? before;
    this.#coverage.note(page, edges[0], last);
    this.#pagesRead++;
    this.#itemsRead += page.edges.length;
    this.#prefetched = undefined;
    try {
      this.#state = this.#itemsRead < maxItems ? page.onward(direction) : undefined;
      // Not after the first page: most callers who take one page do not want another.
      if (readAhead && this.#pagesRead > 1 && this.#state) this.#prefetched = this.#fetch(this.#state);
    } catch (error) {
      // The caller gets the records of this page first.
      this.#prefetched = Promise.reject(error);
    }
    // A caller who never gets to the next page shall not get an unhandled rejection.
    this.#prefetched?.catch(ignore);
    // From Node.js 22 on a request leaves when the event loop turns, which a busy caller would delay.
    if (this.#prefetched) await turn();
    const lastOf = (used: number) => (used === items.length ? last : (edges[used - 1] ?? before));
    return { items, coverage: (used) => this.#coverage.upTo(lastOf(used)) };
  }

  end(): void {
    this.#controller.abort();
  }

  coverage(): Coverage {
    const isAtEnd = this.#state === undefined && this.#itemsRead < this.#plan.maxItems;
    return isAtEnd ? this.#coverage.whole() : this.#coverage.upTo(this.#coverage.last);
  }

  #fetch(state: WalkState<T>): Promise<ListPage<T>> {
    const left = this.#plan.maxItems - this.#itemsRead;
    const read = (signal: AbortSignal) => readPage(this.#plan, state, { signal, left });
    return untilAborted(this.signal, this.#controller, read);
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #withResume(error: unknown, state: WalkState<T>): unknown {
    if (!VegaError.is(error)) return error;
    // A caller's own source can fail with the error of another list.
    const own = error.operation === this.#plan.operation ? error.resume : undefined;
    const resume = own ?? resumeAt(this.#plan, state);
    return annotate(error, { resume, pagesRead: this.#pagesRead, itemsRead: this.#itemsRead });
  }
}

/** One turn of the event loop. Browsers and workerd have no `setImmediate`. */
function turn(): Promise<void> {
  const { setImmediate = setTimeout } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
