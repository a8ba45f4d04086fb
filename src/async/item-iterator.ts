import { annotate, atCaller, type Coverage, VegaError } from "../errors/index.js";

type Done = IteratorReturnResult<undefined>;
const done: Done = { done: true, value: undefined };
export const ignore = () => {};
/** `await using` ends a walk in runtimes that have it. */
const dispose: unique symbol = ((Symbol as { asyncDispose?: symbol }).asyncDispose ?? Symbol()) as never;

/** Items that have arrived together. */
export interface ItemBatch<Item> {
  readonly items: readonly Item[];
  /** The coverage if the caller has used the first `used` items, and nothing that was read after them. */
  coverage?(used: number): Coverage;
}

/** Where the items of a loop come from. */
export interface Batches<Item> {
  readonly signal?: AbortSignal | undefined;
  /** Reads the next items; `undefined` at the end. */
  next(): Promise<ItemBatch<Item> | undefined>;
  /** The coverage before the first batch and, of everything, after the last one. */
  coverage?(): Coverage;
  /** Ends the requests in flight. */
  end(): void;
}

/** Receives the coverage of a loop. */
export interface CoverageReceiver {
  resolve(coverage: Coverage): void;
  reject(error: unknown): void;
}

/**
 * Yields items that arrive in batches, which are opened when the first item is requested. Calls of `next` that wait
 * form a queue. An async generator would take twice as long for each record, and would delay a `break` until the
 * request in flight has ended.
 */
export class ItemIterator<Item> {
  readonly #open: () => Promise<Batches<Item>>;
  readonly #takeReceiver: () => CoverageReceiver | undefined;
  #receiver: CoverageReceiver | undefined;
  #batches: Batches<Item> | undefined;
  #batch: ItemBatch<Item> | undefined;
  #items: readonly Item[] = [];
  #index = 0;
  #ended = false;
  /** The last call of `next` that waits, and the number of those. */
  #last: Promise<unknown> | undefined;
  #waiting = 0;

  /** @param takeReceiver - Returns the receiver of the coverage, when the iterator is used. */
  constructor(open: () => Promise<Batches<Item>>, takeReceiver: () => CoverageReceiver | undefined = () => undefined) {
    this.#open = open;
    this.#takeReceiver = takeReceiver;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    // Most items have arrived when they are requested: they skip the queue.
    const isHere = this.#index < this.#items.length && this.#waiting === 0 && !this.#batches?.signal?.aborted;
    if (isHere) return Promise.resolve(this.#take());
    const result = this.#nextAfter(this.#last);
    this.#last = result;
    return result;
  }

  async return(): Promise<Done> {
    this.#ended = true;
    this.cancel();
    return done;
  }

  async throw(error: unknown): Promise<IteratorResult<Item, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [dispose](): Promise<void> {
    return this.return().then(ignore);
  }

  async drain(): Promise<Item[]> {
    const all: Item[] = [];
    for (;;) {
      const { done, value } = await this.next();
      if (done) return all;
      all.push(value);
      while (this.#index < this.#items.length) all.push(this.#take().value);
    }
  }

  async #nextAfter(previous: Promise<unknown> | undefined): Promise<IteratorResult<Item, undefined>> {
    this.#waiting++;
    try {
      if (previous) await previous.then(ignore, ignore);
      return this.#ended ? done : await this.#advance();
    } catch (error) {
      // Ended by another call: a `next()` that still waits reports the end of the walk.
      if (this.#ended) return done;
      this.#ended = true;
      throw atCaller(error);
    } finally {
      this.#waiting--;
      // A promise that others wait for has no single caller.
      if (this.#waiting === 0) this.#last = undefined;
    }
  }

  async #advance(): Promise<IteratorResult<Item, undefined>> {
    try {
      this.#batches?.signal?.throwIfAborted();
      while (this.#index === this.#items.length) {
        this.#receiver ??= this.#takeReceiver();
        this.#batches ??= await this.#open();
        this.#batch = this.#ended ? undefined : await this.#batches.next();
        // A batch can arrive while `return()` ends the loop.
        if (this.#batch === undefined || this.#ended) return await this.return();
        this.#items = this.#batch.items;
        this.#index = 0;
      }
      return this.#take();
    } catch (error) {
      const coverage = this.#coverage();
      if (VegaError.is(error) && coverage) annotate(error, { coverage });
      this.#receiver?.reject(error);
      this.#batches?.end();
      throw error;
    }
  }

  #coverage(): Coverage | undefined {
    return this.#batch ? this.#batch.coverage?.(this.#index) : this.#batches?.coverage?.();
  }

  protected cancel(): void {
    this.#receiver ??= this.#takeReceiver();
    const receiver = this.#receiver;
    const coverage = this.#coverage();
    // Has no effect after the last item.
    if (coverage) receiver?.resolve(coverage);
    else if (receiver) {
      this.#open().then((unread) => {
        this.#batches = unread;
        this.cancel();
      }, receiver.reject);
    }
    this.#items = this.#items.slice(0, this.#index);
    this.#batches?.end();
  }

  #take(): IteratorYieldResult<Item> {
    return { done: false, value: this.#items[this.#index++] as Item };
  }
}
