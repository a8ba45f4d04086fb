import type { Reply } from "./gateway.js";

/** A reply with its CORS headers; without an `Origin` there are none (observed on v0.74 nodes). */
export function withCors(reply: Reply, request: Headers): Reply {
  const origin = request.get("Origin");
  const cors = origin !== null && { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "*" };
  return { ...reply, headers: { ...reply.headers, Vary: "Origin", ...cors } };
}

/** The response to a preflight request; `undefined` for another request. */
export function preflightReply({ method, headers }: Request): Reply | undefined {
  const [origin, requested] = [headers.get("Origin"), headers.get("Access-Control-Request-Method")];
  if (method !== "OPTIONS" || origin === null || requested === null) return undefined;
  const names = (headers.get("Access-Control-Request-Headers") ?? "").split(/,\s*/).filter((name) => name !== "");
  return {
    status: 204,
    body: null,
    headers: {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Methods": requested,
      ...(names.length > 0 && { "Access-Control-Allow-Headers": names.map(canonicalName).join(", ") }),
      "Access-Control-Max-Age": "7200",
      Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
    },
  };
}

/** A header's name with capitals, as in `Content-Type`. */
const canonicalName = (name: string) => name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
