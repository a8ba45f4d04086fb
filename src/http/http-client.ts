import type { Settings } from "./call-options.js";
import { httpCall } from "./http-call.js";
import type { NodeHttp, SendAny } from "./node-http.js";
import type { Requester } from "./requester.js";

/**
 * Returns an openapi-fetch client whose requests are calls: they have deadlines, retries and pacing. Middleware is called for each
 * attempt.
 */
export const withCalls = (http: NodeHttp, requester: Requester, settings: Settings): NodeHttp =>
  withRequest(http, (...request) => httpCall({ http, requester, settings }, ...request));

/** Returns an openapi-fetch client that sends further headers with every request. */
export function withHeaders(http: NodeHttp, added: Headers): NodeHttp {
  const send = http.request as SendAny;
  return withRequest(http, (method, path, init: { headers?: HeadersInit | Record<string, unknown> }) => {
    const { headers } = init;
    const own =
      headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(new Headers(headers)) : headers;
    // A header of one request comes last: it overrides the others, and `null` removes them.
    return send(method, path, { ...init, headers: { ...Object.fromEntries(added), ...own } });
  });
}

/** Returns an openapi-fetch client that sends with a function. Its middleware is that of the other. */
function withRequest(http: NodeHttp, send: SendAny): NodeHttp {
  const members = Object.entries(http).map(([name, member]) => {
    if (name === "use" || name === "eject") return [name, member];
    if (name === "request") return [name, (method: string, path: string, init = {}) => send(method, path, init)];
    return [name, (path: string, init = {}) => send(name, path, init)];
  });
  return Object.fromEntries(members) as NodeHttp;
}
