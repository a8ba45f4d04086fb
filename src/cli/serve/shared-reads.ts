/** Reads that are in flight, each for all callers who want the same. */
export class SharedReads<T> {
  readonly #reads = new Map<string, { promise: Promise<T>; controller: AbortController; callers: number }>();

  get size(): number {
    return this.#reads.size;
  }

  has(key: string): boolean {
    return this.#reads.has(key);
  }

  /**
   * Joins the read with a key, or starts it. It is aborted once no caller waits for it any more.
   *
   * @param signal - Aborts if the caller has gone.
   */
  async join(key: string, signal: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const entry = this.#reads.get(key) ?? this.#start(key, read);
    entry.callers++;
    const leave = () => {
      entry.callers--;
      if (entry.callers === 0) entry.controller.abort(signal.reason);
      // Another caller who comes now must not get the abort.
      if (entry.callers === 0 && this.#reads.get(key) === entry) this.#reads.delete(key);
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await entry.promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #start(key: string, read: (signal: AbortSignal) => Promise<T>) {
    const controller = new AbortController();
    const promise = read(controller.signal);
    const entry = { promise, controller, callers: 0 };
    this.#reads.set(key, entry);
    const finish = () => {
      if (this.#reads.get(key) === entry) this.#reads.delete(key);
    };
    promise.then(finish, finish);
    return entry;
  }
}
