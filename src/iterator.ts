/** The end of an iterator. */
export type Done = IteratorReturnResult<undefined>;
export const done: Done = { done: true, value: undefined };
export const ignore = () => {};

/**
 * What the iterators have in common. They are written by hand because an async generator takes twice as long for each
 * record, and holds a `break` back until the request under way has answered.
 */
export abstract class WalkIterator<T> {
  #calls: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  protected ended = false;

  static {
    // Not in every runtime yet; where it is, `await using` ends a walk.
    const dispose = (Symbol as { asyncDispose?: symbol }).asyncDispose;
    if (dispose !== undefined) {
      Object.defineProperty(WalkIterator.prototype, dispose, {
        value(this: WalkIterator<unknown>) {
          return this.return().then(ignore);
        },
      });
    }
  }

  /** Finds the next value, once every earlier call has found its own. */
  protected abstract advance(): Promise<IteratorResult<T, undefined>>;
  /** Gives up whatever is under way. */
  protected abstract stop(): void;

  protected end(): Done {
    this.ended = true;
    return done;
  }

  protected get idle(): boolean {
    return this.#waiting === 0;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    this.#waiting++;
    const result = this.#calls.then(async () => {
      try {
        const result = this.ended ? done : await this.advance();
        return this.ended ? done : result;
      } catch (error) {
        // Stopped from outside: whoever still waits is told that the walk is over.
        if (this.ended) return done;
        this.ended = true;
        throw error;
      } finally {
        this.#waiting--;
      }
    });
    this.#calls = result.then(ignore, ignore);
    return result;
  }

  async return(): Promise<Done> {
    this.ended = true;
    this.stop();
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

/** Items that come together, and in which direction they are to be handed out. */
export interface Batch<T> {
  items: readonly T[];
  backward?: boolean;
}

/** What comes in batches, one by one. */
export abstract class ItemIterator<T, Item> extends WalkIterator<Item> {
  readonly #pick: (item: T) => Item;
  readonly #signal: AbortSignal | undefined;
  #left: number;
  #items: readonly T[] = [];
  #index = 0;
  #end = 0;
  #step = 1;

  constructor(
    {
      maxItems = Number.POSITIVE_INFINITY,
      signal,
    }: { maxItems?: number | undefined; signal?: AbortSignal | undefined },
    pick: (item: T) => Item,
  ) {
    super();
    this.#pick = pick;
    this.#signal = signal;
    this.#left = maxItems;
  }

  /** Gets more items; `undefined` where there are none. */
  protected abstract more(): Promise<Batch<T> | undefined>;

  /** Most items are at hand: they are given without a look at the queue. */
  override next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#index === this.#end || !this.idle || this.#signal?.aborted) return super.next();
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
    if (this.#signal?.aborted) throw this.#signal.reason;
    while (this.#index === this.#end) {
      const batch = await this.more();
      if (batch === undefined) return this.end();
      this.#load(batch);
    }
    return this.#take();
  }

  protected override stop(): void {
    this.#end = this.#index;
  }

  #take(): IteratorYieldResult<Item> {
    const item = this.#items[this.#index] as T;
    this.#index += this.#step;
    return { done: false, value: this.#pick(item) };
  }

  #load({ items, backward = false }: Batch<T>): void {
    const count = Math.min(items.length, this.#left);
    this.#left -= count;
    this.#items = items;
    this.#step = backward ? -1 : 1;
    this.#index = backward ? items.length - 1 : 0;
    this.#end = this.#index + this.#step * count;
  }
}
