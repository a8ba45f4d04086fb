import { orAborted } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import { ApiError, describe, RateLimitError, ResponseError, TimeoutError } from "../errors/index.js";
import type { ConnectionOptions } from "../evidence/connection.js";
import { type Answer, readBlock } from "../http/call.js";
import type { Emit } from "../http/events.js";
import { sendAttempt, type Transport } from "../http/requester.js";
import { isTransient } from "../http/retry.js";
import type { CallRequest } from "../http/route.js";
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
    Pick<ConnectionOptions, "fetch" | "pacing" | "validate" | "http" | "headers" | "session"> {
  readonly emit: Emit | undefined;
}

export interface PoolCall<T> extends CallRequest<T> {
  /** When its total deadline passes. */
  readonly endsAt: number;
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

  start(node: PoolNode, number: number, cause: unknown): void {
    const { clock, emit, pacing } = this.#client;
    const controller = new AbortController();
    const request: NodeRequest = { node, startedAt: clock.now(), sentAt: undefined, controller };
    let response: Response | undefined;
    const send: CallRequest<T>["attempt"] = (params, init) => {
      // Another request has failed on the node while this one waited for its rate limit.
      if (node.cooledAt > request.startedAt) throw replaced;
      return this.#call.attempt(params, init);
    };
    const fetch = async (sent: Request) => {
      request.sentAt = clock.now();
      // The call has to look anew when the response is late.
      if (request.sentAt - request.startedAt >= shortestDelay) this.#wake();
      response = await this.#client.fetch(sent);
      return response;
    };
    const { url: baseUrl } = node;
    const emitOf: typeof emit = emit && ((event) => emit({ ...event, node: baseUrl }));
    const limiter = pacing ? node.limiter : undefined;
    const transport: Transport = { ...this.#client, fetch, emit: emitOf, limiter, baseUrl };
    this.inFlight.push(request);
    node.begin();
    const attempt = { number, signal: controller.signal, endsAt: this.#call.endsAt, cause };
    sendAttempt(transport, { ...this.#call, attempt: send }, attempt).then(
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
    // A wait for the rate limit says nothing about the node.
    if (isFault && !(TimeoutError.is(error) && error.waitedFor)) {
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
        await (signal ? orAborted(signal, wait) : wait);
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
