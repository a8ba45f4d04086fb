import { operations } from "../../generated/operations.js";
import { serialize } from "../arguments/read-arguments.js";
import { refuseByRule } from "../arguments/refuse.js";
import { within } from "../async/abort.js";
import { type Clock, systemClock } from "../async/clock.js";
import { ApiError, describe, TimeoutError } from "../errors/index.js";
import type { Answer } from "./call.js";
import type { PlainHeaders } from "./call-options.js";
import { deadline } from "./deadline.js";
import { createEmit, type ObserverEvent } from "./events.js";
import { limit, type RateLimiter } from "./rate-limiter.js";
import type { ActiveCall, CallRequest, Deliver, Fetch, MethodCall, NodeHttp, Send, Transport } from "./request.js";
import { errorOf, readAnswer } from "./response.js";
import { retry } from "./retry.js";

/*
 * A call is a request of openapi-fetch, whose `fetch` does everything else:
 *
 *   send ─▶ http.request ─▶ middleware ─▶ retry ─▶ limit ─▶ deadline ─▶ fetch
 *
 * `deadline` sends one request and reads the whole response in time, `limit` waits until the node accepts another
 * request, and `retry` repeats both while the errors are transient. A pool takes the place of `retry`: it chooses a
 * node for each attempt. All three take a request and return an answer, or throw. An error response is an error up to
 * here, where openapi-fetch and the middleware get it as the response that it is. The caller's signal and the total
 * deadline are one signal, which ends whatever the call waits for.
 */

export interface ConnectionOptions extends Pick<Transport, "fetch" | "validate"> {
  /** `undefined` if requests are not held back, or if there are several nodes. */
  limiter: RateLimiter | undefined;
  readonly session: Session;
  http: NodeHttp;
  headers: PlainHeaders;
  observe: ((event: ObserverEvent) => void) | undefined;
  /** Whether the nodes of a pool get rate limiters of their own. */
  pacing: boolean;
}

/**
 * The way a client sends, to one node or to a pool. A pool does not return a response that does not meet the
 * expectation: the request is sent to another node, and if none shows it, the call rejects with `MissingEvidence`.
 */
export interface Connection {
  readonly send: Send;
  readonly deliver: Deliver;
  readonly clock: Clock;
  readonly nodeCount: number;
  /** Whether it judges responses. If not, their reader does. */
  readonly isPool: boolean;
  readonly session: Session;
}

/** The parts that a client shares with the clients of its `withOptions`. */
interface Session {
  /** The time of the latest block of a response that one of them has returned, in Unix nanoseconds. */
  returned?: bigint;
  /** The latest of these times that two nodes of a pool have reported: a single node can be ahead of its chain. */
  confirmed?: bigint;
  /** Whether a page of a list had block headers. */
  sendsBlocks?: boolean;
  /** Whether a node has refused a request for its range. */
  refusesRanges?: boolean;
  /** The block time of that node, in Unix nanoseconds. */
  newest?: bigint | undefined;
}

export function connectTo(
  { http, session, observe, limiter, fetch, validate }: ConnectionOptions,
  clock: Clock = systemClock,
  random: () => number = Math.random,
): Connection {
  const transport = { fetch, validate, clock, random, emit: createEmit(observe, clock) };
  const repeat = retry(attemptWith(transport, limiter), transport);
  const deliver: Deliver = (request, call) => {
    if (call.node === undefined) return repeat(request, call);
    const place = { operation: call.operation, argument: "node" };
    return refuseByRule(place, "is for clients with a pool; this client has one node. Omit it");
  };
  return { send: createSend(http, deliver, transport), deliver, clock, nodeCount: 1, isPool: false, session };
}

export const attemptWith = (transport: Transport, limiter: RateLimiter | undefined): Fetch =>
  limiter ? limit(deadline(transport), limiter, transport.emit) : deadline(transport);

/** A request of openapi-fetch, whose own type limits a path to its options. */
export type SendAny = (
  method: string,
  path: string,
  init: object,
) => Promise<{ response: Response; data?: unknown; error?: unknown }>;

export function createSend(
  http: NodeHttp,
  deliver: Deliver,
  { clock, validate }: Pick<Transport, "clock" | "validate">,
): Send {
  return <T>(call: MethodCall<T>) =>
    inTime(http, call, clock, async (active) => {
      const { method, path, arguments: members } = operations[call.described];
      const params = serialize(members, call.params);
      let delivered: { response: Response; answer?: Answer<T>; error?: unknown } | undefined;
      const responseTo = (result: NonNullable<typeof delivered>) => {
        delivered = result;
        return result.response;
      };
      const { response, error } = await (http.request as SendAny)(method, path, {
        params,
        body: method === "GET" ? undefined : params.body,
        headers: call.headers,
        signal: active.first.signal,
        // The body has been read.
        parseAs: "stream",
        // No async function, which would be a line of each stack.
        fetch: (request: Request) =>
          deliver(request, active).then(
            (answer) => responseTo({ answer, response: answer.response }),
            (error: unknown) => responseTo({ error, response: responseOf(error) }),
          ),
      });
      if (delivered?.response === response) {
        if (delivered.answer) return delivered.answer;
        throw delivered.error;
      }
      // Middleware has responded instead.
      const attempts = Math.max(1, active.progress.attempts);
      const received = { call: active, attempts, request: { method, url: response.url || path }, response };
      if (!response.ok) throw errorOf(received, error, clock);
      const { node, stale = false } = delivered?.answer ?? {};
      return { ...(await readAnswer(received, { validate, clock })), node, stale };
    });
}

/**
 * An error response is a response to openapi-fetch, but a redirect is not: its result would have no error. Nor is one
 * above 599, or an object that a caller's `fetch` made, which cannot get its body back.
 */
export function responseOf(error: unknown): Response {
  const { status = 0, response } = ApiError.is(error) ? error : {};
  const canCopy = response instanceof Response && !response.bodyUsed;
  if (status >= 400 && status < 600 && canCopy) return response.clone();
  throw error;
}

/** Makes a call that ends when its total deadline passes, or when the caller aborts it, whatever it waits for. */
export function inTime<T, Result>(
  { hasMiddleware: keepsBody }: NodeHttp,
  call: CallRequest<T>,
  clock: Clock,
  make: (call: ActiveCall<T>) => Promise<Result>,
): Promise<Result> {
  const { signal, settings } = call;
  const { totalTimeout: milliseconds } = settings;
  const progress: ActiveCall["progress"] = { attempts: 0, cause: undefined, isQueued: false };
  const active = { ...call, endsAt: clock.now() + milliseconds, progress, keepsBody, first: new AbortController() };
  if (signal === undefined && milliseconds === Number.POSITIVE_INFINITY) return make(active);
  const late = () => totalTimeoutError(active);
  return within({ signals: [signal], deadline: { clock, milliseconds, late } }, (signal) => {
    // Before the first attempt, middleware works with the signal of its request.
    signal.addEventListener("abort", () => progress.attempts === 0 && active.first.abort(signal.reason));
    return make({ ...active, signal });
  });
}

function totalTimeoutError({ operation, settings, progress }: ActiveCall) {
  const { attempts, cause, isQueued } = progress;
  const waited = ", because it waited for the rate limit. Make fewer calls at once, or raise `totalTimeout`.";
  const failed = cause === undefined ? "" : `. The last one failed: ${describe(cause)}`;
  const made = `${attempts} ${attempts === 1 ? "attempt" : "attempts"}${isQueued ? waited : failed}`;
  const message = `${operation} took longer than ${settings.totalTimeout} ms in total, with ${made}`;
  const waitedFor = isQueued ? "rate-limit" : undefined;
  return new TimeoutError(message, { scope: "total", waitedFor, operation, attempts, cause });
}
