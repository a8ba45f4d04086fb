import type { Clock } from "./clock.js";

/** What can end a call from outside, whatever it waits for: the caller's signal, and the deadline of the whole call. */
export class Stop {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #ended: { reason: unknown } | undefined;
  #endWait: ((reason: unknown) => void) | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(signal: AbortSignal | undefined, clock: Clock) {
    this.#clock = clock;
    this.#signal = signal;
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener("abort", this.#abort);
  }

  /** Ends the call after some milliseconds; `Infinity` never does. */
  after(milliseconds: number, reason: () => unknown): void {
    if (milliseconds === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.after(milliseconds, () => this.#end(reason()));
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  throwIfEnded(): void {
    if (this.#ended) throw this.#ended.reason;
  }

  /** Waits for something that can be given up: the promise rejects at once when the call is ended. */
  guard<T>(
    start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => (reason: unknown) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.throwIfEnded();
      const giveUp = start(resolve, reject);
      this.#endWait = (reason) => {
        reject(reason);
        giveUp(reason);
      };
      // An observer is told while the wait begins, and may end the call right then.
      if (this.#ended) this.#endWait(this.#ended.reason);
    });
  }

  /** Leaves nothing behind: a signal can live longer than all calls. */
  dispose(): void {
    this.#cancelTimer?.();
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#endWait = undefined;
  }

  readonly #abort = (): void => this.#end(this.#signal?.reason);

  #end(reason: unknown): void {
    this.#ended ??= { reason };
    this.#endWait?.(reason);
  }
}
