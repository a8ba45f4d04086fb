import { type Clock, systemClock } from "../async/clock.js";
import { RateLimitError } from "../errors/index.js";
import type { Settings } from "./call-options.js";
import type { Emit } from "./events.js";
import { type Permit, RateLimiter } from "./rate-limiter.js";
import { retryAfter } from "./retry.js";
import { readRateLimit } from "./token-bucket.js";

/** An attempt that needs a permit. */
export interface PacedAttempt {
  operation: string;
  /** Counted from 1. */
  attempt: number;
  settings: Settings;
}

/** How an attempt has ended. */
export interface AttemptEnd {
  /** The response of the node, before middleware. */
  response: Response | undefined;
  error: unknown;
  isAborted: boolean;
}

/** What is known of the rate limit of one node. */
export class NodeLimits {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  /** The last rejection: the error of calls that are not sent because of it. */
  #rejection: { error: RateLimitError; response: Response } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#limiter = new RateLimiter(clock);
  }

  /** The expected wait of a request that is queued now, in milliseconds. */
  get expectedDelay(): number {
    return this.#limiter.expectedDelay;
  }

  /**
   * Waits until the rate limit permits an attempt, or the signal is aborted.
   *
   * @throws {@link RateLimitError} if the node rejects requests for longer than the call waits.
   */
  async acquire(attempt: PacedAttempt, signal: AbortSignal, emit: Emit | undefined): Promise<Permit> {
    const { maxRetryAfter } = attempt.settings;
    let permit = this.#tryAcquire(attempt);
    while (permit === undefined) {
      const delay = Math.ceil(this.#limiter.expectedDelay);
      const cause = this.#limiter.paused > 0 ? "refusal" : "limit";
      emit?.({ type: "pause", operation: attempt.operation, attempt: attempt.attempt, delay, cause });
      permit = (await this.#limiter.queue(maxRetryAfter, signal)) ?? this.#tryAcquire(attempt);
    }
    return permit;
  }

  #tryAcquire({ operation, attempt, settings }: PacedAttempt): Permit | undefined {
    const { banned, paused } = this.#limiter;
    const wait = banned || (paused > settings.maxRetryAfter ? paused : 0);
    if (!this.#rejection || wait === 0) return this.#limiter.tryAcquire(settings.maxRetryAfter);
    const { response, error } = this.#rejection;
    throw new RateLimitError({
      operation,
      attempts: attempt - 1,
      request: error.request,
      response,
      body: error.body,
      banned: error.banned,
      retryAfter: Math.ceil(wait / 1000),
      sent: false,
    });
  }

  /** Notes how an attempt has ended. */
  release(permit: Permit, { timeout, totalTimeout }: Settings, { response, error, isAborted }: AttemptEnd): void {
    const limiter = this.#limiter;
    if (RateLimitError.is(error) && response) {
      // A request that was in flight when the ban began can still be rejected because of the rate: the ban lasts longer.
      if (error.banned || limiter.banned === 0) this.#rejection = { error, response };
      const wait = retryAfter(error.status, error.headers, this.#clock) ?? 0;
      if (error.banned) limiter.ban(wait);
      else limiter.pause(wait);
    }
    const rateLimit = response && readRateLimit(response.status, response.headers, this.#clock);
    // A little longer than its deadline: the calls that were made together with it end before they could take its place.
    const patience = isAborted ? 1.1 * Math.min(timeout, totalTimeout) : 0;
    limiter.release(permit, response && { ok: response.ok, rateLimit }, patience);
  }
}

type Fetch = (request: Request) => Promise<Response>;

/** Where all copies of this package in a program keep the limits. The number changes with the members of `NodeLimits`. */
const registry = Symbol.for("vegaprotocol-client.limits.3");

/**
 * Returns the rate limit that all clients of one origin share, if they send with the same function. A node counts the requests of one
 * address together, so that two limits would allow twice the rate. It is dropped with the last client.
 */
export function sharedLimits(fetch: Fetch, origin: string): NodeLimits {
  const shared = globalThis as { [registry]?: WeakMap<Fetch, Map<string, WeakRef<NodeLimits>>> };
  shared[registry] ??= new WeakMap();
  const origins = shared[registry].get(fetch) ?? new Map<string, WeakRef<NodeLimits>>();
  shared[registry].set(fetch, origins);
  const known = origins.get(origin)?.deref();
  if (known) return known;
  const limits = new NodeLimits(systemClock);
  origins.set(origin, new WeakRef(limits));
  return limits;
}
