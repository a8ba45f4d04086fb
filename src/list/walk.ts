import { untilAborted } from "../async/abort.js";
import { type Batch, type Batches, ignore } from "../async/item-iterator.js";
import { annotate, VegaError } from "../errors/index.js";
import type { Coverage } from "../errors/vega-error.js";
import type { Block } from "../http/call.js";
import { maximum, minimum } from "../values/integers.js";
import { finalTime } from "../values/times.js";
import { resumeAt } from "./advance.js";
import { nanosecondsOf } from "./cursors.js";
import { coverageUpTo, type Edge, inWalkOrder, isDescending, laterOf, type Page, timeOf } from "./page.js";
import { planWalk, type WalkPlan, type WalkRequest } from "./plan.js";
import { type ListPage, readPage } from "./read-page.js";
import { type GivenCursor, startOf, timeBefore, type WalkState } from "./state.js";

/*
 * A walk reads the pages of a list, one after the other:
 *
 *   state ─▶ anchorsOf ─▶ fetchPage ─▶ judge ─▶ takePage ─▶ advance ─▶ state
 *
 * A state is the knowledge between two pages. Its anchors are the ways to request the next one although cursors are
 * unreliable: each requests some known records again. `judge` decides whether a response meets the expectation: those
 * records, a block that is late enough, a history that is long enough. `takePage` leaves out known records. If no
 * anchor works, records may be missing, and the walk ends with an error. For a list with a range, `history` proves that
 * nothing is missing at its start. `ranges` and `windows` divide a range that newer nodes refuse. The coverage of a
 * walk is the range that its pages prove.
 */

/** A list of which nothing is read yet. */
export type OpenWalk<T> = ReturnType<typeof openWalk<T>>;

export function openWalk<T>(request: WalkRequest<T>) {
  const plan = planWalk(request);
  const readFirst = (signal: AbortSignal) => readPage(plan, startOf(plan), signal, plan.maxItems, true);
  return {
    /** The first page, for a caller who wants this page and not the list. */
    first: (): Promise<Page<T>> => untilAborted(plan.signal, new AbortController(), readFirst),
    /** Reads the pages one after the other, and takes items from each. */
    items: <Item>(itemsOf: (page: Page<T>) => readonly Item[]): Batches<Item> => new WalkReader(plan, itemsOf),
  };
}

/** Reads the pages of one walk, and fetches the next one while the caller works on the current one. */
class WalkReader<T, Item> implements Batches<Item> {
  readonly #plan: WalkPlan<T>;
  readonly #itemsOf: (page: Page<T>) => readonly Item[];
  readonly #controller = new AbortController();
  /** The cursor with which the caller began. */
  readonly #given: GivenCursor | undefined;
  /** The state before the next page; `undefined` at the end. */
  #state: WalkState<T> | undefined;
  /** The next page. It rejects with the error that ends the walk after the current one. */
  #prefetched: Promise<ListPage<T>> | undefined;
  #pagesRead = 0;
  #itemsRead = 0;
  /** The time from which on the pages show that no record is missing. */
  #completeFrom = 0n;
  #blocks: { first: Block | undefined; last: Block | undefined; newest: Block | undefined } | undefined;
  /** Whether all pages have named their block, including the page that the caller's cursor is from. */
  #isNamed = true;
  /** Whether the last page is of a later block than those before: then no vote has moved past the walk unseen. */
  #isLatest = true;
  /** The first and the last record that were read. */
  #first: Edge<T> | undefined;
  #last: Edge<T> | undefined;

  constructor(plan: WalkPlan<T>, itemsOf: (page: Page<T>) => readonly Item[]) {
    this.#plan = plan;
    this.#itemsOf = itemsOf;
    this.#state = startOf(plan);
    this.#given = this.#state.given;
  }

  get signal(): AbortSignal | undefined {
    return this.#plan.signal;
  }

  /** The items of the next page, in the order of the walk; `undefined` at the end. */
  async next(): Promise<Batch<Item> | undefined> {
    const { maxItems, readAhead, direction } = this.#plan;
    const state = this.#state;
    if (state === undefined) return undefined;
    const page = await (this.#prefetched ?? this.#fetch(state)).catch((error: unknown) => {
      throw this.#describe(error, state);
    });
    const left = maxItems - this.#itemsRead;
    const edges = inWalkOrder(page.edges, direction).slice(0, left);
    const items = page.hasNothingNew ? [] : inWalkOrder(this.#itemsOf(page), direction).slice(0, left);
    const before = this.#last;
    this.#first ??= edges[0];
    const last = (page.edges.length >= left ? edges.at(-1) : page.last) ?? before;
    this.#last = last;
    this.#note(page);
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
    return { items, coverage: (used) => this.#coverageTo(used === items.length ? last : (edges[used - 1] ?? before)) };
  }

  end(): void {
    this.#controller.abort();
  }

  coverage(): Coverage {
    const isAtEnd = this.#state === undefined && this.#itemsRead < this.#plan.maxItems;
    return isAtEnd ? this.#wholeCoverage() : this.#coverageTo(this.#last);
  }

  #coverageTo(edge: Edge<T> | undefined): Coverage {
    const plan = this.#plan;
    const whole = this.#wholeCoverage();
    const time = edge && (nanosecondsOf(edge.cursor) ?? (plan.range && timeOf(edge)));
    const isDown = isDescending(plan.pagination);
    const place = this.#place;
    const bound = isDown ? (plan.range?.end ?? whole.end) : plan.range?.start;
    return coverageUpTo(time, whole, isDown, place ?? bound ?? 0n);
  }

  /** The time of the record before the walk; of its first record if the cursor does not show it. */
  get #place(): bigint | undefined {
    const given = this.#given;
    return given && (timeBefore(given) ?? (this.#plan.range && timeOf(this.#first)));
  }

  #wholeCoverage(): Coverage {
    const { range } = this.#plan;
    const [place, end] = [this.#place, this.#end];
    const shown = minimum(this.#completeFrom, end ?? range?.end ?? this.#completeFrom);
    const after = isDescending(this.#plan.pagination) || place === undefined ? 0n : place + 1n;
    return { start: [range?.start ?? 0n, shown].reduce(maximum, after), end, block: this.#blocks?.newest };
  }

  /** The end of the coverage once the walk has ended; `undefined` if nothing shows it. */
  get #end(): bigint | undefined {
    const { range, cursorsLack } = this.#plan;
    const [given, place, isDown] = [this.#given, this.#place, isDescending(this.#plan.pagination)];
    // Votes that were cast again since the first page are unknown without the block of that page.
    const isBlind = isDown && given !== undefined && given.first === undefined;
    if (cursorsLack === "record" && (isBlind || !this.#isLatest)) return undefined;
    if (isDown && place !== undefined) return place;
    const cursor = this.#last?.cursor ?? given?.cursor;
    // The gateway's cursors do not show times: a loop that they lead through ends with the block of its first page, as
    // lists do that are not in the order of time: they can get records before those that were read.
    const isTimed = cursor !== undefined && nanosecondsOf(cursor) !== undefined;
    if (given !== undefined && !isTimed && cursorsLack !== "proof") return undefined;
    const { first, last } = this.#blocks ?? {};
    const block = first && isTimed && !isDown ? last : first;
    // Signatures that arrived since the first page can sort before the cursor, where this walk does not read.
    const seen = cursorsLack === "proof" && given ? given.first : block?.timestamp;
    if (block === undefined || seen === undefined) return undefined;
    const final = finalTime(minimum(block.timestamp, seen));
    return range?.end === undefined ? final : minimum(final, range.end);
  }

  #note({ block, completeFrom, edges, isWholeList }: ListPage<T>): void {
    const { first, newest } = this.#blocks ?? { first: block, newest: undefined };
    const given = this.#given;
    const earlier = maximum(newest?.timestamp ?? -1n, given?.after ?? -1n);
    // A page without a block can be from a node that is ahead, as can the page that a cursor without a block is from.
    this.#isNamed &&= block !== undefined && (given?.read === undefined || given.latest !== undefined);
    this.#isLatest = (isWholeList && !given) || (this.#isNamed && block !== undefined && block.timestamp > earlier);
    this.#blocks = { first, last: block, newest: laterOf(newest, block) };
    this.#completeFrom = maximum(this.#completeFrom, completeFrom);
    this.#pagesRead++;
    this.#itemsRead += edges.length;
  }

  #fetch(state: WalkState<T>): Promise<ListPage<T>> {
    const left = this.#plan.maxItems - this.#itemsRead;
    const read = (signal: AbortSignal) => readPage(this.#plan, state, signal, left);
    return untilAborted(this.#plan.signal, this.#controller, read);
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #describe(error: unknown, state: WalkState<T>): unknown {
    if (!VegaError.is(error)) return error;
    const resume = error.resume ?? resumeAt(this.#plan, state);
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
