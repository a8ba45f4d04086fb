import { Cancellation } from "../async/cancellation.js";
import { ignore } from "../async/item-iterator.js";
import { ApiError, describe, RateLimitError, ResponseError, TimeoutError } from "../errors/index.js";
import { readBlock } from "../http/block.js";
import type { Attempt, Context, Reply } from "../http/context.js";
import { isTransient, newAttempt } from "../http/retry.js";
import { patienceOf, shortestDelay } from "./choice.js";
import type { PoolClient } from "./client.js";
import type { PoolNode } from "./node.js";

/** A request in flight, to one node. */
export interface NodeRequest {
  readonly node: PoolNode;
  readonly startedAt: number;
  /** When it was sent; `undefined` while it waits for the rate limit of the node. */
  sentAt: number | undefined;
  readonly cancellation: Cancellation;
}

/** How a request has ended. */
export interface Outcome<T> {
  readonly node: PoolNode;
  readonly sentAt: number;
  readonly endedAt: number;
  /** `undefined` if there is an error. */
  readonly reply: Reply<T> | undefined;
  readonly error: unknown;
}

/** The reason with which a request ends if another node serves the call. */
export const replaced = new DOMException("Another node serves the call.", "AbortError");

/** Whether another node may respond where one failed. */
export function isNodeFault(error: unknown, { finalStatuses }: Context<unknown>): boolean {
  if (isTransient(error, finalStatuses)) return true;
  // A body above `maxResponseSize` was not read, and other nodes would send one as large.
  if (ResponseError.is(error)) return error.body !== undefined;
  if (!ApiError.is(error)) return false;
  // A redirect, a wrong or closed address, or a node without the operation. A data node would name its block.
  return error.status < 400 || ([401, 403, 404, 501].includes(error.status) && !readBlock(error));
}

/** The requests of one call. */
export class Requests<T> {
  /** In the order in which they were started. */
  readonly inFlight: NodeRequest[] = [];
  readonly #client: PoolClient;
  readonly #context: Context<T>;
  readonly #ended: Outcome<T>[] = [];
  #count = 0;
  /** Wakes the call while it waits. */
  #wake: () => void = ignore;

  constructor(client: PoolClient, context: Context<T>) {
    this.#client = client;
    this.#context = context;
  }

  start(node: PoolNode): void {
    const cancellation = new Cancellation();
    const request: NodeRequest = { node, startedAt: this.#client.clock.now(), sentAt: undefined, cancellation };
    const attempt = newAttempt(cancellation, ++this.#count, node.url);
    attempt.onSend = () => {
      // Another request has failed on the node while this one waited for its rate limit.
      if (node.cooledAt > request.startedAt) throw replaced;
      request.sentAt = this.#client.clock.now();
      // The call has to look anew when the response is late.
      if (request.sentAt - request.startedAt >= shortestDelay) this.#wake();
    };
    this.inFlight.push(request);
    node.begin();
    this.#client.attempts
      .get(node)?.(this.#context, attempt)
      .then(
        (reply) => this.#end(request, attempt, reply, undefined),
        (error: unknown) => this.#end(request, attempt, undefined, error),
      );
  }

  #end(request: NodeRequest, { response }: Attempt, reply: Reply<T> | undefined, error: unknown): void {
    const { node, startedAt, sentAt = startedAt } = request;
    const index = this.inFlight.indexOf(request);
    if (index < 0) return;
    this.inFlight.splice(index, 1);
    node.end();
    const isFault = reply === undefined && isNodeFault(error, this.#context);
    const block = reply ? reply.block : response && readBlock(response);
    if (response && (block || !isFault)) node.hear(block, sentAt, response.headers);
    if (response && !reply && !isFault) node.judge(undefined, sentAt);
    // A wait for the rate limit says nothing about the node.
    if (isFault && !(TimeoutError.is(error) && error.waitedFor)) {
      const least = RateLimitError.is(error) ? (error.retryAfter ?? 0) * 1000 : 0;
      node.fail("failing", sentAt, { error: describe(error), least });
    }
    this.#ended.push({ node, sentAt, endedAt: this.#client.clock.now(), reply, error });
    this.#wake();
  }

  /** The next requests that end; empty if none does for so many milliseconds. */
  async next(patience: number): Promise<readonly Outcome<T>[]> {
    if (this.#ended.length === 0) {
      let clearTimer = ignore;
      await this.#context.cancellation.run<void>((resolve) => {
        this.#wake = resolve;
        clearTimer = this.#client.clock.after(patience, resolve);
        return clearTimer;
      });
      clearTimer();
    }
    return this.#ended.splice(0);
  }

  /** Ends all requests that are left. */
  end(): void {
    this.#context.cancellation.onCancel(ignore);
    for (const { node, sentAt, cancellation } of this.inFlight.splice(0)) {
      node.end();
      if (sentAt !== undefined) node.abandon(sentAt, patienceOf(node, this.#client.nodes));
      cancellation.cancel(replaced);
    }
  }
}
