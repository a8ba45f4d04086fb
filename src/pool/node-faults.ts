import type { Clock } from "../async/clock.js";
import { ApiError, describe, RateLimitError, ResponseError, TimeoutError } from "../errors/index.js";
import { readBlock } from "../http/block.js";
import type { Context, SendAttempt } from "../http/context.js";
import { isTransient } from "../http/retry.js";
import { Flight, left } from "./flight.js";
import type { NodeState } from "./node-state.js";

/** Statuses of a wrong address, of one that is closed to the client, and of a node without the operation. */
const statusesOfNodes = [401, 403, 404, 501];

/** Whether another node may respond where one failed. */
export function isNodeFault(error: unknown, context: Context<unknown>): boolean {
  if (isTransient(error, context.finalStatuses)) return true;
  // A body above `maxResponseSize` was not read, and other nodes would send one as large.
  if (ResponseError.is(error)) return error.body !== undefined;
  if (!ApiError.is(error)) return false;
  // A redirect, or a data node would name its block.
  return error.status < 400 || (statusesOfNodes.includes(error.status) && readBlock(error) === undefined);
}

/** Sets a node aside that has failed. */
export function setAsideAfter(error: unknown, node: NodeState, sentAt: number, { settings }: Context<unknown>): void {
  if (TimeoutError.is(error)) {
    // The rate limit says nothing about the node.
    if (error.waitedFor) return;
    node.latency.atLeast(settings.timeout);
    node.setAside("slow", sentAt);
  } else if (RateLimitError.is(error)) {
    node.setAside("limited", sentAt, (error.retryAfter ?? 0) * 1000);
  } else {
    node.setAside("failing", sentAt);
  }
  // The error of the call becomes one about all of its nodes.
  node.error = describe(error);
}

/**
 * Sets the node of an attempt aside as soon as it fails: before its rate limiter sends the next request. An
 * attempt that has waited for the rate limit looks itself whether its node was set aside meanwhile: no call wakes another one.
 */
export const withSetAside =
  (node: NodeState) =>
  (next: SendAttempt, clock: Clock): SendAttempt =>
  async (context, attempt) => {
    const flight = attempt.cancellation instanceof Flight ? attempt.cancellation : undefined;
    if (flight?.isOutdated) throw left;
    const sentAt = clock.now();
    if (flight) flight.sentAt = sentAt;
    try {
      return await next(context, attempt);
    } catch (error) {
      if (isNodeFault(error, context)) setAsideAfter(error, node, sentAt, context);
      throw error;
    }
  };
