/** Cancels a call or one of its attempts, whatever it is waiting for. */
export class Cancellation {
  #cancelled: { reason: unknown } | undefined;
  #onCancel: ((reason: unknown) => void) | undefined;

  get isCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Rejects what is being waited for. Only the first reason counts. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = { reason };
    this.#onCancel?.(reason);
  }

  throwIfCancelled(): void {
    if (this.#cancelled) throw this.#cancelled.reason;
  }

  /** Calls back on cancellation. A call waits for one thing at a time; what it waited for before has been settled. */
  onCancel(callback: (reason: unknown) => void): void {
    this.#onCancel = callback;
    // An observer is called while an operation starts, and may have cancelled it.
    if (this.#cancelled) callback(this.#cancelled.reason);
  }

  /** Returns a cancellation that is cancelled together with this one, or on its own. */
  child(): Cancellation {
    const child = new Cancellation();
    this.onCancel((reason) => child.cancel(reason));
    return child;
  }

  /**
   * Starts an operation and waits for it. On cancellation the promise rejects immediately, whether the operation reacts or not,
   * and the function that `start` returned is called with the reason.
   */
  run<T>(
    start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => (reason: unknown) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.throwIfCancelled();
      // A Request keeps what belongs to it until a full garbage collection: these functions would keep the response, too.
      let unsettled: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject };
      const settle = (way: "resolve" | "reject") => (value: unknown) => {
        unsettled?.[way](value as T);
        unsettled = undefined;
      };
      const fail = settle("reject");
      const cancel = start(settle("resolve"), fail);
      this.onCancel((reason) => {
        fail(reason);
        cancel(reason);
      });
    });
  }
}
