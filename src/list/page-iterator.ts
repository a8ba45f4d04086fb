import { untilAborted } from "../async/abort.js";
import { ItemIterator, ignore, WalkIterator } from "../async/item-iterator.js";
import { annotate, VegaError } from "../errors/index.js";
import { nanosecondsOf } from "../evidence/block-cursor.js";
import type { CoverageSettler } from "../evidence/coverage.js";
import { timeOf } from "../evidence/node-page.js";
import type { Block } from "../http/block.js";
import type { Coverage } from "../values/coverage.js";
import { maximum, minimum } from "../values/integers.js";
import { finalTime } from "../values/microseconds.js";
import { type Direction, forward, inWalkOrder } from "./direction.js";
import { FirstStep } from "./first-step.js";
import type { Edge, ListPage, Step } from "./page.js";
import type { RequestPlan } from "./request-plan.js";

/** Yields pages, and fetches the next one while the caller works on the current one. */
export class PageIterator<T, Extra extends object> extends WalkIterator<ListPage<T, Extra> & Extra> {
  readonly #makePlan: () => RequestPlan<T, Extra>;
  readonly #settler: CoverageSettler | undefined;
  readonly #controller = new AbortController();
  #plan: RequestPlan<T, Extra> | undefined;
  #step: Step<T, Extra> | undefined;
  #prefetched: Promise<ListPage<T, Extra> & Extra> | undefined;
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

  /** @param settler - Called with what the walk has covered. */
  constructor(makePlan: () => RequestPlan<T, Extra>, settler: CoverageSettler | undefined) {
    super();
    this.#makePlan = makePlan;
    this.#settler = settler;
  }

  get direction(): Direction {
    return this.#plan?.direction ?? forward;
  }

  protected override async advance(): Promise<IteratorResult<ListPage<T, Extra> & Extra, undefined>> {
    const plan = this.#plan ?? this.#open();
    plan.signal?.throwIfAborted();
    if (this.#failure) throw this.#fail(this.#failure.error);
    const step = this.#step;
    if (step === undefined) {
      const isCut = this.#itemsRead >= plan.maxItems;
      this.#settler?.resolve(isCut ? this.coverageUpTo(this.#current.length) : this.#coverage(plan));
      return this.end();
    }
    const page = await (this.#prefetched ?? this.#fetch(plan, step)).catch((error: unknown) => {
      throw this.#fail(this.#describe(error, step));
    });
    this.#pagesRead++;
    this.#itemsRead += page.edges.length;
    this.#note(page);
    this.#prefetched = undefined;
    this.#step = this.#stepAfter(page, plan, step);
    // Not after the first page: most callers who take one page do not want another.
    if (plan.readAhead && this.#pagesRead > 1 && this.#step !== undefined) {
      this.#prefetched = this.#fetch(plan, this.#step);
      // A caller who never gets there shall not get an unhandled rejection.
      this.#prefetched.catch(ignore);
      // From Node.js 22 on a request leaves when the event loop turns, which a busy caller would delay.
      await turn();
    }
    return { done: false, value: page };
  }

  protected override cancel(): void {
    this.#controller.abort();
    // Has no effect after the end.
    this.#settler?.resolve(this.coverageUpTo(this.#current.length));
  }

  /** What the walk has covered, if only so many records of the current page were used. More can follow of the block of the last one. */
  coverageUpTo(count: number): Coverage {
    const plan = this.#plan;
    const edge = this.#current[count - 1] ?? this.#passed;
    const whole = plan ? this.#coverage(plan) : { start: 0n, end: 0n, block: undefined };
    const time = edge && (nanosecondsOf(edge.cursor) ?? (plan?.range && timeOf(edge)));
    if (!plan?.isDescending(plan.direction)) return { ...whole, end: time ?? whole.start };
    return { ...whole, start: time === undefined ? (whole.end ?? whole.start) : time + 1n };
  }

  #coverage(plan: RequestPlan<T, Extra>): Coverage {
    const { range, direction, cursor } = plan;
    const isDescending = plan.isDescending(direction);
    const { first, last, newest } = this.#blocks ?? {};
    const shown = range?.end === undefined ? this.#completeFrom : minimum(this.#completeFrom, range.end);
    const start = maximum(range?.start ?? 0n, shown);
    const block = isDescending ? first : last;
    const final = block && finalTime(block.timestamp);
    const end = range?.end === undefined || final === undefined ? final : minimum(final, range.end);
    const place = cursor === undefined ? undefined : nanosecondsOf(cursor);
    if (place === undefined) return { start, end, block: newest };
    if (isDescending) return { start, end: place, block: newest };
    return { start: maximum(start, place + 1n), end, block: newest };
  }

  #note(page: ListPage<T, Extra> & Extra): void {
    const { block } = page as { block?: Block };
    const { first, newest } = this.#blocks ?? { first: block, newest: block };
    const isNewer = block && (newest === undefined || block.timestamp > newest.timestamp);
    this.#blocks = { first, last: block, newest: isNewer ? block : newest };
    this.#completeFrom = maximum(this.#completeFrom, page.completeFrom);
    this.#passed = this.#current.at(-1) ?? this.#passed;
    this.#current = inWalkOrder(page.edges, this.direction);
  }

  #fail(error: unknown): unknown {
    if (VegaError.is(error)) annotate(error, { coverage: this.coverageUpTo(this.#current.length) });
    this.#settler?.reject(error);
    return error;
  }

  #open(): RequestPlan<T, Extra> {
    const plan = this.#makePlan();
    this.#plan = plan;
    this.#step = new FirstStep(plan);
    return plan;
  }

  #fetch(plan: RequestPlan<T, Extra>, step: Step<T, Extra>): Promise<ListPage<T, Extra> & Extra> {
    const left = plan.maxItems - this.#itemsRead;
    return untilAborted(plan.signal, this.#controller, (signal) => step.fetch(signal, left));
  }

  #stepAfter(
    page: ListPage<T, Extra>,
    plan: RequestPlan<T, Extra>,
    current: Step<T, Extra>,
  ): Step<T, Extra> | undefined {
    if (this.#itemsRead >= plan.maxItems) return undefined;
    try {
      return page.step(plan.direction);
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

/** Yields the records of pages or their edges, in the order of the walk. */
export class RecordIterator<T, Item> extends ItemIterator<Item> {
  readonly #pages: PageIterator<T, object>;
  readonly #itemsOf: (page: ListPage<T, object>) => readonly Item[];
  readonly #settler: CoverageSettler | undefined;

  constructor(
    makePlan: () => RequestPlan<T, object>,
    itemsOf: (page: ListPage<T, object>) => readonly Item[],
    settler: CoverageSettler | undefined,
  ) {
    super();
    this.#itemsOf = itemsOf;
    this.#settler = settler;
    this.#pages = new PageIterator(() => {
      const plan = makePlan();
      this.limit(plan.maxItems, plan.signal);
      return plan;
    }, settler);
  }

  protected override async more(): Promise<readonly Item[] | undefined> {
    const { done, value } = await this.#pages.next();
    return done ? undefined : inWalkOrder(this.#itemsOf(value), this.#pages.direction);
  }

  protected override cancel(): void {
    this.#settler?.resolve(this.#pages.coverageUpTo(this.taken));
    super.cancel();
    this.#pages.return();
  }
}

/** One turn of the event loop. Node.js has `setImmediate`, browsers have messages, workerd has neither. */
function turn(): Promise<void> {
  const { setImmediate, MessageChannel } = globalThis as {
    setImmediate?: (callback: () => void) => void;
    MessageChannel?: typeof globalThis.MessageChannel;
  };
  return new Promise((resolve) => {
    if (setImmediate) return setImmediate(resolve);
    if (!MessageChannel) return setTimeout(resolve, 0);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
