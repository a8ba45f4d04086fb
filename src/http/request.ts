import type { Client } from "openapi-fetch";
import type { OperationId } from "../../generated/client.js";
import type { paths } from "../../generated/openapi.js";
import type { CheckedArguments } from "../arguments/read-arguments.js";
import type { Clock } from "../async/clock.js";
import type { SentRequest } from "../errors/index.js";
import type { Answer } from "./call.js";
import type { CallSettings } from "./call-options.js";
import type { Emit } from "./events.js";
import type { Expectation } from "./expectation.js";

export interface NodeHttp extends Client<paths, "application/json"> {
  /** Whether middleware was added, which may read the bodies of responses. */
  hasMiddleware?: boolean;
}

/** The settings of each attempt of a call, of a method or of `client.http`, and how its response is read. */
export interface CallRequest<T = unknown> extends CallSettings {
  /** The name of the operation in errors and events. */
  operation: string;
  /** The operation of the description; `undefined` for a request of `client.http`. */
  described?: OperationId;
  /** Whether the request is never retried: it changes something, or the node does not accept it twice. */
  once?: boolean;
  /** How the body is read: the result in its JSON, any JSON, its bytes, or nothing yet. Default: `"result"`. */
  content?: "result" | "json" | "bytes" | "stream";
  /** Returns the result; `undefined` if the body does not match the description. */
  read?(body: object): T | undefined;
  expectation?: Expectation | undefined;
  /** Statuses that are not retried, although they usually are transient, each with advice for its message. */
  finalStatuses?: Readonly<Record<number, string>> | undefined;
}

export interface MethodCall<T> extends CallRequest<T> {
  described: OperationId;
  params: CheckedArguments;
  read(body: object): T | undefined;
}

export type Send = <T>(call: MethodCall<T>) => Promise<Answer<T>>;

/** A call that was made. Its signal is aborted by the caller, or when the total deadline passes. */
export interface ActiveCall<T = unknown> extends CallRequest<T> {
  /** When the total deadline passes, in milliseconds of the clock. */
  readonly endsAt: number;
  /** For the error of the total deadline: attempts sent, the last error, and whether it waits for the rate limit. */
  readonly progress: { attempts: number; cause: unknown; isQueued: boolean };
  /** Aborts the first attempt, which sends the request of openapi-fetch itself: to copy it takes 5 % of a call. */
  readonly first: AbortController;
  /** Whether middleware may also read the body. */
  readonly keepsBody?: boolean | undefined;
}

/** Sends a request as an attempt of a call, counted from 1, and reads the response. */
export type Fetch = <T>(request: Request, call: ActiveCall<T>, attempt: number) => Promise<Answer<T>>;

/** Sends the request of a call as often as it takes. */
export type Deliver = <T>(request: Request, call: ActiveCall<T>) => Promise<Answer<T>>;

/** A response that was received and that the caller does not have yet. */
export interface CheckedAnswer {
  /** The name of the method that was called, as in errors and events. */
  operation: string;
  /** The operation of the description that the response belongs to. */
  operationId: OperationId;
  /** The whole body as parsed JSON. */
  body: unknown;
  request: SentRequest;
  /** Status and headers. Its body has been read. */
  response: Response;
  /** The number of attempts so far, including this one. */
  attempts: number;
}

/**
 * Checks a response before the caller gets its result. If it throws, the call rejects with that error. If it returns a
 * promise, the call waits for it and rejects if it rejects; deadlines and signals include that wait.
 *
 * @inline
 */
export type Validate = (received: CheckedAnswer) => void;

export interface Transport {
  fetch: (request: Request) => Promise<Response>;
  validate: Validate | undefined;
  clock: Clock;
  random: () => number;
  emit: Emit | undefined;
  /** Makes the request of each attempt. Default: the first one is sent as it is. */
  copy?: (request: Request, init: RequestInit) => Request | Promise<Request>;
}
