import type { operations } from "../../generated/openapi.js";
import { refuseByRule } from "../arguments/refuse.js";
import { Cancellation } from "../async/cancellation.js";
import { type Clock, systemClock } from "../async/clock.js";
import { createAttempt, type Transport } from "./attempt.js";
import type { Context, Reply, RequestSettings, Route, SendAttempt, SendCall } from "./context.js";
import { withDeadline, withTotalDeadline } from "./deadline.js";
import { createEmit, type Emit, type ObserverEvent, type WithoutTime, withEvents } from "./events.js";
import { type NodeLimits, newLimits } from "./node-limits.js";
import { pacedAttempt } from "./paced-attempt.js";
import type { Validate } from "./response.js";
import { withRetry } from "./retry.js";

export interface RequesterOptions {
  fetch: (request: Request) => Promise<Response>;
  pacing?: boolean;
  /** What is known of the rate limit of the node. Default: nothing yet. */
  limits?: NodeLimits | undefined;
  observe?: ((event: ObserverEvent) => void) | undefined;
  validate?: Validate | undefined;
  onBlock?: Transport["onBlock"];
  clock?: Clock;
  /** Returns a number from 0 up to 1. */
  random?: () => number;
}

/** Sends the requests of one client. */
export interface Requester {
  /** Makes a call, retried on transient failures, and returns its result. */
  send<Params, Body extends object, T>(
    route: Route<Params, Body, T>,
    params: Params,
    call: RequestSettings<T>,
  ): Promise<Reply<T>>;
}

/** Assembles the layers that a call passes through: from the bottom up, each around the one before. */
export function createRequester(options: RequesterOptions): Requester {
  const { fetch, pacing = true, observe, validate, onBlock, clock = systemClock, random = Math.random } = options;
  const { limits = newLimits() } = options;
  const emit = observe && createEmit<WithoutTime<ObserverEvent>>(observe, clock);
  const attempt = createNodeAttempt({ fetch, validate, clock, onBlock }, emit, pacing ? limits : undefined);
  const send: SendCall = withTotalDeadline(withRetry(attempt, { clock, random, emit }), clock);
  return {
    send: (route, params, call) => {
      const { operation } = route;
      if (call.node !== undefined) {
        refuseByRule({ operation, argument: "node" }, "is for clients with a pool; this client has one node. Omit it");
      }
      return send(contextOf(route, params, call));
    },
  };
}

/**
 * Makes the attempts on one node.
 *
 * @param observeSent - Wraps what happens once the rate limit permits an attempt.
 */
export function createNodeAttempt(
  transport: Transport,
  emit: Emit | undefined,
  limits: NodeLimits | undefined,
): SendAttempt {
  const { clock } = transport;
  let attempt = createAttempt(transport);
  if (emit) attempt = withEvents(attempt, emit, clock);
  if (limits) {
    const pacing = { next: attempt, limits, clock, emit };
    attempt = (context, attempt) => pacedAttempt(pacing, context, attempt);
  }
  return withDeadline(attempt, clock);
}

export function contextOf<Params, Body extends object, T>(
  route: Route<Params, Body, T>,
  params: Params,
  { settings, signal, headers, node, demand }: RequestSettings<T>,
): Context<T> {
  const { operation, described = operation as keyof operations, once = false, finalStatuses = [], hints = {} } = route;
  return {
    operation,
    described,
    once,
    finalStatuses,
    hints,
    settings,
    signal,
    headers,
    node,
    demand,
    send: (init) => route.attempt(params, init),
    read: route.read as Context<T>["read"],
    receive: route.receive,
    cancellation: new Cancellation(),
    attempts: 0,
    lastError: undefined,
    isQueued: false,
  };
}
