import type { Clock } from "../async/clock.js";
import { readWait } from "./retry-after.js";
import type { RateLimit } from "./token-bucket.js";

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
