import type { Client as HttpClient } from "openapi-fetch";
import type { paths } from "../../generated/openapi.js";
import { operations } from "../../generated/operations.js";
import type { OperationId } from "../arguments/operation.js";
import { type CheckedArguments, serialize } from "../arguments/read-arguments.js";
import type { FetchResult, Route } from "./context.js";

/** Any request of openapi-fetch. Its own types tie a path to its parameters, which the table of operations does here. */
type Send = (method: string, path: string, init: object) => Promise<FetchResult>;

/** How an operation of the description is sent. */
export type OperationRoute = Pick<
  Route<CheckedArguments, never, never>,
  "operation" | "described" | "attempt" | "once"
>;

/** The route of an operation of the description. */
export function routeOf(http: HttpClient<paths, "application/json">, id: OperationId): OperationRoute {
  const { method, path, ...operation } = operations[id];
  const send = http.request as Send;
  const once = "sentOnce" in operation;
  return {
    operation: id,
    described: id,
    once,
    attempt: (checked, init) => {
      const params = serialize(operation.arguments, checked);
      return send(method, path, { ...init, params, body: method === "GET" ? undefined : params.body });
    },
  };
}
