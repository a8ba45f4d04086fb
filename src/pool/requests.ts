import { orAborted } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { ApiError, describe, RateLimitError, ResponseError } from "../errors/index.js";
import { type Answer, readBlock } from "../http/call.js";
import type { ConnectionOptions } from "../http/connection.js";
import type { Emit } from "../http/events.js";
import type { ActiveCall, CallRequest, Send } from "../http/request.js";
import { isTransient } from "../http/retry.js";
import { attemptWith } from "../http/send.js";
import { type Order, patienceOf } from "./choice.js";
import { type PoolNode, shortestDelay } from "./node.js";

/** The nodes of a pool, and how they are used. */
export interface Pool {
  readonly nodes: readonly PoolNode[];
  readonly settings: { readonly maxLag: number; readonly order: Order };
  readonly clock: Clock;
  readonly random: () => number;
}

/** One client of a pool. */
export interface PoolClient
  extends Pool,
    Pick<ConnectionOptions, "fetch" | "pacing" | "validate" | "headers" | "session"> {
  readonly emit: Emit | undefined;
  /** Makes a call of its own, such as one that finds out which nodes respond. */
  readonly send: Send;
}

export interface PoolCall<T> extends ActiveCall<T> {
  /** To the first node of the pool. */
  readonly request: Request;
}

/** A request in flight, to one node. */
export interface NodeRequest {
  readonly node: PoolNode;
  readonly startedAt: number;
  /** When it was sent; `undefined` while it waits for the rate limit of the node. */
  sentAt: number | undefined;
  readonly controller: AbortController;
}

export interface Outcome<T> {
  readonly node: PoolNode;
  readonly sentAt: number;
  readonly endedAt: number;
  /** `undefined` if there is an error. */
  readonly answer: Answer<T> | undefined;
  readonly error: unknown;
}

/** The reason with which a request ends if another node serves the call. */
export const replaced = new DOMException("Another node serves the call.", "AbortError");

/** Whether another node may respond where one failed. */
export function isNodeFault(error: unknown, { finalStatuses }: Pick<CallRequest<unknown>, "finalStatuses">): boolean {
  if (isTransient(error, finalStatuses)) return true;
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

export class Requests<T> {
  /** In the order in which they were started. */
  readonly inFlight: NodeRequest[] = [];
  readonly #client: PoolClient;
  readonly #call: PoolCall<T>;
  readonly #ended: Outcome<T>[] = [];
  /** Wakes the call while it waits. */
  #wake: () => void = ignore;

  constructor(client: PoolClient, call: PoolCall<T>) {
    this.#client = client;
    this.#call = call;
  }

  start(node: PoolNode, number: number): void {
    const { clock, emit, pacing, nodes } = this.#client;
    const controller = new AbortController();
    const request: NodeRequest = { node, startedAt: clock.now(), sentAt: undefined, controller };
    let response: Response | undefined;
    const { url } = node;
    const [first] = nodes;
    const copy = (call: Request, init: RequestInit) => {
      // Another request has failed on the node while this one waited for its rate limit.
      if (node.cooledAt > request.startedAt) throw replaced;
      const isMoved = first && first !== node && call.url.startsWith(first.url);
      return isMoved ? moved(call, url + call.url.slice(first.url.length), init) : new Request(call, init);
    };
    const fetch = async (sent: Request) => {
      request.sentAt = clock.now();
      // The call has to look anew when the response is late.
      if (request.sentAt - request.startedAt >= shortestDelay) this.#wake();
      response = await this.#client.fetch(sent);
      return response;
    };
    const emitOf: typeof emit = emit && ((event) => emit({ ...event, node: url }));
    const limiter = pacing ? node.limiter : undefined;
    const send = attemptWith({ ...this.#client, fetch, copy, emit: emitOf }, limiter);
    this.inFlight.push(request);
    node.begin();
    const call = { ...this.#call, signal: controller.signal };
    send(this.#call.request, call, number).then(
      (answer) => this.#end(request, response, answer, undefined),
      (error: unknown) => this.#end(request, response, undefined, error),
    );
  }

  #end(request: NodeRequest, response: Response | undefined, answer: Answer<T> | undefined, error: unknown): void {
    const { node, startedAt, sentAt = startedAt } = request;
    const index = this.inFlight.indexOf(request);
    if (index < 0) return;
    this.inFlight.splice(index, 1);
    node.inFlight--;
    const isFault = answer === undefined && isNodeFault(error, this.#call);
    const block = answer ? answer.block : response && readBlock(response);
    if (response && (block || !isFault)) node.hear(block, sentAt, response.headers);
    if (response && !answer && !isFault) node.judge(undefined, sentAt);
    if (isFault) {
      const least = RateLimitError.is(error) ? (error.retryAfter ?? 0) * 1000 : 0;
      node.fail("failing", sentAt, { error: describe(error), least });
    }
    this.#ended.push({ node, sentAt, endedAt: this.#client.clock.now(), answer, error });
    this.#wake();
  }

  /** The next requests that end; empty if none does for so many milliseconds. */
  async next(patience: number): Promise<readonly Outcome<T>[]> {
    if (this.#ended.length === 0) {
      const { signal } = this.#call;
      let clearTimer = ignore;
      const wait = new Promise<void>((resolve) => {
        this.#wake = resolve;
        clearTimer = this.#client.clock.after(patience, resolve);
      });
      try {
        await orAborted(signal, wait);
      } finally {
        clearTimer();
      }
    }
    return this.#ended.splice(0);
  }

  end(): void {
    for (const { node, sentAt, controller } of this.inFlight.splice(0)) {
      node.inFlight--;
      if (sentAt !== undefined) node.abandon(sentAt, patienceOf(node, this.#client.nodes));
      controller.abort(replaced);
    }
  }
}
