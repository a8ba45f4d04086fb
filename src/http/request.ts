import type { Client } from "openapi-fetch";
import type { paths } from "../../generated/openapi.js";
import { operations } from "../../generated/operations.js";
import type { Arguments, OperationId } from "../arguments/operation.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import type { SentRequest } from "../errors/index.js";
import type { Answer } from "./call.js";
import type { CallSettings } from "./call-options.js";
import type { Expectation } from "./expectation.js";

/** A client of openapi-fetch. */
export interface NodeHttp extends Client<paths, "application/json"> {
  /** Whether middleware was added, which may read the bodies of responses. */
  hasMiddleware?: boolean;
}

/** What is called, by its name in errors and events. */
export interface OperationRoute {
  operation: string;
  /** The operation of the description; `undefined` for a request of `client.http`. */
  described?: OperationId;
  readonly method: string;
  readonly path: string;
  /** The arguments, by their names in the client. */
  readonly arguments: Arguments;
  /** Whether the request is never retried, because it changes something, or because the node does not accept it twice. */
  once?: boolean;
}

export function routeOf(id: OperationId): OperationRoute {
  const { method, path, arguments: spec, ...operation } = operations[id];
  return { operation: id, described: id, method, path, arguments: spec, once: "sentOnce" in operation };
}

/** What is read of a body: the result in its JSON, any JSON, its bytes, or nothing yet. */
export type Content = "result" | "json" | "bytes" | "stream";

/** A call: what is sent, with which settings, and how the response is read. */
export interface CallRequest<T> extends OperationRoute, CallSettings {
  params: CheckedArguments;
  /** Default: `"result"`. */
  content?: Content;
  /** Returns the result; `undefined` if the body does not match the description. */
  read(body: object): T | undefined;
  /** What the response has to show. */
  expectation?: Expectation | undefined;
  /** Statuses that are not retried, although they usually are transient. */
  finalStatuses?: readonly number[];
  /** What the caller can do about an error status, for its message. */
  hints?: Readonly<Record<number, string>>;
}

/** Makes a call, and returns its result. */
export type Send = <T>(call: CallRequest<T>) => Promise<Answer<T>>;

/** How far a call has come, for the error of its total deadline. */
export interface Progress {
  /** The attempts that were sent. */
  attempts: number;
  /** The error of the last one that failed. */
  cause: unknown;
  /** Whether it waits for the rate limit. */
  isQueued: boolean;
}

/** A call that was made. Its signal is aborted by the caller, or when the total deadline passes. */
export interface ActiveCall<T> extends CallRequest<T> {
  /** When the total deadline passes, in milliseconds of the clock. */
  readonly endsAt: number;
  readonly progress: Progress;
  /** Whether middleware may read the body, too. */
  readonly keepsBody?: boolean | undefined;
}

/** Sends a request, as attempt number `attempt` of a call, and reads the response. */
export type Fetch = <T>(request: Request, call: ActiveCall<T>, attempt: number) => Promise<Answer<T>>;

/** Serves a call: sends its request, as often as it takes. */
export type Deliver = <T>(request: Request, call: ActiveCall<T>) => Promise<Answer<T>>;

/** A response, and what its errors name. */
export interface Received {
  response: Response;
  request: SentRequest;
  operation: string;
  /** The number of attempts so far, including this one. */
  attempts: number;
  maxResponseSize: number;
}
