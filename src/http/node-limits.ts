import type { Clock } from "../async/clock.js";
import type { RateLimitError } from "../errors/rate-limit-error.js";
import type { SendAttempt } from "./context.js";
import type { Emit } from "./events.js";
import type { RateLimiter } from "./rate-limiter.js";

/** What is known of the rate limit of one node. */
export interface NodeLimits {
  /** Set once a request was sent. */
  limiter?: RateLimiter;
  /** The last rejection: the error of calls that are not sent because of it. */
  rejection?: { error: RateLimitError; response: Response };
}

export const newLimits = (): NodeLimits => ({});

/** What attempts on one node are paced with. */
export interface Pacing {
  next: SendAttempt;
  limits: NodeLimits;
  clock: Clock;
  emit: Emit | undefined;
}
