import type { Clock } from "../../src/http/clock.js";
import { json } from "./recorder.js";

/** How a node limits the rate of requests. */
export interface NodeLimits {
  /** Requests in a second, which is the period. */
  limit?: number;
  /** Tokens that the bucket holds. */
  burst?: number;
  /** The time at which tokens are added, all of a second at once; without it, they are added one by one. */
  step?: number | undefined;
}

/** A node that limits the rate, rejects the requests above it, and bans a client that does not stop. */
export class LimitedNode {
  readonly #clock: Clock;
  readonly #limits: { limit: number; burst: number; step: number | undefined };
  #tokens: number;
  #counted: number;
  #bannedUntil = Number.NEGATIVE_INFINITY;
  #refusals: number[] = [];
  served = 0;
  refused = 0;
  bans = 0;

  constructor(clock: Clock, { limit = 20, burst = 100, step }: NodeLimits = {}) {
    this.#clock = clock;
    this.#limits = { limit, burst, step };
    this.#tokens = burst;
    this.#counted = clock.now();
  }

  /** Another client takes what is left. */
  empty(): void {
    this.#refill();
    this.#tokens = 0;
  }

  readonly answer = (body: unknown): Response => {
    this.#refill();
    const now = this.#clock.now();
    const headers = { "RateLimit-Limit": String(this.#limits.limit), "RateLimit-Reset": "1" };
    if (now < this.#bannedUntil) return this.#ban(headers, now);
    if (this.#tokens < 1) {
      this.refused++;
      this.#refusals = [...this.#refusals.filter((time) => now - time < 1000), now];
      // A client that is rejected this often within a second does not stop.
      if (this.#refusals.length > 20) {
        this.bans++;
        this.#bannedUntil = now + 600_000;
        return this.#ban(headers, now);
      }
      const error = { code: 8, message: "api request rate limit exceeded", details: [] };
      return json(error, { status: 429, headers: { ...headers, "RateLimit-Remaining": "0" } });
    }
    this.#tokens -= 1;
    this.served++;
    return json(body, { headers: { ...headers, "RateLimit-Remaining": String(Math.floor(this.#tokens)) } });
  };

  #refill(): void {
    const now = this.#clock.now();
    const { limit, burst, step } = this.#limits;
    const seconds = (time: number) => (step === undefined ? time / 1000 : Math.floor((time - step) / 1000));
    this.#tokens = Math.min(burst, this.#tokens + (seconds(now) - seconds(this.#counted)) * limit);
    this.#counted = now;
  }

  #ban(headers: Record<string, string>, now: number): Response {
    const error = { code: 7, message: "temporarily banned for continuing to request while rate limited", details: [] };
    const seconds = String(Math.ceil((this.#bannedUntil - now) / 1000));
    return json(error, { status: 403, headers: { ...headers, "RateLimit-Retry-After": seconds } });
  }
}
