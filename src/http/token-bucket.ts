import type { Clock } from "../async/clock.js";
import { readWait } from "./retry.js";

/** The rate limit that a response names in its headers (observed on v0.74 nodes). */
export interface RateLimit {
  /** Requests in a period. */
  limit: number;
  /** Milliseconds. */
  period: number;
  /** Requests that are left at the moment. */
  remaining: number;
}

/** Reads the rate limit, corrected so that it can be waited for, whatever a server sends. */
export function readRateLimit(status: number, headers: Headers, clock: Clock): RateLimit | undefined {
  const remaining = parseInteger(headers.get("ratelimit-remaining"));
  if (remaining === undefined) return undefined;
  return {
    limit: Math.max(1, parseInteger(headers.get("ratelimit-limit")) ?? 1),
    period: Math.max(1000, readWait(headers.get("ratelimit-reset"), clock) ?? 0),
    // A rejected request has found no token, whatever the header says.
    remaining: status === 429 ? 0 : Math.max(0, remaining),
  };
}

function parseInteger(text: string | null): number | undefined {
  const value = Number.parseInt(text ?? "", 10);
  return Number.isNaN(value) ? undefined : value;
}

/** How a response relates to the other requests of the client. */
export interface Observation extends RateLimit {
  /** Requests that the node may have counted after this one: all that were in flight at the same time. */
  concurrent: number;
  /** Requests that were sent after this one. */
  later: number;
  /** Milliseconds since this one was sent. */
  elapsed: number;
}

/** A period is taken to be this much longer: the timers of a node are not exact. */
const margin = 1.01;

/**
 * A lower bound of the tokens in a node's bucket, once all requests in flight are counted.
 *
 * A node may add tokens one by one (as v0.74 nodes do) or all at once at the end of a period. In both cases, a whole period after any
 * moment, there are `limit` tokens more than at that moment. So the bound grows by whole periods.
 */
export class TokenBucket {
  #limit = 0;
  #period = 0;
  /** The largest number of tokens that the bucket was seen to hold. */
  #capacity = 0;
  #tokens = Number.POSITIVE_INFINITY;
  /** When the current period began. */
  #start = 0;

  /** Whether a response has named a limit. Until then, the bucket does not restrict anything. */
  get isKnown(): boolean {
    return this.#limit > 0;
  }

  /** Tokens per millisecond. */
  get rate(): number {
    return this.#limit / this.#period;
  }

  /** Returns the milliseconds until there are that many tokens. */
  delay(count: number, now: number): number {
    this.#refill(now);
    const missing = count - this.#tokens;
    return missing > 0 ? this.#start + Math.ceil(missing / this.#limit) * this.#period - now : 0;
  }

  take(now: number): void {
    this.#refill(now);
    // The bucket may be full by now, so that what would have been added in the current period is lost.
    if (this.#tokens + this.#limit > this.#capacity) this.#start = now;
    this.#tokens = Math.max(0, this.#tokens - 1);
  }

  /** The node has rejected a request: there is no token. */
  empty(now: number): void {
    if (!this.isKnown) return;
    this.#tokens = 0;
    this.#start = now;
  }

  /** Corrects the bound with what a response says. */
  observe({ limit, period, remaining, concurrent, later, elapsed }: Observation, now: number): void {
    const isOther = limit !== this.#limit || period * margin !== this.#period;
    this.#limit = limit;
    this.#period = period * margin;
    this.#capacity = Math.max(this.#capacity, remaining + 1);
    this.#refill(now);
    const least = Math.max(0, remaining - concurrent);
    // More than this can only be a mistake: another client uses the same bucket.
    const most = remaining + 1 - later + elapsed * this.rate;
    if (!isOther && this.#tokens >= least && this.#tokens <= most) return;
    this.#tokens = least;
    this.#start = now;
  }

  #refill(now: number): void {
    if (this.#tokens === Number.POSITIVE_INFINITY) return;
    const periods = Math.floor((now - this.#start) / this.#period);
    if (periods <= 0) return;
    this.#tokens = Math.min(this.#capacity, this.#tokens + periods * this.#limit);
    this.#start += periods * this.#period;
  }
}
