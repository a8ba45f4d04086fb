import { ApiError, atCaller } from "../errors/index.js";
import type { CallDefaults } from "./call-options.js";
import { decode, mismatch, parseJson, readChunks } from "./response.js";
import type { CallRequest, FetchResult, NodeHttp, Received, Send, SendAny } from "./route.js";

/** What the caller passes to openapi-fetch, as far as it is read here. */
interface Init {
  baseUrl?: string;
  fetch?: (request: Request) => Promise<Response>;
  headers?: HeadersInit | Record<string, unknown>;
  params?: unknown;
  parseAs?: "json" | "text" | "blob" | "arrayBuffer" | "stream";
  signal?: AbortSignal | null;
}

type Result = FetchResult & { data?: unknown };

/** Methods that change nothing, so that they can be repeated. */
const reads = ["GET", "HEAD", "OPTIONS", "TRACE"];

/**
 * Returns an openapi-fetch client whose requests are calls: they have headers, deadlines, retries and pacing. Middleware is called for each
 * attempt.
 */
export function withCalls(http: NodeHttp, sendCall: Send, defaults: CallDefaults): NodeHttp {
  const send = (method: string, path: string, init: Init = {}) =>
    httpCall(http, sendCall, defaults, method.toUpperCase(), path, init);
  const members = Object.entries(http).map(([name, member]) => {
    if (name === "use" || name === "eject") return [name, member];
    return [name, name === "request" ? send : (path: string, init?: Init) => send(name, path, init)];
  });
  return Object.fromEntries(members) as NodeHttp;
}

async function httpCall(
  http: NodeHttp,
  sendCall: Send,
  defaults: CallDefaults,
  method: string,
  path: string,
  init: Init,
): Promise<Result> {
  const send = http.request as SendAny<object, Result>;
  const { baseUrl, fetch, signal, parseAs = "json", ...rest } = init;
  const isPlain = !(rest.headers instanceof Headers || Array.isArray(rest.headers));
  // Those of the request override the others, and `null` removes them.
  const own = isPlain ? rest.headers : Object.fromEntries(new Headers(rest.headers as HeadersInit));
  const headers = { ...defaults.headers, ...own };
  // To where it says, once.
  if (baseUrl !== undefined || fetch !== undefined) return send(method, path, { ...init, headers, redirect: "manual" });
  let received: Result | undefined;
  const call: CallRequest<unknown> = {
    operation: `${method} ${path}`,
    once: !reads.includes(method),
    ...defaults,
    signal: signal ?? undefined,
    params: {},
    attempt: async (_, attemptInit) => {
      received = undefined;
      received = await send(method, path, { ...attemptInit, ...rest, headers });
      return received;
    },
    read: (body) => body,
    // openapi-fetch knows when there is no body.
    receive: async (response) => (received?.data === undefined ? undefined : readAs(parseAs, response, signal)),
  };
  try {
    const { data, response } = await sendCall(call);
    return { data, response };
  } catch (error) {
    // A request that was not sent because of an earlier one has no response of its own. That of a redirect may have no body, so that
    // nothing in the result would be an error.
    if (ApiError.is(error) && error.status >= 400 && received?.response.headers === error.headers) return received;
    throw atCaller(error);
  }
}

async function readAs(
  parseAs: NonNullable<Init["parseAs"]>,
  received: Received,
  signal: AbortSignal | null | undefined,
): Promise<unknown> {
  const { response } = received;
  if (parseAs === "stream") {
    // Its reader may take longer than any deadline. The caller's signal ends it: through the Request, Node.js would do so only until
    // that is garbage. The bodies of node-fetch are streams of Node.js.
    return (signal && response.body?.pipeThrough?.(new TransformStream(), { signal })) ?? response.body;
  }
  const chunks = await readChunks(received);
  if (parseAs !== "json") {
    return (await new Response(new Blob([...chunks]), { headers: response.headers })[parseAs]()) || undefined;
  }
  const text = decode(chunks);
  const json = parseJson(text);
  if (text !== "" && json === undefined) throw mismatch(received, text, text);
  return json;
}
