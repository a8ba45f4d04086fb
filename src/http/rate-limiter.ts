import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { type RateLimit, TokenBucket } from "./token-bucket.js";

/** Permission to send one request. */
export interface Permit {
  readonly sentAt: number;
  /** Counts the requests of the client, from 1. */
  readonly number: number;
  /** How many requests the node had counted for certain when this one was sent. */
  readonly counted: number;
}

/** The response to a request, as far as it concerns the rate. */
export interface PermitOutcome {
  ok: boolean;
  rateLimit: RateLimit | undefined;
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

/** A request that waits for its permit. */
interface Waiter {
  maxWait: number;
  grant(permit: Permit | undefined): void;
}

/** Keeps the requests of one client within the rate limit of its node. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #bucket = new TokenBucket();
  /** First in, first out. */
  readonly #waiting = new Set<Waiter>();
  #clearTimer = ignore;
  readonly #inFlight = new Set<Permit>();
  #maxInFlight: number = firstInFlight;
  #sent = 0;
  #lastSentAt = Number.NEGATIVE_INFINITY;
  #counted = 0;
  /** Requests that ended without a response, so that the node may still count them, and the number of the last one sent by then. */
  #uncounted = { requests: 0, sent: 0 };
  /** Of the requests that were abandoned since the last response: until when they count as in flight, while the limits are unknown. */
  #abandoned: number[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #bannedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until a ban ends; 0 without a ban. */
  get banned(): number {
    // In whole milliseconds: timers of Node.js fire up to a millisecond early.
    return Math.max(0, Math.floor(this.#bannedUntil - this.#clock.now()));
  }

  /** Milliseconds until the node accepts requests again, as it said when it rejected one; otherwise 0. */
  get paused(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** The expected wait of a request that is queued now, in milliseconds. */
  get expectedDelay(): number {
    const now = this.#clock.now();
    return Math.max(0, this.#pausedUntil - now, this.#bucket.delay(this.#waiting.size + 1, now));
  }

  /** Returns a permit if a request can be sent now. If the limits ask for more than `maxWait`, they do not hold it back. */
  tryAcquire(maxWait: number): Permit | undefined {
    const now = this.#clock.now();
    return this.#waiting.size === 0 && this.#delay(maxWait, 0, now) === 0 ? this.#permit(now) : undefined;
  }

  /**
   * Queues a request, and waits for its permit; `undefined` if the wait has become longer than `maxWait`. Rejects with the reason of the
   * signal as soon as that is aborted.
   */
  queue(maxWait: number, signal: AbortSignal): Promise<Permit | undefined> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        this.#waiting.delete(waiter);
        signal.removeEventListener("abort", abort);
      };
      const waiter: Waiter = {
        maxWait,
        grant: (permit) => {
          leave();
          resolve(permit);
        },
      };
      const abort = () => {
        leave();
        reject(signal.reason);
        this.#serve();
      };
      signal.addEventListener("abort", abort);
      this.#waiting.add(waiter);
      this.#serve();
    });
  }

  /**
   * Grants permits to those whose wait is over, and sets a timer for the first of the others.
   *
   * @param all - Whether the wait of any of them may be over, not only that of the first ones.
   */
  #serve(all = false): void {
    this.#clearTimer();
    this.#clearTimer = ignore;
    let ahead = 0;
    for (const { maxWait, grant } of this.#waiting) {
      // Read once: by the next reading the wait may be over, with no timer set.
      const now = this.#clock.now();
      const isRefused = this.banned > 0 || this.#pausedUntil - now > maxWait;
      const delay = isRefused ? 0 : this.#delay(maxWait, ahead, now);
      if (delay === 0) {
        grant(isRefused ? undefined : this.#permit(now));
        continue;
      }
      if (ahead === 0 && delay < Number.POSITIVE_INFINITY) {
        this.#clearTimer = this.#clock.after(Math.ceil(delay), () => this.#serve());
      }
      if (!all) return;
      ahead++;
    }
  }

  /**
   * A request is no longer in flight. Without a response, `outcome` is `undefined`.
   *
   * @param patience - If the client has ended it, so that the node has probably received it: the milliseconds from when it was sent for
   * which it keeps its place, if no response comes before.
   */
  release(permit: Permit, outcome: PermitOutcome | undefined, patience = 0): void {
    if (!this.#inFlight.delete(permit)) return;
    if (outcome === undefined) {
      this.#uncounted = { requests: this.#uncounted.requests + 1, sent: this.#sent };
      if (patience > 0 && !this.#bucket.isKnown) this.#abandoned.push(permit.sentAt + patience);
    } else {
      this.#counted++;
      this.#abandoned = [];
      // A request that was sent after they had ended has its response: by now the node has counted them.
      if (permit.number > this.#uncounted.sent) {
        this.#counted += this.#uncounted.requests;
        this.#uncounted = { requests: 0, sent: 0 };
      }
      if (outcome.rateLimit) this.#observe(permit, outcome.rateLimit);
      else if (outcome.ok && !this.#bucket.isKnown) this.#maxInFlight = Number.POSITIVE_INFINITY;
    }
    this.#serve();
  }

  /** The node has rejected a request because of the rate: nothing is sent for some milliseconds. */
  pause(milliseconds: number): void {
    const now = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + milliseconds);
    this.#bucket.empty(now);
    this.#serve(true);
  }

  /** The node has banned the client: nothing is sent for some milliseconds, and nothing waits for that. */
  ban(milliseconds: number): void {
    this.#bannedUntil = Math.max(this.#bannedUntil, this.#clock.now() + milliseconds);
    this.#serve(true);
  }

  #observe({ sentAt, number, counted }: Permit, rateLimit: RateLimit): void {
    const now = this.#clock.now();
    const elapsed = now - sentAt;
    const others = { concurrent: this.#sent - 1 - counted, later: this.#sent - number };
    this.#bucket.observe({ ...rateLimit, ...others, elapsed }, now);
    // As many as it takes to use the whole rate, however long a response takes.
    this.#maxInFlight = Math.max(fewInFlight, 1.5 * this.#bucket.rate * elapsed);
  }

  #permit(now: number): Permit {
    this.#bucket.take(now);
    this.#lastSentAt = now;
    const permit = { sentAt: now, number: ++this.#sent, counted: this.#counted };
    this.#inFlight.add(permit);
    return permit;
  }

  /**
   * Milliseconds until a request can be sent; `Infinity` until another one has ended.
   *
   * @param ahead - How many requests are sent before it.
   */
  #delay(maxWait: number, ahead: number, now: number): number {
    const paused = this.#pausedUntil - now;
    if (paused > 0) return paused;
    const isLimited = this.#bucket.delay(1, now) <= maxWait;
    return Math.max(this.#untilFewer(ahead, now), isLimited ? this.#bucket.delay(1 + ahead, now) : 0);
  }

  #untilFewer(ahead: number, now: number): number {
    const excess = this.#inFlight.size + ahead - this.#maxInFlight;
    if (this.#bucket.isKnown) return excess < 0 ? 0 : Number.POSITIVE_INFINITY;
    this.#abandoned = this.#abandoned.filter((until) => until > now).sort((a, b) => a - b);
    const { length } = this.#abandoned;
    if (excess + length < 0) return 0;
    // Once as many of them have left their places as are missing.
    const free = excess < 0 ? (this.#abandoned[excess + length] ?? now) : Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(free, this.#lastSentAt + (ahead + 1) * probeInterval) - now);
  }
}
