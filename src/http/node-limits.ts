import type { RateLimitError } from "../errors/rate-limit-error.js";
import type { Permit, RateLimiter } from "./rate-limiter.js";

/**
 * Requests in flight, at most, until the limits are known: what a program begins with does not wait, and the smallest buckets
 * reject two requests at most.
 */
export const firstInFlight = 3;

/** What is known of the rate limit of one node. */
export interface NodeLimits {
  /** Set once the code that keeps requests within the limit is there. */
  limiter?: RateLimiter;
  /** The requests that were sent before. */
  readonly early: Permit[];
  /** The last rejection: the error of calls that are not sent because of it. */
  rejection?: { error: RateLimitError; response: Response };
}

export const newLimits = (): NodeLimits => ({ early: [] });
