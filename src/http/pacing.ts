import type { Clock } from "../async/clock.js";
import { RateLimitError } from "../errors/index.js";
import type { Attempt, Context, SendAttempt } from "./context.js";
import type { Emit } from "./events.js";
import { type Outcome, type Permit, RateLimiter } from "./rate-limiter.js";
import { readWait, retryAfter } from "./retry-after.js";
import type { RateLimit } from "./token-bucket.js";

/** What is known of the rate limit of one node. */
export class NodeLimits {
  readonly limiter: RateLimiter;
  /** The last rejection: the error of calls that are not sent because of it. */
  rejection: { error: RateLimitError; response: Response } | undefined;

  constructor(clock: Clock) {
    this.limiter = new RateLimiter(clock);
  }
}

/** Sends an attempt when the rate limit of the node permits it. While the node rejects requests, nothing is sent. */
export function withRateLimit(
  next: SendAttempt,
  limits: NodeLimits,
  clock: Clock,
  emit: Emit | undefined,
): SendAttempt {
  const { limiter } = limits;

  function throwIfRejected({ operation, settings }: Context<unknown>, { number }: Attempt): void {
    const { rejection } = limits;
    if (rejection === undefined) return;
    const wait = limiter.banned || (limiter.paused > settings.maxRetryAfter ? limiter.paused : 0);
    if (wait === 0) return;
    const { request, body, banned } = rejection.error;
    const { response } = rejection;
    const seconds = Math.ceil(wait / 1000);
    const attempts = number - 1;
    throw new RateLimitError({
      operation,
      attempts,
      request,
      response,
      body,
      banned,
      retryAfter: seconds,
      sent: false,
    });
  }

  function onRejection(error: RateLimitError, response: Response): void {
    const { banned } = error;
    // A request that was in flight when the ban began can still be rejected because of the rate: the ban lasts longer.
    if (banned || limiter.banned === 0) limits.rejection = { error, response };
    const wait = retryAfter(error.status, error.headers, clock) ?? 0;
    if (banned) limiter.ban(wait);
    else limiter.pause(wait);
  }

  async function acquire(context: Context<unknown>, attempt: Attempt): Promise<Permit> {
    const { operation, settings } = context;
    for (;;) {
      const delay = Math.ceil(limiter.expectedDelay);
      const cause = limiter.paused > 0 ? "refusal" : "limit";
      emit?.({ type: "pause", operation, attempt: attempt.number, delay, cause });
      const granted = await attempt.cancellation.run<Permit | undefined>((resolve) =>
        limiter.queue(settings.maxRetryAfter, resolve),
      );
      const permit = granted ?? tryAcquire(context, attempt);
      if (permit) return permit;
    }
  }

  function tryAcquire(context: Context<unknown>, attempt: Attempt): Permit | undefined {
    throwIfRejected(context, attempt);
    return limiter.tryAcquire(context.settings.maxRetryAfter);
  }

  return async (context, attempt) => {
    const permit = tryAcquire(context, attempt) ?? (await acquire(context, attempt));
    try {
      return await next(context, attempt);
    } catch (error) {
      if (RateLimitError.is(error) && attempt.response) onRejection(error, attempt.response);
      throw error;
    } finally {
      limiter.release(permit, attempt.response && outcomeOf(attempt.response, clock));
    }
  };
}

function outcomeOf({ ok, status, headers }: Response, clock: Clock): Outcome {
  return { ok, rateLimit: readRateLimit(status, headers, clock) };
}

/** Reads the rate limit, corrected so that it can be waited for, whatever a server sends. */
export function readRateLimit(status: number, headers: Headers, clock: Clock): RateLimit | undefined {
  const remaining = readInteger(headers.get("ratelimit-remaining"));
  if (remaining === undefined) return undefined;
  return {
    limit: Math.max(1, readInteger(headers.get("ratelimit-limit")) ?? 1),
    period: Math.max(1000, readWait(headers.get("ratelimit-reset"), clock) ?? 0),
    // A rejected request has found no token, whatever the header says.
    remaining: status === 429 ? 0 : Math.max(0, remaining),
  };
}

function readInteger(text: string | null): number | undefined {
  const value = Number.parseInt(text ?? "", 10);
  return Number.isNaN(value) ? undefined : value;
}
