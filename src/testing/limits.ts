/** How many requests a node serves, to all its clients together. */
export interface RateLimit {
  /** Requests a second. */
  rate: number;
  /** Requests at once. */
  burst: number;
  /** Refusals within a second until whoever goes on is banned. */
  refusals: number;
  /** Seconds that a ban lasts. */
  ban: number;
}

/** Those of a real node, but for the refusals, which are guessed (observed on v0.74 nodes). */
export const usualRateLimit: RateLimit = { rate: 20, burst: 100, refusals: 20, ban: 600 };

/** A token bucket, and a ban for those who go on when it is empty. */
export class Limiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  #tokens: number;
  #counted: number;
  #refusals: number[] = [];
  #bannedUntil = Number.NEGATIVE_INFINITY;

  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#tokens = limit.burst;
    this.#counted = now();
  }

  /** Takes a token for a request, or says what it gets instead. */
  take(): "served" | "refused" | "banned" {
    const now = this.#now();
    const { rate, burst, refusals, ban } = this.#limit;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#counted) / 1000) * rate);
    this.#counted = now;
    if (now < this.#bannedUntil) return "banned";
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return "served";
    }
    this.#refusals = [...this.#refusals.filter((time) => now - time < 1000), now];
    if (this.#refusals.length <= refusals) return "refused";
    this.#bannedUntil = now + ban * 1000;
    return "banned";
  }

  /** What a node says of its limits with every answer. */
  get headers(): Record<string, string> {
    const seconds = Math.ceil((this.#bannedUntil - this.#now()) / 1000);
    return {
      "RateLimit-Limit": String(this.#limit.rate),
      "RateLimit-Remaining": String(Math.floor(this.#tokens)),
      "RateLimit-Reset": "1",
      ...(seconds > 0 && { "RateLimit-Retry-After": String(seconds) }),
    };
  }
}
