import { orAborted } from "../async/abort.js";
import { type Clock, systemClock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { RateLimitError } from "../errors/index.js";
import type { Emit } from "./events.js";
import type { ActiveCall, Fetch } from "./request.js";
import { isTransient, retryAfter } from "./retry.js";
import { readRateLimit, TokenBucket } from "./token-bucket.js";

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

/**
 * Requests in flight at the same time, unless the node's rate needs more. If another client uses up the limit, the node
 * rejects all of them.
 */
const fewInFlight = 10;

/** When a request was sent, how many were sent before it, and how many of those had not ended yet. */
type Permit = Readonly<Record<"sentAt" | "sentBefore" | "inFlight", number>>;
type Waiter = { call: ActiveCall; attempt: number; resolve(permit: Permit | Promise<never>): void };

/** Keeps requests within the rate limit of one node: in order, each waits for a token, and for the end of a pause. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #bucket = new TokenBucket();
  readonly #waiting = new Set<Waiter>();
  #cancelTimer = ignore;
  #sent = 0;
  #inFlight = 0;
  #mostInFlight = Number.POSITIVE_INFINITY;
  #pausedUntil = 0;
  #rejection: RateLimitError | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The expected wait of a request in milliseconds, by its place in the queue. Default: if it is queued now. */
  expectedDelay(place: number = this.#waiting.size + 1): number {
    const now = this.#clock.now();
    return Math.max(this.#pause(now), this.#bucket.delayUntil(place, now));
  }

  /** @throws {@link RateLimitError} if the node rejects requests for longer than the call waits. */
  async acquire(call: ActiveCall, attempt: number, emit: Emit | undefined): Promise<Permit> {
    const { operation, signal, progress } = call;
    const waiter: Waiter = { call, attempt, resolve: ignore };
    const permit = new Promise<Permit>((resolve) => {
      waiter.resolve = resolve;
    });
    this.#waiting.add(waiter);
    this.#refuse(waiter);
    this.#serve();
    if (!this.#waiting.has(waiter)) return permit;
    emit?.({ type: "pause", operation, attempt, delay: Math.ceil(this.expectedDelay(this.#waiting.size)) });
    progress.isQueued = true;
    try {
      return await orAborted(signal, permit);
    } catch (error) {
      // The permit may have been granted at the same moment.
      permit.then((unused) => this.release(unused, {}), ignore);
      throw error;
    } finally {
      progress.isQueued = false;
      if (this.#waiting.delete(waiter)) this.#serve();
    }
  }

  release({ sentAt, sentBefore, inFlight }: Permit, outcome: { readonly response?: Response | undefined }): void {
    const now = this.#clock.now();
    const { response } = outcome;
    const shown = response && readRateLimit(response.headers);
    this.#inFlight--;
    if (RateLimitError.is(outcome)) {
      const until = now + (retryAfter(outcome.status, outcome.headers, this.#clock) ?? 0);
      // A request that was in flight when a ban began can still be rejected because of the rate: the ban lasts longer.
      if (until > this.#pausedUntil) {
        [this.#rejection, this.#pausedUntil] = [outcome, until];
        for (const waiter of this.#waiting) this.#refuse(waiter);
      }
      this.#bucket.forgetCapacity();
    }
    if (shown) {
      this.#bucket.correct(shown, { sentAt, sentSince: this.#sent - 1 - sentBefore, inFlight }, now);
      this.#mostInFlight = Math.max(fewInFlight, 1.5 * this.#bucket.addedIn(now - sentAt));
    } else if (response || isTransient(outcome)) this.#bucket.showNone(!response?.ok);
    this.#serve();
  }

  /** Whole milliseconds until the node accepts requests again: timers of Node.js fire up to a millisecond early. */
  #pause(now: number): number {
    return Math.max(0, Math.floor(this.#pausedUntil - now));
  }

  /** Rejects a request that is not sent: none waits for the end of a ban, or for longer than `maxRetryAfter`. */
  #refuse(waiter: Waiter): void {
    const { call, attempt, resolve } = waiter;
    const rejection = this.#rejection;
    const pause = this.#pause(this.#clock.now());
    if (!rejection?.response || pause === 0) return;
    const { request, response, body, banned } = rejection;
    if (!banned && pause <= call.settings.maxRetryAfter) return;
    this.#waiting.delete(waiter);
    const options = { request, response, body, banned, retryAfter: Math.ceil(pause / 1000), sent: false };
    resolve(Promise.reject(new RateLimitError({ operation: call.operation, attempts: attempt - 1, ...options })));
  }

  /** Sends the requests whose wait is over, in order, and sets a timer for the next one. */
  #serve(): void {
    this.#cancelTimer();
    const now = this.#clock.now();
    const pause = this.#pause(now);
    for (const waiter of this.#waiting) {
      if (waiter.call.signal?.aborted) {
        this.#waiting.delete(waiter);
        continue;
      }
      // `release` sends the next one.
      if (this.#inFlight >= this.#mostInFlight) return;
      // A limit above `maxRetryAfter` does not hold a request back.
      const wait = this.#bucket.delayUntil(1, now);
      const delay = Math.max(pause, wait <= waiter.call.settings.maxRetryAfter ? wait : 0);
      if (delay > 0) {
        this.#cancelTimer = this.#clock.after(Math.ceil(delay), () => this.#serve());
        return;
      }
      this.#waiting.delete(waiter);
      this.#bucket.take(now);
      waiter.resolve({ sentAt: now, sentBefore: this.#sent++, inFlight: this.#inFlight++ });
    }
  }
}

const limiters = new WeakMap<object, Record<string, RateLimiter>>();

/** Returns the rate limiter of all clients of one origin and function: a node counts their requests together. */
export function sharedLimiter(fetch: (request: Request) => Promise<Response>, origin: string): RateLimiter {
  const origins = limiters.get(fetch) ?? {};
  limiters.set(fetch, origins);
  origins[origin] ??= new RateLimiter(systemClock);
  return origins[origin];
}
