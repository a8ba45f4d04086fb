import { annotate, atCaller, VegaError } from "../errors/index.js";
import type { Coverage } from "../errors/vega-error.js";

type Done = IteratorReturnResult<undefined>;
const done: Done = { done: true, value: undefined };
export const ignore = () => {};

/**
 * An async iterator with a queue of calls. An async generator would take twice as long for each record, and would delay a
 * `break` until the request in flight has ended.
 */
export abstract class WalkIterator<T> {
  /** The last call of `next`, as long as it waits. */
  #last: Promise<unknown> | undefined;
  #waiting = 0;
  protected ended = false;

  static {
    // `await using` ends a walk in runtimes that have it.
    const dispose = (Symbol as { asyncDispose?: symbol }).asyncDispose;
    if (dispose !== undefined) {
      Object.defineProperty(WalkIterator.prototype, dispose, {
        value(this: WalkIterator<unknown>) {
          return this.return().then(ignore);
        },
      });
    }
  }

  /** Finds the next value, after every earlier call has found its own. */
  protected abstract advance(): Promise<IteratorResult<T, undefined>>;
  /** Cancels what is in flight. */
  protected abstract cancel(): void;

  protected end(): Done {
    this.ended = true;
    return done;
  }

  protected get idle(): boolean {
    return this.#waiting === 0;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const result = this.#advanceAfter(this.#last);
    this.#last = result;
    return result;
  }

  async #advanceAfter(previous: Promise<unknown> | undefined): Promise<IteratorResult<T, undefined>> {
    this.#waiting++;
    try {
      if (previous) await previous.then(ignore, ignore);
      const result = this.ended ? done : await this.advance();
      return this.ended ? done : result;
    } catch (error) {
      // Ended by another call: a `next()` that still waits reports the end of the walk.
      if (this.ended) return done;
      this.ended = true;
      throw atCaller(error);
    } finally {
      this.#waiting--;
      // A promise that others wait for has no single caller.
      if (this.idle) this.#last = undefined;
    }
  }

  async return(): Promise<Done> {
    this.ended = true;
    this.cancel();
    return done;
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Where the items of a loop come from. */
export interface Batches<Item> {
  readonly maxItems?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Reads the next items; `undefined` at the end. */
  next(): Promise<readonly Item[] | undefined>;
  /** What the items cover. After `next` has returned `undefined`, without `taken`: everything. */
  coverage?(taken?: number): Coverage;
  /** Ends what is in flight. */
  end(): void;
}

/** Receives what a loop has covered, once. */
export interface CoverageReceiver {
  resolve(coverage: Coverage): void;
  reject(error: unknown): void;
}

/** Yields items that arrive in batches. They are opened when the first item is asked for. */
export class ItemIterator<Item> extends WalkIterator<Item> {
  readonly #open: () => Promise<Batches<Item>>;
  readonly #receiver: CoverageReceiver | undefined;
  #batches: Batches<Item> | undefined;
  #left = Number.POSITIVE_INFINITY;
  #items: readonly Item[] = [];
  #index = 0;
  #end = 0;

  constructor(open: () => Promise<Batches<Item>>, receiver?: CoverageReceiver) {
    super();
    this.#open = open;
    this.#receiver = receiver;
  }

  /** Most items have arrived when they are asked for: they skip the queue. */
  override next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#index === this.#end || !this.idle || this.#batches?.signal?.aborted) return super.next();
    return Promise.resolve(this.#take());
  }

  /** All that is left, in an array. */
  async drain(): Promise<Item[]> {
    const all: Item[] = [];
    for (;;) {
      const { done, value } = await this.next();
      if (done) return all;
      all.push(value);
      while (this.#index !== this.#end) all.push(this.#take().value);
    }
  }

  protected override async advance(): Promise<IteratorResult<Item, undefined>> {
    try {
      this.#batches?.signal?.throwIfAborted();
      while (this.#index === this.#end) {
        const items = await this.#more();
        if (items === undefined) {
          this.cancel();
          return this.end();
        }
        this.#items = items;
        this.#index = 0;
        this.#end = Math.min(items.length, this.#left);
        this.#left -= this.#end;
      }
      return this.#take();
    } catch (error) {
      const coverage = this.#batches?.coverage?.(this.#index);
      if (VegaError.is(error) && coverage) annotate(error, { coverage });
      this.#receiver?.reject(error);
      this.#batches?.end();
      throw error;
    }
  }

  /** Gets the next batch; `undefined` at the end. */
  async #more(): Promise<readonly Item[] | undefined> {
    if (this.#batches === undefined) {
      this.#batches = await this.#open();
      this.#left = this.#batches.maxItems ?? this.#left;
    }
    if (this.ended || this.#left === 0) return undefined;
    const items = await this.#batches.next();
    const coverage = items ? undefined : this.#batches.coverage?.();
    if (coverage) this.#receiver?.resolve(coverage);
    return items;
  }

  protected override cancel(): void {
    // Has no effect after the last item.
    this.#receiver?.resolve(this.#batches?.coverage?.(this.#index) ?? { start: 0n, end: 0n, block: undefined });
    this.#end = this.#index;
    this.#batches?.end();
  }

  #take(): IteratorYieldResult<Item> {
    return { done: false, value: this.#items[this.#index++] as Item };
  }
}
