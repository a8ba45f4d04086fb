import type { Clock } from "./clock.js";
import { ApiError, ConnectionError, RateLimitError, ResponseError, TimeoutError } from "./errors/index.js";
import type { Settings } from "./options.js";

const passingStatuses = [408, 500, 502, 503, 504];

/** Tells whether another attempt may do better. */
export function isPassing(error: unknown): boolean {
  if (ApiError.is(error)) return RateLimitError.is(error) || passingStatuses.includes(error.status);
  if (TimeoutError.is(error)) return error.scope === "attempt";
  if (ResponseError.is(error)) return isCutShort(error.body);
  return ConnectionError.is(error);
}

/** JSON that breaks off is a body cut short, whatever the connection did. What parses is no text any more. */
function isCutShort(body: unknown): boolean {
  return typeof body === "string" && body.trimStart().startsWith("{");
}

/**
 * Milliseconds to wait before the next attempt: what the server asks for, and at least a random part ("full jitter") of a
 * span that doubles with each attempt. `undefined` where the server asks for more than the caller will wait.
 */
export function delayBefore(
  attempt: number,
  told: number | undefined,
  { baseDelay, maxDelay, maxRetryAfter }: Settings,
  random: () => number,
): number | undefined {
  if (told !== undefined && told > maxRetryAfter) return undefined;
  const span = Math.min(maxDelay, baseDelay * 2 ** (attempt - 1));
  return Math.max(told ?? 0, random() * span);
}

/**
 * Milliseconds after which a server wants to be asked again, or `undefined` where it does not say. Proxies send
 * `Retry-After`, nodes `RateLimit-Retry-After` with a ban and `RateLimit-Reset` with every answer, which says something of
 * a refusal alone (observed on v0.74 nodes).
 */
export function retryAfter(status: number, headers: Headers, clock: Clock): number | undefined {
  const told = [
    seconds(headers.get("ratelimit-retry-after")),
    seconds(headers.get("retry-after")) ?? untilDate(headers.get("retry-after"), clock),
    status === 429 ? seconds(headers.get("ratelimit-reset")) : undefined,
  ].filter((each) => each !== undefined);
  return told.length > 0 ? Math.max(...told) : undefined;
}

function seconds(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : undefined;
}

function untilDate(text: string | null, clock: Clock): number | undefined {
  // A date has letters; Date.parse would also take "-5" for a year.
  const date = text !== null && /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.date());
}
