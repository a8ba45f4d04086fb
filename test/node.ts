import type { Clock } from "../src/http/clock.js";
import { json } from "./recorder.js";

/** A node that serves 20 requests a second and bursts of 100, refuses what is more, and bans who goes on. */
export class LimitedNode {
  readonly #clock: Clock;
  #tokens = 100;
  #counted: number;
  #bannedUntil = Number.NEGATIVE_INFINITY;
  #refusals: number[] = [];
  served = 0;
  refused = 0;
  bans = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#counted = clock.now();
  }

  /** Somebody else takes what is left. */
  empty(): void {
    this.#refill();
    this.#tokens = 0;
  }

  readonly answer = (body: unknown): Response => {
    this.#refill();
    const now = this.#clock.now();
    const headers = { "RateLimit-Limit": "20", "RateLimit-Reset": "1" };
    if (now < this.#bannedUntil) return this.#ban(headers, now);
    if (this.#tokens < 1) {
      this.refused++;
      this.#refusals = [...this.#refusals.filter((time) => now - time < 1000), now];
      // Whoever is refused this often within a second has not listened.
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
    this.#tokens = Math.min(100, this.#tokens + ((now - this.#counted) / 1000) * 20);
    this.#counted = now;
  }

  #ban(headers: Record<string, string>, now: number): Response {
    const error = { code: 7, message: "temporarily banned for continuing to request while rate limited", details: [] };
    const seconds = String(Math.ceil((this.#bannedUntil - now) / 1000));
    return json(error, { status: 403, headers: { ...headers, "RateLimit-Retry-After": seconds } });
  }
}
