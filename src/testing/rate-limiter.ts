/** How many requests a node serves, to all its clients together. */
export interface RateLimit {
  /** Requests a second. */
  rate: number;
  /** Requests at once. */
  burst: number;
  /** Rejected requests at once, refilled at the same rate; the next one becomes a ban. */
  refusals: number;
  /** Seconds that a ban lasts. */
  ban: number;
}

/** The limits of a node with its default settings (observed on v0.74 nodes). */
export const defaultRateLimit: RateLimit = { rate: 20, burst: 100, refusals: 100, ban: 600 };

/** Two token buckets: rejected requests draw on the second one, and a client that empties that too is banned. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  #requests = Number.POSITIVE_INFINITY;
  #rejections = Number.POSITIVE_INFINITY;
  #refilled = 0;
  #bannedUntil = Number.NEGATIVE_INFINITY;

  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Decides about one request. A request during a ban does not lengthen it. */
  decide(): { outcome: "served" | "refused" | "banned"; headers: Record<string, string> } {
    const { rate, burst, refusals, ban } = this.#limit;
    const now = this.#now();
    // Both buckets refill continuously.
    const added = ((now - this.#refilled) / 1000) * rate;
    this.#refilled = now;
    this.#requests = Math.min(burst, this.#requests + added);
    this.#rejections = Math.min(refusals, this.#rejections + added);
    if (now >= this.#bannedUntil) {
      const outcome = this.#requests >= 1 ? "served" : this.#rejections >= 1 ? "refused" : "banned";
      if (outcome === "served") this.#requests--;
      if (outcome === "refused") this.#rejections--;
      if (outcome !== "banned") return { outcome, headers: this.#headers() };
      this.#bannedUntil = now + ban * 1000;
    }
    const seconds = Math.ceil((this.#bannedUntil - now) / 1000);
    return { outcome: "banned", headers: { "RateLimit-Retry-After": String(seconds) } };
  }

  #headers(): Record<string, string> {
    return {
      "RateLimit-Limit": String(this.#limit.rate),
      "RateLimit-Remaining": String(Math.floor(this.#requests)),
      "RateLimit-Reset": "1",
      "RateLimit-Request-Remote-Addr": "127.0.0.1",
    };
  }
}
