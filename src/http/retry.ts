import type { Cancellation } from "../async/cancellation.js";
import type { Clock } from "../async/clock.js";
import { ApiError, ConnectionError, RateLimitError, ResponseError, TimeoutError } from "../errors/index.js";
import type { Settings } from "./call-options.js";
import type { Attempt, SendAttempt, SendCall } from "./context.js";
import { type Emit, observedError } from "./events.js";
import { retryAfter } from "./retry-after.js";

const transientStatuses = [408, 500, 502, 503, 504];

export interface RetryContext {
  clock: Clock;
  /** Returns a number from 0 up to 1. */
  random: () => number;
  emit: Emit | undefined;
}

/** Makes further attempts after transient failures. */
export const withRetry =
  (next: SendAttempt, retryContext: RetryContext): SendCall =>
  async (context) => {
    const { operation, cancellation, once, settings } = context;
    const { clock, emit } = retryContext;
    const attempts = once ? 1 : settings.attempts;
    for (let number = 1; ; number++) {
      try {
        return await next(context, newAttempt(cancellation.child(), number));
      } catch (error) {
        context.lastError = error;
        // The rate limiter has rejected an attempt that was not sent.
        const isRefused = RateLimitError.is(error) && context.attempts < number;
        if (isRefused || number === attempts || cancellation.isCancelled || !isTransient(error, context.finalStatuses))
          throw error;
        const delay = delayAfter(error, number, settings, retryContext);
        if (delay === undefined) throw error;
        emit?.({ type: "retry", operation, attempt: number, delay, error: observedError(error) });
        await cancellation.run<void>((resolve) => clock.after(delay, resolve));
      }
    }
  };

/** @param baseUrl - The address of the node, if the client has several. */
export function newAttempt(cancellation: Cancellation, number: number, baseUrl?: string): Attempt {
  return { number, baseUrl, cancellation, waited: 0 };
}

/** Returns whether another attempt may succeed. */
export function isTransient(error: unknown, finalStatuses: readonly number[] = []): boolean {
  if (ApiError.is(error)) {
    if (finalStatuses.includes(error.status)) return false;
    return RateLimitError.is(error) || transientStatuses.includes(error.status);
  }
  if (TimeoutError.is(error)) return error.scope === "attempt";
  if (ResponseError.is(error)) return isTruncated(error.body);
  return ConnectionError.is(error);
}

/** JSON that does not parse was truncated, even if the connection ended as it should. */
function isTruncated(body: unknown): boolean {
  return typeof body === "string" && body.trimStart().startsWith("{");
}

/**
 * Returns the milliseconds to wait before the next attempt: as long as the server asks for, and at least a random part of the
 * backoff ("full jitter"), which doubles with each attempt. `undefined` if the server asks for more than `maxRetryAfter`.
 */
export function delayAfter(
  error: unknown,
  number: number,
  { baseDelay, maxDelay, maxRetryAfter }: Settings,
  { clock, random }: Pick<RetryContext, "clock" | "random">,
): number | undefined {
  const named = ApiError.is(error) ? (retryAfter(error.status, error.headers, clock) ?? 0) : 0;
  if (named > maxRetryAfter) return undefined;
  const backoff = Math.min(maxDelay, baseDelay * 2 ** (number - 1));
  return Math.max(named, random() * backoff);
}
