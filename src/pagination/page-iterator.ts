import { untilAborted } from "../async/abort.js";
import { ItemIterator, ignore, WalkIterator } from "../async/item-iterator.js";
import { annotate, VegaError } from "../errors/index.js";
import { type Direction, forward, inWalkOrder } from "./direction.js";
import { FirstStep } from "./first-step.js";
import type { ListPage, Step } from "./page.js";
import type { RequestPlan } from "./request-plan.js";

/** Yields pages, and fetches the next one while the caller works on the current one. */
export class PageIterator<T, Extra extends object> extends WalkIterator<ListPage<T, Extra> & Extra> {
  readonly #makePlan: () => RequestPlan<T, Extra>;
  readonly #controller = new AbortController();
  #plan: RequestPlan<T, Extra> | undefined;
  #step: Step<T, Extra> | undefined;
  #prefetched: Promise<ListPage<T, Extra> & Extra> | undefined;
  /** What ends the walk after the current page. */
  #failure: { error: unknown } | undefined;
  #pagesRead = 0;
  #itemsRead = 0;

  constructor(makePlan: () => RequestPlan<T, Extra>) {
    super();
    this.#makePlan = makePlan;
  }

  get direction(): Direction {
    return this.#plan?.direction ?? forward;
  }

  protected override async advance(): Promise<IteratorResult<ListPage<T, Extra> & Extra, undefined>> {
    const plan = this.#plan ?? this.#open();
    plan.signal?.throwIfAborted();
    if (this.#failure) throw this.#failure.error;
    const step = this.#step;
    if (step === undefined) return this.end();
    const page = await (this.#prefetched ?? this.#fetch(plan, step)).catch((error: unknown) => {
      throw this.#describe(error, step);
    });
    this.#pagesRead++;
    this.#itemsRead += page.edges.length;
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

  constructor(makePlan: () => RequestPlan<T, object>, itemsOf: (page: ListPage<T, object>) => readonly Item[]) {
    super();
    this.#itemsOf = itemsOf;
    this.#pages = new PageIterator(() => {
      const plan = makePlan();
      this.limit(plan.maxItems, plan.signal);
      return plan;
    });
  }

  protected override async more(): Promise<readonly Item[] | undefined> {
    const { done, value } = await this.#pages.next();
    return done ? undefined : inWalkOrder(this.#itemsOf(value), this.#pages.direction);
  }

  protected override cancel(): void {
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
