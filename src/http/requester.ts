import { refuseByRule } from "../arguments/refuse.js";
import { onAbort, sleep } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { RateLimitError, type SentRequest, TimeoutError } from "../errors/index.js";
import { type Answer, readBlock } from "./call.js";
import { type Emit, observedError } from "./events.js";
import type { Permit, RateLimiter } from "./rate-limiter.js";
import { errorOf, fetchResponse, readResult, type Validate, withBody } from "./response.js";
import { delayAfter, isTransient, withLongWait } from "./retry.js";
import type { CallRequest } from "./route.js";

/** What the attempts on one node are made with. */
export interface Transport {
  fetch: (request: Request) => Promise<Response>;
  validate: Validate | undefined;
  clock: Clock;
  /** Returns a number from 0 up to 1. */
  random: () => number;
  emit: Emit | undefined;
  /** `undefined` if requests are not held back. */
  limiter: RateLimiter | undefined;
  /** The address of the node, if the client has several. */
  baseUrl?: string;
}

/** Makes a call to one address: attempts, and after transient failures further ones, until its total deadline. */
export async function sendCall<T>(transport: Transport, call: CallRequest<T>): Promise<Answer<T>> {
  const { clock, emit } = transport;
  const { operation, once, settings, signal, finalStatuses, node } = call;
  if (node !== undefined) {
    refuseByRule({ operation, argument: "node" }, "is for clients with a pool; this client has one node. Omit it");
  }
  const endsAt = clock.now() + settings.totalTimeout;
  const mostAttempts = once ? 1 : settings.attempts;
  let cause: unknown;
  for (let number = 1; ; number++) {
    try {
      return await sendAttempt(transport, call, { number, signal, endsAt, cause });
    } catch (error) {
      // The rate limiter has rejected an attempt that was not sent.
      const isRefused = RateLimitError.is(error) && error.attempts < number;
      if (isRefused || number === mostAttempts || signal?.aborted || !isTransient(error, finalStatuses)) throw error;
      const delay = delayAfter(error, number, settings, transport);
      if (delay === undefined) throw withLongWait(error, settings, clock);
      emit?.({ type: "retry", operation, attempt: number, delay, error: observedError(error) });
      await waitUntil(endsAt, delay, call, clock, { attempts: number, cause: error });
      cause = error;
    }
  }
}

/**
 * Waits before the next attempt.
 *
 * @throws {@link TimeoutError} if the total deadline passes first.
 */
export async function waitUntil(
  endsAt: number,
  delay: number,
  call: CallRequest<unknown>,
  clock: Clock,
  soFar: { attempts: number; cause: unknown },
): Promise<void> {
  const left = Math.max(0, endsAt - clock.now());
  await sleep(clock, Math.min(delay, left), call.signal);
  if (delay >= left) throw totalTimeoutError(call, soFar);
}

export interface Attempt {
  number: number;
  /** Ends the attempt. */
  signal: AbortSignal | undefined;
  /** When the total deadline of the call passes, in milliseconds of the clock. */
  endsAt: number;
  /** The error of the attempt before. */
  cause?: unknown;
}

/** The reason with which an attempt is aborted when its deadline passes. */
const late = Symbol("late");

/**
 * Makes one attempt: waits for the rate limit of the node, sends the request through the middleware of openapi-fetch, and reads the
 * response. Its deadline starts when the request is sent: the wait before counts for the total deadline alone.
 */
export async function sendAttempt<T>(transport: Transport, call: CallRequest<T>, attempt: Attempt): Promise<Answer<T>> {
  const { clock, emit, limiter } = transport;
  const { operation, settings } = call;
  const { number, signal, endsAt } = attempt;
  signal?.throwIfAborted();
  // Of this attempt alone: a Request keeps a listener on its signal for as long as the signal lives.
  const controller = new AbortController();
  let rejectExchange: (reason: unknown) => void = ignore;
  const abort = (reason: unknown) => {
    controller.abort(reason);
    // The caller's `fetch` and `validate` may not listen to the signal.
    rejectExchange(reason);
  };
  const removeListener = signal && onAbort(signal, () => abort(signal.reason));
  let clearTimer = ignore;
  const setDeadline = (milliseconds: number) => {
    clearTimer();
    clearTimer = milliseconds < Number.POSITIVE_INFINITY ? clock.after(milliseconds, () => abort(late)) : ignore;
  };
  const origin = { operation, attempts: number, maxResponseSize: settings.maxResponseSize };
  let permit: Permit | undefined;
  let sentAt: number | undefined;
  // Node.js aborts a Request only as long as something refers to it: the timer and the signal do, by this variable.
  let sent: Request | undefined;
  let response: Response | undefined;
  let error: unknown;
  const fetch = async (request: Request) => {
    sent = request;
    emit?.({ type: "attempt", operation, attempt: number, method: request.method, url: request.url });
    // The observer may have aborted the call.
    controller.signal.throwIfAborted();
    response = await fetchResponse(transport.fetch, request, { ...origin, request });
    return response.ok ? response : withBody({ ...origin, request, response });
  };
  const exchange = async (): Promise<Answer<T>> => {
    const result = await call.attempt(call.params, {
      headers: call.headers,
      signal: controller.signal,
      parseAs: "stream",
      baseUrl: transport.baseUrl,
      fetch,
    });
    // Middleware can respond without a request.
    const request = sent ?? { method: "", url: result.response.url };
    const received = { ...origin, request, response: result.response };
    if (!received.response.ok) throw errorOf(received, result, call.hints, clock);
    const data = await (call.receive ? call.receive(received) : readResult(received, call, transport.validate));
    return { data, response: received.response, block: readBlock(received.response), stale: false };
  };
  try {
    if (limiter) {
      setDeadline(endsAt - clock.now());
      permit = await limiter.acquire({ operation, attempt: number, settings }, controller.signal, emit);
    }
    sentAt = clock.now();
    setDeadline(Math.min(settings.timeout, endsAt - sentAt));
    controller.signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      rejectExchange = reject;
      exchange().then(resolve, reject);
    });
  } catch (reason) {
    error = reason === late ? timeoutError(call, attempt, sent, sentAt) : reason;
    throw error;
  } finally {
    clearTimer();
    removeListener?.();
    if (emit && sent && sentAt !== undefined) {
      const observed = error === undefined ? undefined : observedError(error);
      const duration = clock.now() - sentAt;
      emit({ type: "response", operation, attempt: number, duration, status: response?.status, error: observed });
    }
    if (permit) limiter?.release(permit, settings, { response, error, isAborted: controller.signal.aborted });
  }
}

/**
 * The error of an attempt whose deadline, or that of its call, has passed.
 *
 * @param sentAt - `undefined` if it still waits for the rate limit.
 */
function timeoutError(
  call: CallRequest<unknown>,
  { number, cause, endsAt }: Attempt,
  request: SentRequest | undefined,
  sentAt: number | undefined,
): TimeoutError {
  const { operation, settings } = call;
  if (sentAt === undefined) return totalTimeoutError(call, { attempts: number - 1, cause, waitedFor: "rate-limit" });
  // The shorter of the two.
  if (endsAt - sentAt < settings.timeout) return totalTimeoutError(call, { attempts: number, cause });
  const message =
    `Attempt ${number} of ${operation} took longer than ${settings.timeout} ms` +
    (request ? ` (${request.method} ${request.url})` : "");
  return new TimeoutError(message, { scope: "attempt", waitedFor: undefined, operation, attempts: number });
}

function totalTimeoutError(
  { operation, settings }: CallRequest<unknown>,
  { attempts, cause, waitedFor }: { attempts: number; cause: unknown; waitedFor?: TimeoutError["waitedFor"] },
): TimeoutError {
  const message =
    `${operation} took longer than ${settings.totalTimeout} ms in total, with ${attempts} ${attempts === 1 ? "attempt" : "attempts"}` +
    (waitedFor ? ", because it waited for the rate limit. Make fewer calls at once, or raise `totalTimeout`." : "");
  return new TimeoutError(message, { scope: "total", waitedFor, operation, attempts, cause });
}
