import { type Clock, systemClock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { RateLimitError } from "../errors/index.js";
import type { Settings } from "./call-options.js";
import type { Emit } from "./events.js";
import { retryAfter } from "./retry.js";
import { type RateLimit, readRateLimit, TokenBucket } from "./token-bucket.js";

export interface Permit {
  readonly sentAt: number;
  /** Counts the requests of the client, from 1. */
  readonly number: number;
  /** How many requests the node had counted for certain when this one was sent. */
  readonly counted: number;
}

interface PacedAttempt {
  operation: string;
  /** Counted from 1. */
  attempt: number;
  settings: Settings;
}

interface AttemptEnd {
  /** The response of the node, before middleware. */
  response: Response | undefined;
  error: unknown;
  isAborted: boolean;
}

interface Waiter {
  attempt: PacedAttempt;
  grant(permit: Permit): void;
  reject(error: unknown): void;
}

/**
 * Requests in flight, at most, until the limits are known: what a program begins with does not wait, and the smallest buckets
 * reject two requests at most.
 */
const firstInFlight = 3;

/**
 * Requests in flight, at most, if their number is not needed to use the whole rate. If another client empties the bucket, all
 * requests in flight may be rejected; v0.74 nodes ban a client after about a hundred rejections.
 */
const fewInFlight = 10;

/**
 * Until the limits are known, a further request is sent after each response, or after this many milliseconds without one: a little more than the
 * period of the smallest bucket, one request in a second.
 */
const probeInterval = 1050;

/** Keeps requests within the rate limit of one node. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #bucket = new TokenBucket();
  readonly #waiting = new Set<Waiter>();
  #clearTimer = ignore;
  #inFlight = 0;
  #maxInFlight: number = firstInFlight;
  #sent = 0;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  #counted = 0;
  /** Requests that ended without a response, so that the node may still count them, and the number of the last one sent by then. */
  #uncounted = { requests: 0, sent: 0 };
  /** Of the requests that were abandoned since the last response: until when they count as in flight, while the limits are unknown. */
  #abandoned: number[] = [];
  /** The last rejection, and until when nothing is sent because of it. */
  #rejection: { error: RateLimitError; response: Response; until: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The expected wait of a request that is queued now, in milliseconds. */
  get expectedDelay(): number {
    const now = this.#clock.now();
    return Math.max(this.#pause(now), this.#bucket.delay(this.#waiting.size + 1, now));
  }

  /**
   * Waits until the rate limit permits an attempt, or the signal is aborted.
   *
   * @throws {@link RateLimitError} if the node rejects requests for longer than the call waits.
   */
  async acquire(attempt: PacedAttempt, signal: AbortSignal, emit: Emit | undefined): Promise<Permit> {
    const now = this.#clock.now();
    const refusal = this.#refusalOf(attempt, now);
    if (refusal) throw refusal;
    if (this.#waiting.size === 0 && this.#delay(attempt, now) === 0) return this.#permit(now);
    const delay = Math.ceil(this.expectedDelay);
    emit?.({ type: "pause", operation: attempt.operation, attempt: attempt.attempt, delay });
    return new Promise((grant, reject) => {
      signal.throwIfAborted();
      const waiter = { attempt, grant, reject };
      signal.addEventListener("abort", () => {
        // The signal of an attempt is aborted later, too, or never.
        if (!this.#waiting.delete(waiter)) return;
        reject(signal.reason);
        this.#serve();
      });
      this.#waiting.add(waiter);
      this.#serve();
    });
  }

  release(permit: Permit, { timeout, totalTimeout }: Settings, { response, error, isAborted }: AttemptEnd): void {
    const now = this.#clock.now();
    if (response && RateLimitError.is(error)) this.#reject(error, response, now);
    this.#inFlight--;
    if (response === undefined) {
      this.#uncounted = { requests: this.#uncounted.requests + 1, sent: this.#sent };
      // A little longer than its deadline: the calls that were made together with it end before they could take its place.
      const patience = 1.1 * Math.min(timeout, totalTimeout);
      if (isAborted && !this.#bucket.isKnown) this.#abandoned.push(permit.sentAt + patience);
    } else {
      this.#counted++;
      this.#abandoned = [];
      // A request that was sent after they had ended has its response: by now the node has counted them.
      if (permit.number > this.#uncounted.sent) {
        this.#counted += this.#uncounted.requests;
        this.#uncounted = { requests: 0, sent: 0 };
      }
      const rateLimit = readRateLimit(response.status, response.headers, this.#clock);
      if (rateLimit) this.#observe(permit, rateLimit, now);
      else if (response.ok && !this.#bucket.isKnown) this.#maxInFlight = Number.POSITIVE_INFINITY;
    }
    this.#serve();
  }

  /** The node has rejected a request because of the rate, or has banned the client. */
  #reject(error: RateLimitError, response: Response, now: number): void {
    if (!error.banned) this.#bucket.empty(now);
    const last = this.#pause(now) > 0 ? this.#rejection : undefined;
    // A request that was in flight when the ban began can still be rejected because of the rate: the ban lasts longer.
    if (last?.error.banned && !error.banned) return;
    const until = now + (retryAfter(error.status, error.headers, this.#clock) ?? 0);
    this.#rejection = { error, response, until: Math.max(until, last?.until ?? until) };
  }

  /** Milliseconds until the node accepts requests again, in whole ones: timers of Node.js fire up to a millisecond early. */
  #pause(now: number): number {
    return Math.max(0, Math.floor((this.#rejection?.until ?? now) - now));
  }

  /** The error of an attempt that is not sent: nothing waits for the end of a ban, or for longer than `maxRetryAfter`. */
  #refusalOf({ operation, attempt, settings }: PacedAttempt, now: number): RateLimitError | undefined {
    const wait = this.#pause(now);
    if (!this.#rejection || wait === 0) return undefined;
    const { response, error } = this.#rejection;
    const { request, body, banned } = error;
    if (!banned && wait <= settings.maxRetryAfter) return undefined;
    const options = { request, response, body, banned, retryAfter: Math.ceil(wait / 1000) };
    return new RateLimitError({ operation, attempts: attempt - 1, ...options, sent: false });
  }

  /** Grants permits, in order, to those whose wait is over, and sets a timer for the next one. */
  #serve(): void {
    this.#clearTimer();
    this.#clearTimer = ignore;
    const now = this.#clock.now();
    for (const waiter of this.#waiting) {
      const refusal = this.#refusalOf(waiter.attempt, now);
      const delay = refusal ? 0 : this.#delay(waiter.attempt, now);
      if (delay > 0) {
        if (delay < Number.POSITIVE_INFINITY)
          this.#clearTimer = this.#clock.after(Math.ceil(delay), () => this.#serve());
        return;
      }
      this.#waiting.delete(waiter);
      if (refusal) waiter.reject(refusal);
      else waiter.grant(this.#permit(now));
    }
  }

  #observe({ sentAt, number, counted }: Permit, rateLimit: RateLimit, now: number): void {
    const elapsed = now - sentAt;
    const others = { concurrent: this.#sent - 1 - counted, later: this.#sent - number };
    this.#bucket.observe({ ...rateLimit, ...others, elapsed }, now);
    // As many as it takes to use the whole rate, however long a response takes.
    this.#maxInFlight = Math.max(fewInFlight, 1.5 * this.#bucket.rate * elapsed);
  }

  #permit(now: number): Permit {
    this.#bucket.take(now);
    this.#lastSentAt = now;
    this.#inFlight++;
    return { sentAt: now, number: ++this.#sent, counted: this.#counted };
  }

  /**
   * Milliseconds until a request can be sent; `Infinity` until another one has ended. If the limits ask for more than `maxRetryAfter`, they
   * do not hold it back.
   */
  #delay({ settings }: PacedAttempt, now: number): number {
    const limited = this.#bucket.delay(1, now);
    return this.#pause(now) || Math.max(this.#untilFewer(now), limited <= settings.maxRetryAfter ? limited : 0);
  }

  #untilFewer(now: number): number {
    const excess = this.#inFlight - this.#maxInFlight;
    if (this.#bucket.isKnown) return excess < 0 ? 0 : Number.POSITIVE_INFINITY;
    this.#abandoned = this.#abandoned.filter((until) => until > now);
    return excess + this.#abandoned.length < 0 ? 0 : Math.max(0, this.#lastSentAt + probeInterval - now);
  }
}

type Fetch = (request: Request) => Promise<Response>;

const limiters = new WeakMap<Fetch, Map<string, RateLimiter>>();

/**
 * Returns the rate limiter that all clients of one origin share, if they send with the same function: a node counts the requests of one
 * address together, so that two limiters would allow twice the rate.
 */
export function sharedLimiter(fetch: Fetch, origin: string): RateLimiter {
  const origins = limiters.get(fetch) ?? new Map<string, RateLimiter>();
  limiters.set(fetch, origins);
  const limiter = origins.get(origin) ?? new RateLimiter(systemClock);
  origins.set(origin, limiter);
  return limiter;
}
