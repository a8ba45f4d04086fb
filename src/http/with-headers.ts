import type { Client } from "openapi-fetch";
import type { paths } from "../../generated/openapi.js";

/** The openapi-fetch client of a node. */
export type NodeHttp = Client<paths, "application/json">;

type Init = { headers?: HeadersInit | Record<string, unknown> } | undefined;
type Send = (...args: readonly unknown[]) => unknown;

/** Returns an openapi-fetch client that sends further headers with every request. Its middleware is that of the other. */
export function withHeaders(http: NodeHttp, added: Headers): NodeHttp {
  const addTo = (init: Init) => {
    const headers = init?.headers;
    const own =
      headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(new Headers(headers)) : headers;
    // A header of one request comes last: it overrides the others, and `null` removes them.
    return { ...init, headers: { ...Object.fromEntries(added), ...own } };
  };
  const wrap = ([name, member]: [string, unknown]) => {
    if (name === "use" || name === "eject") return [name, member];
    const send = member as Send;
    const initAt = name === "request" ? 2 : 1;
    return [name, (...args: unknown[]) => send(...args.slice(0, initAt), addTo(args[initAt] as Init))];
  };
  return Object.fromEntries(Object.entries(http).map(wrap)) as NodeHttp;
}
