import createClient, { type ClientOptions, createQuerySerializer, mergeHeaders, type ParseAs } from "openapi-fetch";
import type { paths } from "../../generated/openapi.js";
import { ArgumentError, atCaller } from "../errors/index.js";
import type { CallDefaults } from "./call-options.js";
import type { CallRequest, NodeHttp } from "./request.js";
import { type Connection, inTime, responseOf, type SendAny } from "./send.js";

export function createHttp(baseUrl: string, fetch: (request: Request) => Promise<Response>): NodeHttp {
  const options = { baseUrl, fetch, pathSerializer, querySerializer, redirect: "manual" } as const;
  const { use, ...client } = createClient<paths, "application/json">(options);
  const http: NodeHttp = {
    ...client,
    hasMiddleware: false,
    use(...middleware) {
      http.hasMiddleware = true;
      use(...middleware);
    },
  };
  return http;
}

type Init = Pick<ClientOptions, "baseUrl" | "fetch" | "headers"> & { parseAs?: ParseAs; signal?: AbortSignal };

/** Methods that change nothing, so that they can be repeated. */
const reads = ["GET", "HEAD", "OPTIONS", "TRACE"];

/** Returns the client with the headers of another one. `fetch` has the deadlines, retries and pacing of its calls. */
export function httpWith(
  http: NodeHttp,
  { deliver, clock }: Pick<Connection, "deliver" | "clock">,
  defaults: CallDefaults,
): NodeHttp {
  const send = http.request as SendAny;

  async function request(name: string, path: string, init: Init = {}) {
    const method = name.toUpperCase();
    const { baseUrl, fetch: own, signal, parseAs = "json" } = init;
    // The headers of the request override the others, and `null` removes one.
    const headers = mergeHeaders(defaults.headers, init.headers);
    // A request with an address or a function of its own is sent there, once.
    if (baseUrl !== undefined || own !== undefined) return send(method, path, { ...init, headers });
    const call: CallRequest<undefined> = {
      ...defaults,
      operation: `${method} ${path}`,
      once: !reads.includes(method),
      signal,
      content: parseAs === "json" || parseAs === "stream" ? parseAs : "bytes",
    };
    try {
      const result = await inTime(http, call, clock, (active) => {
        const fetch = (request: Request) => deliver(request, active).then(({ response }) => response, responseOf);
        return send(method, path, { ...init, headers, fetch, signal: active.first.signal });
      });
      // Its reader may take longer than any deadline. The caller's signal ends it: through the Request, Node.js would
      // do so only until that is garbage.
      const { data } = result;
      const isStream = parseAs === "stream" && signal && data instanceof ReadableStream;
      return isStream ? { ...result, data: data.pipeThrough(new TransformStream(), { signal }) } : result;
    } catch (error) {
      throw atCaller(error);
    }
  }

  const names = Object.keys(http).filter((name) => name === name.toUpperCase());
  const methods = names.map((name) => [name, (path: string, init?: Init) => request(name, path, init)]);
  return { ...http, ...Object.fromEntries(methods), request };
}

/** Refuses parameters of `client.http`, and cursors of a node, that no URL can hold. */
const checked =
  <Args extends unknown[]>(encode: (...args: Args) => string) =>
  (...args: Args): string => {
    try {
      return encode(...args);
    } catch (cause) {
      if (!(cause instanceof URIError)) throw cause;
      throw new ArgumentError("Expected `params` to be well-formed Unicode.", { argument: "params", cause });
    }
  };

const querySerializer = checked(createQuerySerializer());

/** The serializer of openapi-fetch has more styles than the description, and takes a tenth of the time of a call. */
const pathSerializer = checked((path: string, params: Record<string, unknown>) => {
  let filled = path;
  for (const name in params) filled = filled.replace(`{${name}}`, encodeURIComponent(String(params[name])));
  return filled;
});
