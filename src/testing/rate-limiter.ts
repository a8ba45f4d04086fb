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

/** What becomes of a request, with the rate headers of its response. */
export interface RateDecision {
  outcome: "served" | "refused" | "banned";
  headers: Record<string, string>;
}

/** A token bucket; rejected requests draw on a second one, and a client that empties that too is banned. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #requests: TokenBucket;
  readonly #rejections: TokenBucket;
  #bannedUntil = Number.NEGATIVE_INFINITY;

  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#requests = new TokenBucket(limit.burst, limit.rate, now);
    this.#rejections = new TokenBucket(limit.refusals, limit.rate, now);
  }

  /** Decides about one request. A request during a ban does not lengthen it. */
  decide(): RateDecision {
    const now = this.#now();
    if (now >= this.#bannedUntil) {
      const outcome = this.#requests.take() ? "served" : this.#rejections.take() ? "refused" : "banned";
      if (outcome !== "banned") return { outcome, headers: this.#headers() };
      this.#bannedUntil = now + this.#limit.ban * 1000;
    }
    const seconds = Math.ceil((this.#bannedUntil - now) / 1000);
    return { outcome: "banned", headers: { "RateLimit-Retry-After": String(seconds) } };
  }

  #headers(): Record<string, string> {
    return {
      "RateLimit-Limit": String(this.#limit.rate),
      "RateLimit-Remaining": String(Math.floor(this.#requests.tokens)),
      "RateLimit-Reset": "1",
      "RateLimit-Request-Remote-Addr": "127.0.0.1",
    };
  }
}

/** Tokens that refill continuously. */
class TokenBucket {
  readonly #size: number;
  readonly #rate: number;
  readonly #now: () => number;
  #refilled: number;
  tokens: number;

  constructor(size: number, rate: number, now: () => number) {
    this.#size = size;
    this.#rate = rate;
    this.#now = now;
    this.#refilled = now();
    this.tokens = size;
  }

  take(): boolean {
    const now = this.#now();
    this.tokens = Math.min(this.#size, this.tokens + ((now - this.#refilled) / 1000) * this.#rate);
    this.#refilled = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
