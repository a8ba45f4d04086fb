import { type Clock, systemClock } from "../async/clock.js";
import type { PlainHeaders } from "./call-options.js";
import type { Transport } from "./deadline.js";
import { createEmit, type ObserverEvent } from "./events.js";
import type { RateLimiter } from "./rate-limiter.js";
import type { Deliver, NodeHttp, Send } from "./request.js";
import { createSend, resilient } from "./send.js";

/** What a client has in common with those that its `withOptions` returns. */
export interface Session {
  /** The time of the latest block of a response that one of them has returned, in Unix nanoseconds. */
  returned?: bigint;
  /** Whether a page of a list has named a block. */
  namesBlocks?: boolean;
  /** Whether a node has refused a request for its range. */
  refusesRanges?: boolean;
  /** The block of that node, in Unix nanoseconds. */
  newest?: bigint | undefined;
}

/**
 * What a client sends with: to one node, or to those of a pool. A pool does not return a response that does not show what is expected:
 * the request is sent to another node, and if none shows it, the call rejects with `NotShown`.
 */
export interface Connection {
  /** Makes a call, retried on transient failures, and returns its result. */
  readonly send: Send;
  /** Sends the request of a call, as often as it takes. */
  readonly deliver: Deliver;
  readonly clock: Clock;
  readonly nodeCount: number;
  /** Whether it judges what responses show. If not, their reader does. */
  readonly isPool: boolean;
  readonly session: Session;
}

export interface ConnectionOptions extends Pick<Transport, "fetch" | "validate"> {
  /** `undefined` if requests are not held back, or if there are several nodes. */
  limiter: RateLimiter | undefined;
  session: Session;
  http: NodeHttp;
  headers: PlainHeaders;
  observe: ((event: ObserverEvent) => void) | undefined;
  /** Whether the nodes of a pool get rate limiters of their own. */
  pacing: boolean;
}

export function connectTo(
  { http, fetch, validate, limiter, session, observe }: ConnectionOptions,
  clock: Clock = systemClock,
  random: () => number = Math.random,
): Connection {
  const deliver = resilient({ fetch, validate, limiter, clock, random, emit: createEmit(observe, clock) });
  const send = createSend({ http, deliver, validate, clock });
  return { send, deliver, clock, nodeCount: 1, isPool: false, session };
}
