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
    const { attempts, lastError: cause } = context;
    const waitedFor = context.isQueued ? "rate-limit" : undefined;
    const message =
      `${operation} took longer than ${totalTimeout} ms in total, with ${attempts} ${attempts === 1 ? "attempt" : "attempts"}` +
      (waitedFor ? `,${queueHint("totalTimeout")}` : "");
    cancellation.cancel(new TimeoutError(message, { scope: "total", waitedFor, operation, attempts, cause }));
  };
  const clearTimer = setTimer(clock, totalTimeout, onDeadline);
  try {
    return await next(context);
  } finally {
    unsubscribe?.();
    clearTimer?.();
  }
}

/** Cancels an attempt when its `timeout` has passed, also while it waits for the rate limit. */
export const withDeadline =
  (next: SendAttempt, clock: Clock): SendAttempt =>
  async (context, attempt) => {
    const clearTimer = setTimer(clock, context.settings.timeout, () =>
      attempt.cancellation.cancel(lateError(context, attempt)),
    );
    try {
      return await next(context, attempt);
    } finally {
      clearTimer?.();
    }
  };

function lateError(context: Context<unknown>, { number, request, waited }: Attempt): TimeoutError {
  const { operation, attempts, settings } = context;
  const { timeout } = settings;
  const waitedFor = waited > timeout / 2 ? "rate-limit" : undefined;
  const message =
    `Attempt ${number} of ${operation} took longer than ${timeout} ms` +
    (request ? ` (${request.method} ${request.url})` : "") +
    (waitedFor ? queueHint("timeout") : "");
  return new TimeoutError(message, { scope: "attempt", waitedFor, operation, attempts });
}

const queueHint = (option: string) =>
  " because it waited for the rate limit of the client, which sends three requests at once until the node responds. Make fewer " +
  `calls at once, or raise \`${option}\`.`;

function setTimer(clock: Clock, milliseconds: number, callback: () => void): (() => void) | undefined {
  return milliseconds === Number.POSITIVE_INFINITY ? undefined : clock.after(milliseconds, callback);
}
