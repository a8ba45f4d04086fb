/** How many callers are remembered. One that is forgotten has a full bucket again, as it has after some seconds without a request. */
const mostCallers = 10_000;

/** A limit of requests in a second for each caller, with bursts. */
export class CallerLimits {
  readonly #rate: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #callers = new Map<string, { tokens: number; time: number }>();

  /**
   * @param rate - Requests in a second.
   * @param burst - Requests at once.
   * @param now - Milliseconds that never decrease.
   */
  constructor(rate: number, burst: number, now: () => number) {
    this.#rate = rate;
    this.#burst = burst;
    this.#now = now;
  }

  /** Takes a token of a caller. Returns the seconds until there is one if there is none; otherwise 0. */
  take(caller: string): number {
    const now = this.#now();
    const { tokens, time } = this.#callers.get(caller) ?? { tokens: this.#burst, time: now };
    const left = Math.min(this.#burst, tokens + ((now - time) / 1000) * this.#rate);
    // Deleted first, so that the callers stay in the order of their last requests.
    this.#callers.delete(caller);
    this.#callers.set(caller, { tokens: left < 1 ? left : left - 1, time: now });
    for (const oldest of this.#callers.keys()) {
      if (this.#callers.size <= mostCallers) break;
      this.#callers.delete(oldest);
    }
    return left < 1 ? (1 - left) / this.#rate : 0;
  }
}
