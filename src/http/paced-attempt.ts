import type { Clock } from "../async/clock.js";
import { RateLimitError } from "../errors/index.js";
import type { Attempt, Context, Reply } from "./context.js";
import type { NodeLimits, Pacing } from "./node-limits.js";
import { readRateLimit } from "./rate-limit-headers.js";
import { type Permit, type PermitOutcome, RateLimiter } from "./rate-limiter.js";
import { retryAfter } from "./retry-after.js";

/** Sends an attempt when the rate limit of the node permits it. While the node rejects requests, nothing is sent. */
export async function pacedAttempt<T>(pacing: Pacing, context: Context<T>, attempt: Attempt): Promise<Reply<T>> {
  const permit = tryAcquire(pacing, context, attempt) ?? (await acquire(pacing, context, attempt));
  let failure: unknown;
  try {
    return await pacing.next(context, attempt);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    endAttempt(pacing, permit, context, attempt, failure);
  }
}

/** Notes how an attempt has ended. */
function endAttempt(
  { limits, clock }: Pacing,
  permit: Permit,
  { settings }: Context<unknown>,
  attempt: Attempt,
  error: unknown,
): void {
  const { response, cancellation } = attempt;
  const limiter = limiterOf(limits, clock);
  if (RateLimitError.is(error) && response) {
    const { banned } = error;
    // A request that was in flight when the ban began can still be rejected because of the rate: the ban lasts longer.
    if (banned || limiter.banned === 0) limits.rejection = { error, response };
    const wait = retryAfter(error.status, error.headers, clock) ?? 0;
    if (banned) limiter.ban(wait);
    else limiter.pause(wait);
  }
  // A little longer than its deadline: the calls that were made together with it end before they could take its place.
  const patience = 1.1 * Math.min(settings.timeout, settings.totalTimeout);
  limiter.release(permit, response && outcomeOf(response, clock), cancellation.isCancelled ? patience : 0);
}

function limiterOf(limits: NodeLimits, clock: Clock): RateLimiter {
  limits.limiter ??= new RateLimiter(clock);
  return limits.limiter;
}

function tryAcquire({ limits, clock }: Pacing, context: Context<unknown>, { number }: Attempt): Permit | undefined {
  const limiter = limiterOf(limits, clock);
  const { operation, settings } = context;
  const { rejection } = limits;
  const wait = rejection && (limiter.banned || (limiter.paused > settings.maxRetryAfter ? limiter.paused : 0));
  if (!wait) return limiter.tryAcquire(settings.maxRetryAfter);
  const { response, error } = rejection;
  const { request, body, banned } = error;
  const attempts = number - 1;
  const retryAfter = Math.ceil(wait / 1000);
  throw new RateLimitError({ operation, attempts, request, response, body, banned, retryAfter, sent: false });
}

async function acquire(pacing: Pacing, context: Context<unknown>, attempt: Attempt): Promise<Permit> {
  const { limits, clock, emit } = pacing;
  const limiter = limiterOf(limits, clock);
  const { operation, settings } = context;
  const startedAt = clock.now();
  context.isQueued = true;
  attempt.waited = Number.POSITIVE_INFINITY;
  for (;;) {
    const delay = Math.ceil(limiter.expectedDelay);
    const cause = limiter.paused > 0 ? "refusal" : "limit";
    emit?.({ type: "pause", operation, attempt: attempt.number, delay, cause });
    const granted = await attempt.cancellation.run<Permit | undefined>((resolve) =>
      limiter.queue(settings.maxRetryAfter, resolve),
    );
    const permit = granted ?? tryAcquire(pacing, context, attempt);
    if (!permit) continue;
    attempt.waited = clock.now() - startedAt;
    return permit;
  }
}

function outcomeOf({ ok, status, headers }: Response, clock: Clock): PermitOutcome {
  return { ok, rateLimit: readRateLimit(status, headers, clock) };
}
