import { ConnectionError, describe } from "../errors/index.js";
import { defaultSettings, type Settings } from "../http/call-options.js";
import type { Clock } from "../http/clock.js";
import type { Attempt, Context, Reply, Route, SendAttempt } from "../http/context.js";
import { withTotalDeadline } from "../http/deadline.js";
import { readBlock } from "../http/index.js";
import { withRateLimit } from "../http/pacing.js";
import { contextOf } from "../http/requester.js";
import { errorOf } from "../http/response.js";
import { isTransient } from "../http/retry.js";
import type { ConnectionOptions } from "../node-pool.js";
import type { Link } from "./link.js";
import { NodeCall } from "./node-call.js";
import { withSetAside } from "./node-faults.js";

const operation = "client.http";

/** A caller of `client.http` sets deadlines with a signal. */
const settings: Settings = { ...defaultSettings, timeout: Number.POSITIVE_INFINITY };

/** The responses with an error status that another node was asked after. The last one is returned, as `fetch` does. */
const responseOf = new WeakMap<object, Response>();

/**
 * Returns the function that sends the requests of `client.http`: those to the pool to a node that it chooses, and reads to another one
 * if that fails or is late. A request to another address is sent there.
 */
export function createPoolFetch(link: Link, { fetch, pacing = true }: ConnectionOptions): ConnectionOptions["fetch"] {
  const { nodes, clock, emit } = link;
  const attempts = new Map(
    nodes.map((node) => {
      const attempt = withSetAside(sendRequest(link, fetch) as SendAttempt, node, clock);
      return [node, pacing ? withRateLimit(attempt, node.limits, clock, emit) : attempt];
    }),
  );
  const call = withTotalDeadline((context) => new NodeCall({ ...link, attempts }, context).run(), clock);
  return async (request) => {
    const base = `${nodes[0]?.url}//`;
    if (!request.url.startsWith(base)) return fetch(request);
    try {
      const { data } = await call(await callOf(request, request.url.slice(base.length)));
      return data;
    } catch (error) {
      const response = typeof error === "object" && error !== null ? responseOf.get(error) : undefined;
      if (response === undefined) throw error;
      return response;
    }
  };
}

async function callOf(request: Request, path: string): Promise<Context<Response>> {
  const { method, headers, redirect, signal } = request;
  // Copied, because not every runtime sends a stream.
  const body = request.body === null ? undefined : await request.arrayBuffer();
  const requestTo = (url: string) =>
    body === undefined ? new Request(url, request) : new Request(url, { method, headers, redirect, body });
  const route: Route<undefined, never, Response> = {
    operation,
    once: method !== "GET" && method !== "HEAD",
    attempt: async ({ baseUrl, signal, fetch }) => ({
      response: await fetch(new Request(requestTo(`${baseUrl}/${path}`), { signal })),
    }),
    read: () => undefined,
  };
  return contextOf(route, undefined, { settings, signal, headers: undefined, demand: {} });
}

/** Sends a request, and returns the response with its body unread. */
const sendRequest =
  ({ clock }: Link, fetch: ConnectionOptions["fetch"]) =>
  (context: Context<Response>, attempt: Attempt): Promise<Reply<Response>> =>
    attempt.cancellation.run((resolve, reject) => {
      const controller = new AbortController();
      // The caller reads the body after the call has ended.
      context.signal?.addEventListener("abort", () => controller.abort(context.signal?.reason));
      send(context, attempt, controller.signal, fetch, clock).then(resolve, reject);
      return (reason) => controller.abort(reason);
    });

async function send(
  context: Context<Response>,
  attempt: Attempt,
  signal: AbortSignal,
  fetch: ConnectionOptions["fetch"],
  clock: Clock,
): Promise<Reply<Response>> {
  context.attempts = attempt.number;
  let response: Response;
  try {
    ({ response } = await context.send({ headers: {}, parseAs: "stream", signal, ...baseOf(attempt), fetch }));
  } catch (cause) {
    attempt.cancellation.throwIfCancelled();
    const message = `${operation} received no response from ${attempt.baseUrl}: ${describe(cause)}`;
    throw new ConnectionError(message, { operation, attempts: attempt.number, cause });
  }
  attempt.response = response;
  if (!response.ok) {
    const error = errorOf({ response }, context, attempt, clock);
    if (isTransient(error)) {
      responseOf.set(error, response);
      throw error;
    }
  }
  return { data: response, response, block: readBlock(response), stale: false };
}

const baseOf = ({ baseUrl }: Attempt) => (baseUrl === undefined ? {} : { baseUrl });
