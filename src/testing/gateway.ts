import { GatewayError, NodeError, tooLarge } from "./errors.js";
import { toJson } from "./json.js";
import type { RateDecision } from "./rate-limiter.js";
import type { ResponderState } from "./responders.js";
import { findRoute } from "./routes.js";

/** A response without its CORS headers. */
export interface Reply {
  status: number;
  body: string | null;
  headers: Record<string, string>;
}

/** What the gateway asks the data node behind it for. */
export interface DataNode {
  /** Draws on the rate limit. */
  limit(): RateDecision;
  /** The headers that name the block. */
  readonly blockHeaders: Record<string, string>;
  readonly state: ResponderState;
}

/** A request as it reaches the gateway. */
export interface GatewayRequest {
  method: string;
  headers: Headers;
  /** Without its escapes. */
  path: string;
  search: string;
  body: string;
}

/** The largest response that the gateway passes on, in bytes (observed on v0.74 nodes). */
const largestResponse = 20 * 2 ** 20;

/**
 * Responds to a request as the gateway of a v0.74 node does. What it rejects itself has neither block nor rate headers, and costs
 * no token.
 */
export function reply({ method, headers, path, search, body }: GatewayRequest, node: DataNode): Reply {
  const indent = headers.get("Accept") === "application/json+pretty" ? " " : undefined;
  const json = { "Content-Type": "application/json" };
  let fromDataNode = {};
  try {
    const found = findRoute(method, path);
    if (found === undefined) throw new GatewayError(5, "Not Found");
    const { route, pathParameters } = found;
    if (method !== route.method) throw new GatewayError(12, "Method Not Allowed");
    const { removedNames } = node.state.version;
    const handle = route.parse({ pathParameters, search, body, removedNames });
    const { outcome, headers: rateHeaders } = node.limit();
    fromDataNode = { ...rateHeaders, ...node.blockHeaders };
    if (outcome === "banned") throw new NodeError(7, "temporarily banned for continuing to request while rate limited");
    if (outcome === "refused") throw new NodeError(8, "api request rate limit exceeded");
    const text = toJson(handle(node.state), indent);
    if (text.length > largestResponse) throw tooLarge(text.length, largestResponse);
    return { status: 200, body: text, headers: { ...json, ...fromDataNode } };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const text = method === "HEAD" ? null : toJson(error.body, indent);
    const replyHeaders = error instanceof GatewayError ? json : { ...errorType, ...fromDataNode };
    return { status: error.status, body: text, headers: replyHeaders };
  }
}

/** Errors of the data node carry two `Content-Type` headers; `fetch` shows them as one. */
export const errorType = { "Content-Type": "application/json, application/grpc" };

/** The reply of the HTTP server in front of the gateway to a path that cannot be decoded. */
export const badRequest: Reply = {
  status: 400,
  body: "400 Bad Request",
  headers: { "Content-Type": "text/plain; charset=utf-8" },
};

/** A path without its escapes; `undefined` if it cannot be decoded. */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
