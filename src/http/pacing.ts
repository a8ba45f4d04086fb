import { ignore } from "../async/item-iterator.js";
import { RateLimitError } from "../errors/rate-limit-error.js";
import type { Attempt, Context, Reply, SendAttempt } from "./context.js";
import { firstInFlight } from "./first-in-flight.js";
import type { Pacing } from "./node-limits.js";
import { onDemand } from "./on-demand.js";
import type { Permit } from "./rate-limiter.js";

const load = onDemand(() => import("./paced-attempt.js"));
type Code = Awaited<ReturnType<typeof load>>;

/**
 * Sends an attempt when the rate limit of the node permits it. The first requests of a program do not wait for the code that keeps the
 * limit: no limit is known before their responses.
 */
export const withRateLimit =
  (pacing: Pacing): SendAttempt =>
  (context, attempt) => {
    const code = load();
    if (!(code instanceof Promise)) return code.pacedAttempt(pacing, context, attempt);
    return pacing.limits.early.length < firstInFlight
      ? sendEarly(code, pacing, context, attempt)
      : code.then(({ pacedAttempt }) => pacedAttempt(pacing, context, attempt));
  };

async function sendEarly<T>(
  code: Promise<Code>,
  pacing: Pacing,
  context: Context<T>,
  attempt: Attempt,
): Promise<Reply<T>> {
  const { next, limits, clock } = pacing;
  const permit: Permit = { sentAt: clock.now(), number: limits.early.length + 1, counted: 0 };
  limits.early.push(permit);
  const end = (error?: unknown) =>
    code.then(({ endAttempt }) => endAttempt(pacing, permit, context, attempt, error), ignore);
  try {
    const reply = await next(context, attempt);
    end();
    return reply;
  } catch (error) {
    const ended = end(error);
    // The call after this one must know that the node rejects requests.
    if (RateLimitError.is(error)) await ended;
    throw error;
  }
}
