import { untilAborted } from "../async/abort.js";
import type { Batches } from "../async/item-iterator.js";
import { annotate, VegaError } from "../errors/index.js";
import type { Coverage } from "../errors/vega-error.js";
import { type Edge, inWalkOrder, nanosecondsOf, timeOf } from "../evidence/page.js";
import type { Block } from "../http/call.js";
import { maximum, minimum } from "../values/integers.js";
import { finalTime } from "../values/times.js";
import type { ListPage, Step } from "./page.js";
import { goesDown, planWalk, type Source, type WalkPlan, type WalkRequest } from "./plan.js";
import { firstStep } from "./step.js";

/** A list that was opened, of which nothing is read yet. */
export class OpenWalk<T, Extra extends object> {
  readonly #plan: WalkPlan;
  readonly #source: Source<T, Extra>;

  constructor(request: WalkRequest, source: Source<T, Extra>) {
    this.#plan = planWalk(request);
    this.#source = source;
  }

  /** The first page, for a caller who wants this page and not the list. */
  first(): Promise<ListPage<T, Extra> & Extra> {
    const { signal, maxItems } = this.#plan;
    const step = firstStep(this.#plan, this.#source);
    return untilAborted(signal, new AbortController(), (signal) => step.fetch(signal, maxItems, true));
  }

  pages(): Batches<ListPage<T, Extra> & Extra> {
    const reader = new PageReader(this.#plan, firstStep(this.#plan, this.#source));
    const next = () => reader.next().then((page) => page && [page]);
    const coverage = (taken?: number) => reader.coverage(taken && reader.length);
    return { next, coverage, end: () => reader.end() };
  }

  /** Items of the pages, in the order of the walk. */
  items<Item>(itemsOf: (page: ListPage<T, object>) => readonly Item[]): Batches<Item> {
    const reader = new PageReader(this.#plan, firstStep(this.#plan, this.#source));
    const { maxItems, signal, direction } = this.#plan;
    const next = () => reader.next().then((page) => page && inWalkOrder(itemsOf(page), direction));
    return { maxItems, signal, next, coverage: (taken) => reader.coverage(taken), end: () => reader.end() };
  }
}

interface Fetched<P> {
  page?: P;
  error?: unknown;
}

/** Reads the pages of one walk, and fetches the next one while the caller works on the current one. */
class PageReader<T, Extra extends object> {
  readonly #plan: WalkPlan;
  readonly #controller = new AbortController();
  #step: Step<T, Extra> | undefined;
  #prefetched: Promise<Fetched<ListPage<T, Extra> & Extra>> | undefined;
  /** What ends the walk after the current page. */
  #failure: { error: unknown } | undefined;
  #pagesRead = 0;
  #itemsRead = 0;
  /** The time from which on the pages show that no record is missing. */
  #completeFrom = 0n;
  #blocks: { first: Block | undefined; last: Block | undefined; newest: Block | undefined } | undefined;
  /** The last record of the pages before the current one, and the current page, in the order of the walk. */
  #passed: Edge<T> | undefined;
  #current: readonly Edge<T>[] = [];

  constructor(plan: WalkPlan, first: Step<T, Extra>) {
    this.#plan = plan;
    this.#step = first;
  }

  /** How many records the last page has. */
  get length(): number {
    return this.#current.length;
  }

  /** The next page; `undefined` at the end. */
  async next(): Promise<(ListPage<T, Extra> & Extra) | undefined> {
    const plan = this.#plan;
    plan.signal?.throwIfAborted();
    if (this.#failure) throw this.#failure.error;
    const step = this.#step;
    if (step === undefined) return undefined;
    const { page, error } = await (this.#prefetched ?? this.#fetch(step));
    if (page === undefined) throw this.#describe(error, step);
    this.#pagesRead++;
    this.#itemsRead += page.edges.length;
    this.#note(page);
    this.#prefetched = undefined;
    this.#step = this.#stepAfter(page, step);
    // Not after the first page: most callers who take one page do not want another.
    if (plan.readAhead && this.#pagesRead > 1 && this.#step !== undefined) {
      this.#prefetched = this.#fetch(this.#step);
      // From Node.js 22 on a request leaves when the event loop turns, which a busy caller would delay.
      await turn();
    }
    return page;
  }

  end(): void {
    this.#controller.abort();
  }

  /** What the walk has covered, if only so many records of the current page were used. More can follow of the block of the last one. */
  coverage(used?: number): Coverage {
    const plan = this.#plan;
    const whole = this.#wholeCoverage();
    const isCut = this.#itemsRead >= plan.maxItems;
    if (used === undefined && !isCut) return whole;
    const edge = this.#current[(used ?? this.length) - 1] ?? this.#passed;
    const time = edge && (nanosecondsOf(edge.cursor) ?? (plan.range && timeOf(edge)));
    if (!goesDown(plan)) return { ...whole, end: time ?? whole.start };
    return { ...whole, start: time === undefined ? (whole.end ?? whole.start) : time + 1n };
  }

  #wholeCoverage(): Coverage {
    const { range, cursor } = this.#plan;
    const isDescending = goesDown(this.#plan);
    const { first, last, newest } = this.#blocks ?? {};
    const block = isDescending ? first : last;
    const final = block && finalTime(block.timestamp);
    const upTo = range?.end === undefined || final === undefined ? final : minimum(final, range.end);
    const place = cursor === undefined ? undefined : nanosecondsOf(cursor);
    const end = isDescending ? (place ?? upTo) : upTo;
    const shown = minimum(this.#completeFrom, end ?? range?.end ?? this.#completeFrom);
    const after = isDescending || place === undefined ? 0n : place + 1n;
    return { start: [range?.start ?? 0n, shown].reduce(maximum, after), end, block: newest };
  }

  #note(page: ListPage<T, Extra> & Extra): void {
    const { block } = page as { block?: Block };
    const { first, newest } = this.#blocks ?? { first: block, newest: block };
    const isNewer = block && (newest === undefined || block.timestamp > newest.timestamp);
    this.#blocks = { first, last: block, newest: isNewer ? block : newest };
    this.#completeFrom = maximum(this.#completeFrom, page.completeFrom);
    this.#passed = this.#current.at(-1) ?? this.#passed;
    this.#current = inWalkOrder(page.edges, this.#plan.direction);
  }

  /** The outcome is a value: a caller who never gets to a prefetched page shall not get an unhandled rejection. */
  #fetch(step: Step<T, Extra>): Promise<Fetched<ListPage<T, Extra> & Extra>> {
    const left = this.#plan.maxItems - this.#itemsRead;
    return untilAborted(this.#plan.signal, this.#controller, (signal) => step.fetch(signal, left)).then(
      (page) => ({ page }),
      (error: unknown) => ({ error }),
    );
  }

  #stepAfter(page: ListPage<T, Extra>, current: Step<T, Extra>): Step<T, Extra> | undefined {
    const { maxItems, direction } = this.#plan;
    if (this.#itemsRead >= maxItems) return undefined;
    try {
      return page.step(direction);
    } catch (error) {
      this.#failure = { error: this.#describe(error, current) };
      return undefined;
    }
  }

  /** Adds where to continue once the caller has the records that came before the error. */
  #describe(error: unknown, { pagination }: Step<T, Extra>): unknown {
    if (!VegaError.is(error)) return error;
    const { resume = pagination } = error;
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
