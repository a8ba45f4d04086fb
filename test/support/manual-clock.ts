// What the client loads for its first list: a manual clock does not wait for files.
import "../../src/client/lists.js";
import type { Clock } from "../../src/async/clock.js";

interface Timer {
  at: number;
  callback: () => void;
}

/** A clock that stands still until `run` is called; then it jumps from timer to timer. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];
  readonly #start: number;
  readonly #tick: number;
  readonly #early: number;

  /**
   * @param options.tick - The milliseconds that pass between two readings, as on real clocks.
   * @param options.early - The milliseconds by which timers fire early. Those of Node.js do by a fraction of a millisecond.
   */
  constructor({ start = Date.parse("2024-02-09T16:54:49Z"), tick = 0, early = 0 } = {}) {
    this.#start = start;
    this.#tick = tick;
    this.#early = early;
  }

  now(): number {
    this.#now += this.#tick;
    return this.#now;
  }

  date(): number {
    return this.#start + this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, milliseconds - this.#early), callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Waits on this clock, or until a signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = milliseconds === Number.POSITIVE_INFINITY ? () => {} : this.after(milliseconds, resolve);
      const abort = () => {
        cancel();
        reject(signal?.reason);
      };
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort);
    });
  }

  /** Time passes in which no timer fires, as in a process that is suspended. */
  suspend(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.length;
  }

  /**
   * Runs until a promise is settled. What follows from a timer happens before the next one fires.
   *
   * @param isBusy - Whether something happens that is not on this clock, such as a request: the time does not advance meanwhile.
   */
  async run<T>(promise: Promise<T>, isBusy: () => boolean = () => false): Promise<T> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      // A request of openapi-fetch takes a few turns of the event loop, even if its response is in memory.
      for (let turn = 0; turn < 4 && !settled; turn++) {
        await new Promise(setImmediate);
        if (isBusy()) turn = 0;
      }
      if (settled) return promise;
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (next === undefined) throw new Error("The promise is not settled, and no timer is left.");
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
  }
}
