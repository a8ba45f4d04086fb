import type { Client } from "openapi-fetch";
import type { operations as described, paths } from "../../generated/openapi.js";
import { operations } from "../../generated/operations.js";
import type { OperationId } from "../arguments/operation.js";
import { type CheckedArguments, serialize } from "../arguments/read-arguments.js";
import type { FetchResult, Received } from "./response.js";

/** The openapi-fetch client of a node. */
export type NodeHttp = Client<paths, "application/json">;

/** A request of openapi-fetch, whose own type limits a path to its options. */
export type SendAny<Init = object, Result = unknown> = (method: string, path: string, init: Init) => Promise<Result>;

/** Options for openapi-fetch. An interface would not be assignable to its index signature. */
export type AttemptInit = {
  headers: Headers | Record<string, never>;
  fetch: (request: Request) => Promise<Response>;
  parseAs: "stream";
  signal: AbortSignal;
  /** The address of the node, if the client has several. */
  baseUrl: string | undefined;
};

/** How the requests of a call are sent, and how their responses are read. */
export interface CallRoute<Params, Body, T> {
  /** The name of the client's method. */
  operation: string;
  /** The operation of the description, if it has another name. */
  described?: keyof described;
  /** Sends a request with openapi-fetch. */
  attempt: (params: Params, init: AttemptInit) => Promise<FetchResult>;
  /** Returns the result; `undefined` if the body does not match the description. */
  read: (body: Body) => T | undefined;
  /** Reads a response with a success status instead of `read`, whatever its body is. */
  receive?: ((received: Received) => Promise<T>) | undefined;
  /** Whether the request is never retried, because the node does not accept it twice. */
  once?: boolean;
  /** Statuses that are not retried, although they usually are transient. */
  finalStatuses?: readonly number[];
  /** What the caller can do about an error status, for its message. */
  hints?: Readonly<Record<number, string>>;
}

/** How an operation of the description is sent. */
export type OperationRoute = Pick<
  CallRoute<CheckedArguments, never, never>,
  "operation" | "described" | "attempt" | "once"
>;

/** The route of an operation of the description. */
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
