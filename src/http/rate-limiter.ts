import { orAborted } from "../async/abort.js";
import { type Clock, systemClock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { ConnectionError, RateLimitError } from "../errors/index.js";
import type { Emit } from "./events.js";
import type { ActiveCall, Fetch } from "./request.js";
import { retryAfter } from "./retry.js";

export function limit(send: Fetch, limiter: RateLimiter, emit: Emit | undefined): Fetch {
  return async (request, call, attempt) => {
    const permit = await limiter.acquire(call, attempt, emit);
    try {
      const answer = await send(request, call, attempt);
      limiter.release(permit, answer);
      return answer;
    } catch (error) {
      limiter.release(permit, Object(error));
      throw error;
    }
  };
}

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

/** Requests in flight, if no more are needed for the whole rate: a node rejects all of them once another client has used up the limit. */
const fewInFlight = 10;

/** When a request was sent, its number, and how many had ended by then. */
type Permit = Readonly<Record<"sentAt" | "number" | "ended", number>>;
type Waiter = { call: ActiveCall<unknown>; attempt: number; resolve(permit: Permit | Promise<never>): void };

/**
 * Keeps requests within the rate limit of one node. At the time `at`, the node had at least `remaining` tokens, of which each request takes
 * one. A second later it has `limit` more, up to `capacity`, whether it adds them one by one, as v0.74 nodes do, or all at once. What a
 * response shows replaces what it contradicts. The first requests find out: three are sent at once, then one in a second.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #bucket = { limit: 1, capacity: 3, remaining: 3, at: 0, isKnown: false };
  #sent = 0;
  #ended = 0;
  #mostInFlight = Number.POSITIVE_INFINITY;
  #pausedUntil = 0;
  /** The error of the response that caused the pause. */
  #rejection: RateLimitError | undefined;
  readonly #waiting = new Set<Waiter>();
  #cancelTimer = ignore;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The expected wait of a request in milliseconds, by its place in the queue. Default: that of a request that is queued now. */
  expectedDelay(place: number = this.#waiting.size + 1): number {
    const now = this.#clock.now();
    return Math.max(this.#pause(now), this.#untilTokens(place, now));
  }

  /** @throws {@link RateLimitError} if the node rejects requests for longer than the call waits. */
  async acquire<T>(call: ActiveCall<T>, attempt: number, emit: Emit | undefined): Promise<Permit> {
    const { operation, signal, progress } = call;
    const waiter: Waiter = { call, attempt, resolve: ignore };
    const permit = new Promise<Permit>((resolve) => {
      waiter.resolve = resolve;
    });
    this.#waiting.add(waiter);
    this.#serve();
    if (!this.#waiting.has(waiter)) return permit;
    emit?.({ type: "pause", operation, attempt, delay: Math.ceil(this.expectedDelay(this.#waiting.size)) });
    progress.isQueued = true;
    try {
      return await orAborted(signal, permit);
    } finally {
      progress.isQueued = false;
      this.#waiting.delete(waiter);
      if (this.#waiting.size === 0) this.#cancelTimer();
    }
  }

  release(permit: Permit, outcome: { readonly response?: Response | undefined }): void {
    const now = this.#clock.now();
    const bucket = this.#bucket;
    const { response } = outcome;
    const shown = response && readRateLimit(response.headers);
    this.#ended++;
    if (RateLimitError.is(outcome)) {
      const until = now + (retryAfter(outcome.status, outcome.headers, this.#clock) ?? 0);
      // A request that was in flight when a ban began can still be rejected because of the rate: the ban lasts longer.
      if (until > this.#pausedUntil) [this.#rejection, this.#pausedUntil] = [outcome, until];
    }
    if (shown) this.#correct(permit, shown, now);
    else if (!bucket.isKnown && response?.ok) bucket.capacity = bucket.remaining = Number.POSITIVE_INFINITY;
    // The request has taken no token.
    else if (!bucket.isKnown && (response || ConnectionError.is(outcome))) bucket.remaining++;
    this.#serve();
  }

  #correct(permit: Permit, shown: RateLimit, now: number): void {
    const bucket = this.#bucket;
    bucket.limit = shown.limit;
    bucket.capacity = Math.max(bucket.isKnown ? bucket.capacity : 0, shown.remaining + 1);
    this.#refill(now);
    const added = (bucket.limit / period) * (now - permit.sentAt);
    this.#mostInFlight = Math.max(fewInFlight, 1.5 * added);
    // The node may have counted each request that was in flight at the same time after this one, and later ones for certain.
    const least = Math.max(0, shown.remaining - (this.#sent - 1 - permit.ended));
    const most = shown.remaining + 1 - (this.#sent - permit.number) + added;
    const isConsistent = bucket.isKnown && bucket.remaining >= least && bucket.remaining <= most;
    if (!isConsistent) Object.assign(bucket, { isKnown: true, remaining: least, at: now });
  }

  #refill(now: number): void {
    const bucket = this.#bucket;
    const periods = Math.floor((now - bucket.at) / period);
    if (periods <= 0) return;
    bucket.remaining = Math.min(bucket.capacity, bucket.remaining + periods * bucket.limit);
    bucket.at += periods * period;
  }

  #untilTokens(count: number, now: number): number {
    this.#refill(now);
    const { limit, remaining, at } = this.#bucket;
    return remaining < count ? at + Math.ceil((count - remaining) / limit) * period - now : 0;
  }

  /** Milliseconds until the node accepts requests again, in whole ones: timers of Node.js fire up to a millisecond early. */
  #pause = (now: number) => Math.max(0, Math.floor(this.#pausedUntil - now));

  /** The error of a request that is not sent: nothing waits for the end of a ban, or for longer than `maxRetryAfter`. */
  #refusalOf({ call: { operation, settings }, attempt }: Waiter, now: number): RateLimitError | undefined {
    const wait = this.#pause(now);
    const { banned = false, request, body, response } = this.#rejection ?? {};
    if (!request || !response || wait === 0 || (!banned && wait <= settings.maxRetryAfter)) return undefined;
    const options = { request, response, body, banned, retryAfter: Math.ceil(wait / 1000), sent: false };
    return new RateLimitError({ operation, attempts: attempt - 1, ...options });
  }

  /** Milliseconds until a request can be sent; `Infinity` until another one has ended. A limit above `maxRetryAfter` does not hold it back. */
  #delay({ call: { settings } }: Waiter, now: number): number {
    if (this.#sent - this.#ended >= this.#mostInFlight) return Number.POSITIVE_INFINITY;
    const delay = this.#untilTokens(1, now);
    return Math.max(this.#pause(now), delay <= settings.maxRetryAfter ? delay : 0);
  }

  /** Sends the requests whose wait is over, in order, and sets a timer for the next one. */
  #serve(): void {
    this.#cancelTimer();
    this.#cancelTimer = ignore;
    const now = this.#clock.now();
    for (const waiter of this.#waiting) {
      if (waiter.call.signal?.aborted) continue;
      const refusal = this.#refusalOf(waiter, now);
      const delay = refusal ? 0 : this.#delay(waiter, now);
      const isTimed = delay > 0 && delay < Number.POSITIVE_INFINITY;
      if (isTimed) this.#cancelTimer = this.#clock.after(Math.ceil(delay), () => this.#serve());
      if (delay > 0) return;
      this.#waiting.delete(waiter);
      waiter.resolve(refusal ? Promise.reject(refusal) : this.#permit(now));
    }
  }

  #permit(now: number): Permit {
    const bucket = this.#bucket;
    // It may be full by now, so that the tokens of the current period are lost.
    if (bucket.remaining + bucket.limit > bucket.capacity) bucket.at = now;
    bucket.remaining = Math.max(0, bucket.remaining - 1);
    return { sentAt: now, number: ++this.#sent, ended: this.#ended };
  }
}

const limiters = new WeakMap<object, Record<string, RateLimiter>>();

/** Returns the rate limiter of all clients that send to one origin with the same function: a node counts their requests together. */
export function sharedLimiter(fetch: (request: Request) => Promise<Response>, origin: string): RateLimiter {
  const origins = limiters.get(fetch) ?? {};
  limiters.set(fetch, origins);
  origins[origin] ??= new RateLimiter(systemClock);
  return origins[origin];
}
