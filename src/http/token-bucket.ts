/** Requests in a second, and those that are left. */
type RateLimit = Record<"limit" | "remaining", number>;

/** Reads the rate limit that a response shows (observed on v0.74 nodes), corrected so that it can be waited for. */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const read = (name: string) => Number.parseInt(headers.get(`ratelimit-${name}`) ?? "", 10);
  const remaining = read("remaining");
  if (Number.isNaN(remaining)) return undefined;
  return { limit: Math.max(1, read("limit") || 1), remaining: Math.max(0, remaining) };
}

/** A second, in milliseconds: the timers of nodes are not exact. */
const period = 1010;

/**
 * The tokens of a node, of which each request takes one. At the time `at`, the node had at least `remaining`. A second
 * later it has `limit` more, up to `capacity`, whether it adds them one by one, as v0.74 nodes do, or all at once. The
 * first requests find out: three are sent at once, then one in a second.
 */
export class TokenBucket {
  #limit = 1;
  #capacity = 3;
  #remaining = 3;
  #at = 0;
  /** Whether a response has shown the rate limit. */
  #isKnown = false;

  /** Milliseconds until there is a number of tokens. */
  delayUntil(count: number, now: number): number {
    this.#refill(now);
    const missing = count - this.#remaining;
    return missing > 0 ? this.#at + Math.ceil(missing / this.#limit) * period - now : 0;
  }

  take(now: number): void {
    // It may be full by now, so that the tokens of the current period are lost.
    if (this.#remaining + this.#limit > this.#capacity) this.#at = now;
    this.#remaining = Math.max(0, this.#remaining - 1);
  }

  /** After a rejection, the node may hold fewer tokens than it did: the next responses show how many. */
  forgetCapacity(): void {
    if (this.#isKnown) this.#capacity = 1;
  }

  /** The tokens that the node adds in some milliseconds. */
  addedIn(milliseconds: number): number {
    return (this.#limit / period) * milliseconds;
  }

  /**
   * Updates the bucket after a response that shows the rate limit. The number of tokens changes only if the response
   * contradicts it.
   *
   * @param request.sentAt - When the request was sent.
   * @param request.sentSince - How many requests were sent after it. The node has counted them later for certain.
   * @param request.inFlight - How many were in flight when it was sent. The node may have counted them later.
   */
  correct(
    shown: RateLimit,
    { sentAt, sentSince, inFlight }: Record<"sentAt" | "sentSince" | "inFlight", number>,
    now: number,
  ): void {
    this.#limit = shown.limit;
    this.#capacity = Math.max(this.#isKnown ? this.#capacity : 0, shown.remaining + 1);
    this.#refill(now);
    const least = Math.max(0, shown.remaining - sentSince - inFlight);
    const most = shown.remaining + 1 - sentSince + this.addedIn(now - sentAt);
    if (this.#isKnown && this.#remaining >= least && this.#remaining <= most) return;
    this.#isKnown = true;
    this.#remaining = least;
    this.#at = now;
  }

  /**
   * Updates the bucket after a response or an error that shows no rate limit. Until one does, a successful response
   * means that the node has none, and an error that the request took no token.
   */
  showNone(isError: boolean): void {
    if (this.#isKnown) return;
    if (isError) this.#remaining++;
    else this.#capacity = this.#remaining = Number.POSITIVE_INFINITY;
  }

  #refill(now: number): void {
    const periods = Math.floor((now - this.#at) / period);
    if (periods <= 0) return;
    this.#remaining = Math.min(this.#capacity, this.#remaining + periods * this.#limit);
    this.#at += periods * period;
  }
}
