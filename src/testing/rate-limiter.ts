import { withDefaults } from "../arguments/check-options.js";

/**
 * How many requests a node serves, to all its clients together.
 *
 * @inline
 */
export interface RateLimit {
  /** Requests a second. */
  rate?: number | undefined;
  /** Requests at once. */
  burst?: number | undefined;
  /** Rejected requests at once, refilled at the same rate; the next one becomes a ban. */
  refusals?: number | undefined;
  /** Seconds that a ban lasts. */
  ban?: number | undefined;
}

/** The limits of a node with its default settings (observed on v0.74 nodes). */
const defaultRateLimit = { rate: 20, burst: 100, refusals: 100, ban: 600 };

export type RateLimiter = () => { outcome: "served" | "refused" | "banned"; headers: Record<string, string> };

/** Returns two token buckets: rejected requests draw on the second one, and a client that empties it is banned. */
export function createRateLimiter(limit: RateLimit, now: () => number): RateLimiter {
  const { rate, burst, refusals, ban } = withDefaults(defaultRateLimit, limit);
  let [tokens, rejections] = [burst, refusals];
  let refilledAt = now();
  let bannedUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    // Both buckets refill continuously. Fake timers can set the time back.
    const added = (Math.max(0, time - refilledAt) / 1000) * rate;
    refilledAt = time;
    tokens = Math.min(burst, tokens + added);
    rejections = Math.min(refusals, rejections + added);
    // A request during a ban does not lengthen it.
    if (time >= bannedUntil) {
      const outcome = tokens >= 1 ? "served" : rejections >= 1 ? "refused" : "banned";
      if (outcome === "served") tokens--;
      if (outcome === "refused") rejections--;
      const headers = {
        "RateLimit-Limit": String(rate),
        "RateLimit-Remaining": String(Math.floor(tokens)),
        "RateLimit-Reset": "1",
        "RateLimit-Request-Remote-Addr": "127.0.0.1",
      };
      if (outcome !== "banned") return { outcome, headers };
      bannedUntil = time + ban * 1000;
    }
    const seconds = Math.ceil((bannedUntil - time) / 1000);
    return { outcome: "banned", headers: { "RateLimit-Retry-After": String(seconds) } };
  };
}
