import { onAbort } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { TimeoutError } from "../errors/index.js";
import type { Attempt, Context, Reply, SendAttempt, SendCall } from "./context.js";

/** Cancels a call when its signal is aborted or its `totalTimeout` has passed. */
export const withTotalDeadline =
  (next: SendCall, clock: Clock): SendCall =>
  (context) =>
    context.signal || context.settings.totalTimeout !== Number.POSITIVE_INFINITY
      ? sendInTime(next, clock, context)
      : next(context);

async function sendInTime<T>(next: SendCall, clock: Clock, context: Context<T>): Promise<Reply<T>> {
  const { operation, signal, cancellation } = context;
  const { totalTimeout } = context.settings;
  if (signal?.aborted) throw signal.reason;
  const unsubscribe = signal && onAbort(signal, () => cancellation.cancel(signal.reason));
  const onDeadline = () => {
    const { attempts, lastError } = context;
    const message =
      `${operation} took longer than ${totalTimeout} ms in total, ` +
      `with ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
    cancellation.cancel(new TimeoutError(message, { scope: "total", operation, attempts, cause: lastError }));
  };
  const clearTimer = setTimer(clock, totalTimeout, onDeadline);
  try {
    return await next(context);
  } finally {
    unsubscribe?.();
    clearTimer?.();
  }
}

/** Cancels an attempt when its `timeout` has passed. */
export const withDeadline =
  (next: SendAttempt, clock: Clock): SendAttempt =>
  async (context, attempt) => {
    const clearTimer = startDeadline(clock, context, attempt);
    try {
      return await next(context, attempt);
    } finally {
      clearTimer?.();
    }
  };

/** Sets the timer that cancels an attempt. The returned function clears it. */
export function startDeadline(
  clock: Clock,
  { operation, settings: { timeout } }: Context<unknown>,
  attempt: Attempt,
): (() => void) | undefined {
  const onDeadline = () => {
    const { number, request } = attempt;
    const message =
      `Attempt ${number} of ${operation} took longer than ${timeout} ms` +
      (request ? ` (${request.method} ${request.url})` : "");
    attempt.cancellation.cancel(new TimeoutError(message, { scope: "attempt", operation, attempts: number }));
  };
  return setTimer(clock, timeout, onDeadline);
}

function setTimer(clock: Clock, milliseconds: number, callback: () => void): (() => void) | undefined {
  return milliseconds === Number.POSITIVE_INFINITY ? undefined : clock.after(milliseconds, callback);
}
