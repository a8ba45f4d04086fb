import type { Clock } from "../async/clock.js";
import { ApiError, toPlainError } from "../errors/index.js";

/** An error as plain data. */
export interface ObservedError {
  /** Such as `"ConnectionError"`. */
  name: string;
  message: string;
  /** The HTTP status, if there was a response. */
  status?: number | undefined;
}

/**
 * The argument of {@link ClientOptions.observe}. `"attempt"`: a request is sent. `"response"`: an attempt that was sent
 * has ended, with the whole response or with an error. `"retry"`: the call will be retried. `"pause"`: a request is
 * held back, so that the node does not reject it. `"failover"`: a client of several nodes turns to another node.
 * `"hedge"`: it sends a read to a second node as well, because the first one is late.
 */
export type ObserverEvent = {
  /** The name of the client's method; for `client.http`, the method and the path, such as `GET /api/v2/votes`. */
  operation: string;
  /** The attempt of the call, counted from 1. */
  attempt: number;
  /** The time of the event, in milliseconds since 1970. */
  time: number;
  /** The address of the node, if the client has several. */
  node?: string | undefined;
} & (
  | { type: "attempt"; method: string; url: string }
  | {
      type: "response";
      /** Milliseconds from sending the request to the end of the body, or to the error. */
      duration: number;
      /** The HTTP status; `undefined` if there was no response. */
      status: number | undefined;
      /** The error; `undefined` if the attempt succeeded. */
      error: ObservedError | undefined;
    }
  | {
      type: "retry";
      /** Milliseconds until the next attempt. */
      delay: number;
      /** The error of the attempt that failed. */
      error: ObservedError;
    }
  | {
      type: "pause";
      /** The expected wait in milliseconds. */
      delay: number;
    }
  | {
      type: "failover";
      /** The address of the node that failed. */
      from: string;
      /** The address of the node that gets the next attempt. */
      to: string;
      /**
       * - `"error"`: the node did not respond, or responded with an error.
       * - `"lag"`: its response lags behind the other nodes.
       * - `"regression"`: its response is older than one that the client has already returned.
       * - `"block"`: it has not reached the block that the read needs.
       * - `"place"`: its page does not continue the page before.
       * - `"history"`: it does not keep balance changes for long enough.
       */
      cause: "error" | "lag" | "regression" | "block" | "place" | "history";
      /** The error, if that is the cause. */
      error: ObservedError | undefined;
    }
  | {
      type: "hedge";
      /** The address of the node that has not responded yet. */
      from: string;
      /** The address of the second node. */
      to: string;
      /** How long the first node was waited for, in milliseconds. */
      delay: number;
    }
);

export type Emit<Event = ObserverEvent> = (event: Event extends unknown ? Omit<Event, "time"> : never) => void;

export function createEmit<Event extends { time: number }>(
  observe: ((event: Event) => void) | undefined,
  clock: Clock,
): Emit<Event> | undefined {
  if (observe === undefined) return undefined;
  return (event) => {
    try {
      const result: unknown = observe({ ...event, time: clock.date() } as unknown as Event);
      // If nothing handles the rejection of an async observer, Node.js ends the process.
      Promise.resolve(result).catch(() => {});
    } catch {
      // An observer must not change the outcome of a call.
    }
  };
}

export function observedError(error: unknown): ObservedError {
  return ApiError.is(error) ? { ...toPlainError(error), status: error.status } : toPlainError(error);
}
