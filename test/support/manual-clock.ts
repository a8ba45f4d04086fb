import type { Clock } from "../../src/http/clock.js";

interface Due {
  at: number;
  callback: () => void;
}

/** A clock that stands still until it is told to run; then it jumps from one thing that is due to the next. */
export class ManualClock implements Clock {
  #now = 0;
  #due: Due[] = [];
  readonly #start: number;
  readonly #tick: number;
  readonly #early: number;

  /**
   * As real clocks do, time can pass between one look at it and the next (`tick`), and what is due can come a little too
   * `early`, which timers of Node.js do by a fraction of a millisecond.
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
    const entry = { at: this.#now + Math.max(0, milliseconds - this.#early), callback };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((each) => each !== entry);
    };
  }

  /** Waits, on this clock. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** How many callbacks are due. */
  get pending(): number {
    return this.#due.length;
  }

  /**
   * Runs until a promise is settled. Between two things that are due, whatever follows from the first one happens.
   *
   * @param isBusy - Whether something happens that is not on this clock, such as a request: time stands still meanwhile.
   */
  async run<T>(promise: Promise<T>, isBusy: () => boolean = () => false): Promise<T> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      // A request of openapi-fetch takes a few turns of the event loop, even when it is answered from memory.
      for (let turn = 0; turn < 4 && !settled; turn++) {
        await new Promise(setImmediate);
        if (isBusy()) turn = 0;
      }
      if (settled) return promise;
      const [next] = [...this.#due].sort((a, b) => a.at - b.at);
      if (next === undefined) throw new Error("Nothing is due, and the promise is not settled.");
      this.#due = this.#due.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
  }
}
