import { sleep } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { ApiError, annotate, ConnectionError, RateLimitError, ResponseError, TimeoutError } from "../errors/index.js";
import type { Settings } from "./call-options.js";
import { observedError } from "./events.js";
import type { Deliver, Fetch, Transport } from "./request.js";

type Tools = Pick<Transport, "clock" | "random" | "emit">;

/** Sends a request until it succeeds, fails with an error that is not transient, or has used up its attempts. */
export function retry(send: Fetch, tools: Tools): Deliver {
  return async (request, call) => {
    const { operation, settings, signal, progress } = call;
    for (let number = 1; ; number++) {
      try {
        return await send(request, call, number);
      } catch (error) {
        // The rate limiter refused this attempt. Only the call that received the rejection waits, and tries again.
        const isRefused = RateLimitError.is(error) && error.attempts < number;
        const isLast = call.once || number >= settings.attempts;
        if (isRefused || isLast || signal?.aborted || !isTransient(error, call.finalStatuses)) throw error;
        progress.cause = error;
        const delay = delayAfter(error, number, settings, tools);
        if (delay === undefined) throw withLongWait(error, settings, tools.clock);
        tools.emit?.({ type: "retry", operation, attempt: number, delay, error: observedError(error) });
        await sleep(tools.clock, delay, signal);
      }
    }
  };
}

/** Whether another attempt may succeed. */
export function isTransient(error: unknown, finalStatuses: object = {}): boolean {
  if (isRefusedRange(error)) return false;
  if (ApiError.is(error)) {
    if (error.status in finalStatuses) return false;
    // Cloudflare sends 520 and higher if it cannot reach the server.
    return RateLimitError.is(error) || [408, 500, 502, 503, 504].includes(error.status) || error.status >= 520;
  }
  if (TimeoutError.is(error)) return error.scope === "attempt";
  // JSON that does not parse was truncated, even if the connection ended as it should.
  if (ResponseError.is(error)) return typeof error.body === "string" && error.body.trimStart().startsWith("{");
  return ConnectionError.is(error);
}

/**
 * Whether a node refused a range of time. v0.75 nodes do so with status 500 (their source), later nodes with 400
 * (observed on v0.79 nodes).
 */
export const isRefusedRange = (error: unknown): error is ApiError =>
  ApiError.is(error) && error.detail?.["message"] === "invalid date range";

/** Milliseconds to wait after an attempt, counted from 1: a random part of a span that doubles ("full jitter"). */
export const backoff = (
  attempt: number,
  { baseDelay, maxDelay, random = Math.random }: { baseDelay: number; maxDelay: number; random?: () => number },
): number => random() * Math.min(maxDelay, baseDelay * 2 ** (attempt - 1));

/** Milliseconds until the next attempt; `undefined` if the server asks for more than `maxRetryAfter`. */
export function delayAfter(error: unknown, attempt: number, settings: Settings, tools: Tools): number | undefined {
  const requested = requestedDelay(error, tools.clock);
  if (requested > settings.maxRetryAfter) return undefined;
  return Math.max(requested, backoff(attempt, { ...settings, random: tools.random }));
}

/** The milliseconds that a server asks to wait for; 0 if it does not. */
export function requestedDelay(error: unknown, clock: Clock): number {
  // The rate limiter rejects a request that is not sent with the response from before, and the time that is left.
  if (RateLimitError.is(error)) return (error.retryAfter ?? 0) * 1000;
  return ApiError.is(error) ? (retryAfter(error.status, error.headers, clock) ?? 0) : 0;
}

/** Adds to an error why the call is not retried: the server asks for a longer wait than the caller allows. */
export function withLongWait(error: unknown, { maxRetryAfter }: Settings, clock: Clock): unknown {
  // The message about a rate limit says how long to wait.
  if (!ApiError.is(error) || RateLimitError.is(error)) return error;
  const delay = requestedDelay(error, clock);
  if (delay <= maxRetryAfter) return error;
  const seconds = Math.ceil(delay / 1000);
  const reason = `Not retried: the server asks for a wait of ${seconds} s, longer than \`maxRetryAfter\`, ${maxRetryAfter} ms`;
  return annotate(error, { message: `${error.message}. ${reason}` });
}

/** A server that asks for more than a day is taken to be wrong: the wait is cut to this. */
const longestWait = 86_400_000;

/** A number this large is a time since 1970, not a wait. */
const firstUnixTime = 1_000_000_000_000;

/** If the header of a ban gives no time, nothing is sent for this long. Requests during a ban do not extend it. */
const defaultBan = 60_000;

/** Returns whether a response says that the node has banned the client (observed on v0.74 nodes). */
export const isBan = (status: number, headers: Headers): boolean =>
  status === 403 && headers.has("ratelimit-retry-after");

/**
 * Returns the milliseconds after which a server accepts the next request; `undefined` if it gives no time. Proxies send
 * `Retry-After`; nodes send `RateLimit-Retry-After` with a ban, and with every response `RateLimit-Reset`, which
 * concerns only a rejected request (observed on v0.74 nodes).
 */
export function retryAfter(status: number, headers: Headers, clock: Clock): number | undefined {
  // The clock of the client can be wrong.
  const now = Date.parse(headers.get("date") ?? "") || clock.date();
  const waits = [
    readWait(headers.get("ratelimit-retry-after"), now),
    readWait(headers.get("retry-after"), now),
    status === 429 ? readWait(headers.get("ratelimit-reset"), now) : undefined,
  ].filter((each) => each !== undefined);
  const wait = waits.length > 0 ? Math.max(...waits) : undefined;
  // The last second of a ban is 0 seconds.
  return isBan(status, headers) ? Math.max(1000, wait ?? defaultBan) : wait;
}

/**
 * Reads a wait in milliseconds from a header that holds seconds, a Unix time or a date.
 *
 * @param now - In Unix milliseconds.
 */
export function readWait(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const isNumber = /^\s*\d+(?:\.\d+)?\s*$/.test(text);
  // A date has letters; Date.parse would also take "-5" for a year.
  const isDate = /[a-z]/i.test(text);
  const milliseconds = isNumber ? Number(text) * 1000 : isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) return undefined;
  const wait = isDate || milliseconds >= firstUnixTime ? milliseconds - now : milliseconds;
  return Math.min(Math.max(0, wait), longestWait);
}
