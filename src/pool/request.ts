import type { Clock } from "../async/clock.js";
import { ApiError, ResponseError } from "../errors/index.js";
import { type Answer, readBlock } from "../http/call.js";
import type { Emit } from "../http/events.js";
import type { ActiveCall, Send } from "../http/request.js";
import { delayAfter, isTransient } from "../http/retry.js";
import { attemptWith, type ConnectionOptions } from "../http/send.js";
import type { Asked, PoolFacts } from "./decide.js";
import { isLagging } from "./freshness.js";
import { patienceOf, shortestPatience } from "./latency.js";
import type { PoolNode } from "./node.js";

/** The nodes of a pool, and how they are used. */
export interface Pool extends Omit<PoolFacts, "session"> {
  readonly nodes: readonly PoolNode[];
  readonly clock: Clock;
}

/** One client of a pool. `send` makes a call of its own, such as one that finds out which nodes respond. */
export interface PoolClient extends Pool, ConnectionOptions {
  readonly emit: Emit | undefined;
  readonly send: Send;
}

/** A call with its request, which is to the first node of the pool. */
export type PoolCall<T> = ActiveCall<T> & { readonly request: Request };

/** A call that is served, with its requests in the order in which they were started. */
export interface RunningCall<T> {
  readonly client: PoolClient;
  readonly call: PoolCall<T>;
  readonly asked: NodeRequest<T>[];
  /** Called when a request has ended, or was sent after a wait for the rate limit. */
  onChange(): void;
}

export interface NodeRequest<T> extends Asked {
  readonly to: PoolNode;
  readonly controller: AbortController;
  isSent: boolean;
  answer?: Answer<T>;
  error?: unknown;
}

/** The reason with which a request ends that is not sent. */
const unsent = new DOMException("Another request to the node has failed.", "AbortError");

/** Starts a request of a call to a node. */
export function startRequest<T>({ client, call, asked, onChange }: RunningCall<T>, to: PoolNode): void {
  const { clock, emit, pacing, nodes, maxLag } = client;
  const { url: node } = to;
  const startedAt = clock.now();
  const controller = new AbortController();
  const request: NodeRequest<T> = { node, to, since: startedAt, controller, isSent: false };
  const number = asked.push(request);
  let response: Response | undefined;
  const fetch = async (sent: Request) => {
    Object.assign(request, { since: clock.now(), isSent: true });
    // From now on, it can be late.
    if (request.since - startedAt >= shortestPatience) onChange();
    response = await client.fetch(sent);
    return response;
  };
  const copy = (original: Request, init: RequestInit) => {
    if (to.cooledAt > startedAt) throw unsent;
    const [{ url: first } = to] = nodes;
    const isMoved = node !== first && original.url.startsWith(first);
    return isMoved ? moved(original, node + original.url.slice(first.length), init) : new Request(original, init);
  };
  const end = (outcome: Partial<NodeRequest<T>>) => {
    if (request.endedAt !== undefined) return;
    const { answer, failure, error, since } = Object.assign(request, outcome, { endedAt: clock.now() });
    to.inFlight--;
    // A path that the description does not have, such as a newer one, may be missing on a node that serves all others.
    if (failure === "node" && (call.described || isTransient(error))) to.fail(error, since);
    const block = answer ? answer.block : response && readBlock(response);
    if (response && (block || failure !== "node")) to.respond(block, since, response.headers);
    if (answer) to.compared(isLagging(block, request.endedAt ?? since, { nodes, maxLag, now: clock.now() }), since);
    else if (response && failure === "call") to.compared(false, since);
    onChange();
  };
  const fail = (error: unknown) => {
    const canPass = isTransient(error, call.finalStatuses);
    const failure = error === unsent ? "unsent" : canPass || isNodeFault(error) ? "node" : "call";
    if (failure === "node") call.progress.cause = error;
    const delay = canPass || failure === "unsent" ? delayAfter(error, number, call.settings, client) : undefined;
    end({ error, failure, retryAt: delay === undefined ? undefined : clock.now() + delay });
  };
  const emitOf: typeof emit = emit && ((event) => emit({ ...event, node }));
  const send = attemptWith({ ...client, emit: emitOf, fetch, copy }, pacing ? to.limiter : undefined);
  to.begin();
  send(call.request, { ...call, signal: controller.signal }, number).then((answer) => end({ answer }), fail);
}

/** Ends a request that is in flight, because the call has ended. */
export function abandon<T>(request: NodeRequest<T>, { clock, nodes }: Pool): void {
  const { to, since, controller, isSent, endedAt } = request;
  if (endedAt !== undefined) return;
  request.endedAt = clock.now();
  to.inFlight--;
  if (isSent) to.abandon(since, patienceOf(to.url, nodes));
  controller.abort(new DOMException("Another node serves the call.", "AbortError"));
}

/** Whether another node may respond where one failed for good. */
function isNodeFault(error: unknown): boolean {
  // A body above `maxResponseSize` was not read, and other nodes would send one as large.
  if (ResponseError.is(error)) return error.body !== undefined;
  if (!ApiError.is(error)) return false;
  // A redirect, a wrong or closed address, or a node without the operation. A data node would name its block.
  return error.status < 400 || ([401, 403, 404, 501].includes(error.status) && !readBlock(error));
}

/** The same request to another address. */
async function moved(request: Request, url: string, init: RequestInit): Promise<Request> {
  const { method, headers, credentials, cache, mode, referrerPolicy } = request;
  // As it is, a body would be a stream, which browsers send by HTTP/2 alone.
  const body = method === "GET" || method === "HEAD" ? null : await request.arrayBuffer();
  return new Request(url, { method, headers, credentials, cache, mode, referrerPolicy, body, ...init });
}
