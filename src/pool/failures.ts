import {
  ApiError,
  describe,
  RateLimitError,
  ResponseError,
  TimeoutError,
  toPlainError,
  VegaError,
} from "../errors/index.js";
import type { Clock } from "../http/clock.js";
import type { Attempt, Context, SendAttempt } from "../http/context.js";
import { readBlock } from "../http/index.js";
import { isTransient } from "../http/retry.js";
import type { NodeState } from "./node-state.js";

/** Statuses of a wrong address, of one that is closed to the client, and of a node without the operation. */
const statusesOfNodes = [401, 403, 404, 501];

/** Whether another node may respond where one failed. */
export function isNodeFault(error: unknown, context: Context<unknown>): boolean {
  if (isTransient(error, context.finalStatuses)) return true;
  if (ResponseError.is(error)) return typeof error.body === "string";
  // A data node names its block.
  return ApiError.is(error) && statusesOfNodes.includes(error.status) && readBlock(error) === undefined;
}

/** Sets a node aside that has failed. */
export function setAsideAfter(error: unknown, node: NodeState, sentAt: number, { settings }: Context<unknown>): void {
  if (TimeoutError.is(error)) node.slowDown(settings.timeout, sentAt);
  else if (RateLimitError.is(error)) node.setAside("limited", sentAt, (error.retryAfter ?? 0) * 1000);
  else node.setAside("failing", sentAt);
  node.error = error;
}

/** When the request of an attempt was sent: after it has waited for the rate limit. */
export const sentAtOf = new WeakMap<Attempt, number>();

/** Sets a node aside as soon as an attempt fails: before its rate limiter sends the next request. */
export const withSetAside =
  (next: SendAttempt, node: NodeState, clock: Clock): SendAttempt =>
  async (context, attempt) => {
    const sentAt = clock.now();
    sentAtOf.set(attempt, sentAt);
    try {
      return await next(context, attempt);
    } catch (error) {
      if (isNodeFault(error, context)) setAsideAfter(error, node, sentAt, context);
      throw error;
    }
  };

/** The error of a call: the last one, with what each node said if there are several. */
export function errorOfCall(failures: ReadonlyMap<NodeState, unknown>, { operation }: Context<unknown>): unknown {
  const all = [...failures];
  const [node, error] = all.at(-1) ?? [];
  if (!VegaError.is(error)) return error;
  if (all.length < 2) return Object.assign(error, { node: node?.url });
  const messages = all.map(([{ url }, each]) => `${url}: ${describe(each)}`);
  return Object.assign(error, {
    node: node?.url,
    failures: all.map(([{ url }, each]) => ({ node: url, ...toPlainError(each) })),
    message: `${operation} failed on ${all.length} nodes. ${messages.join(" · ")}`,
  });
}
