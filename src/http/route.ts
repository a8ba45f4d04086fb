import type { Client } from "openapi-fetch";
import type { operations as described, paths } from "../../generated/openapi.js";
import { operations } from "../../generated/operations.js";
import type { OperationId } from "../arguments/operation.js";
import { type CheckedArguments, serialize } from "../arguments/read-arguments.js";
import type { SentRequest } from "../errors/index.js";
import type { Answer } from "./call.js";
import type { CallSettings, PlainHeaders } from "./call-options.js";
import type { Expectation } from "./expectation.js";

export type NodeHttp = Client<paths, "application/json">;

/** A request of openapi-fetch, whose own type limits a path to its options. */
export type SendAny<Init = object, Result = unknown> = (method: string, path: string, init: Init) => Promise<Result>;

export interface FetchResult {
  /** The response, after middleware. If its status is a success, the body has not been read. */
  response: Response;
  /** The body of a response with an error status: parsed if it is JSON, otherwise its text. */
  error?: unknown;
}

/** A response, and what its errors name. */
export interface Received {
  response: Response;
  /** The request; its URL is that of the response if middleware has responded instead. */
  request: SentRequest;
  operation: string;
  /** The number of attempts so far, including this one. */
  attempts: number;
  maxResponseSize: number;
}

/** Options for openapi-fetch. An interface would not be assignable to its index signature. */
export type AttemptInit = {
  headers: PlainHeaders;
  fetch: (request: Request) => Promise<Response>;
  parseAs: "stream";
  signal: AbortSignal;
  /** The address of the node, if the client has several. */
  baseUrl: string | undefined;
};

export interface OperationRoute {
  operation: string;
  /** The operation of the description, if it has another name. */
  described?: keyof described;
  attempt(params: CheckedArguments, init: AttemptInit): Promise<FetchResult>;
  /** Whether the request is never retried, because the node does not accept it twice. */
  once?: boolean;
}

/** A call: what is sent, with which settings, and how the response is read. */
export interface CallRequest<T> extends OperationRoute, CallSettings {
  params: CheckedArguments;
  /** Returns the result; `undefined` if the body does not match the description. */
  read(body: object): T | undefined;
  /** Reads a response with a success status instead of `read`, whatever its body is. */
  receive?(received: Received): Promise<T>;
  /** What the response has to show. */
  expectation?: Expectation | undefined;
  /** Statuses that are not retried, although they usually are transient. */
  finalStatuses?: readonly number[];
  /** What the caller can do about an error status, for its message. */
  hints?: Readonly<Record<number, string>>;
}

export type Send = <T>(call: CallRequest<T>) => Promise<Answer<T>>;

export function routeOf(http: NodeHttp, id: OperationId): OperationRoute {
  const { method, path, ...operation } = operations[id];
  const send = http.request as SendAny<object, FetchResult>;
  return {
    operation: id,
    described: id,
    once: "sentOnce" in operation,
    attempt: (checked, init) => {
      const params = serialize(operation.arguments, checked);
      return send(method, path, { ...init, params, body: method === "GET" ? undefined : params.body });
    },
  };
}
