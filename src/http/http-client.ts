import { ApiError, atCaller } from "../errors/index.js";
import type { Settings } from "./call-options.js";
import { decode, mismatch, parseJson, readBytes } from "./response.js";
import type { AttemptInit, CallRequest, FetchResult, NodeHttp, Received, Send, SendAny } from "./route.js";

/** What the caller passes to openapi-fetch, as far as it is read here. */
interface Init {
  baseUrl?: string;
  fetch?: (request: Request) => Promise<Response>;
  headers?: AttemptInit["headers"];
  params?: unknown;
  parseAs?: "json" | "text" | "blob" | "arrayBuffer" | "stream";
  signal?: AbortSignal | null;
}

/** What openapi-fetch resolves to. */
type Result = FetchResult & { data?: unknown };

/** Methods that change nothing, so that they can be repeated. */
const reads = ["GET", "HEAD", "OPTIONS", "TRACE"];

/**
 * Returns an openapi-fetch client whose requests are calls: they have deadlines, retries and pacing. Middleware is called for each
 * attempt.
 */
export const withCalls = (http: NodeHttp, send: Send, settings: Settings): NodeHttp =>
  withRequest(http, (name, path, init: Init) => httpCall(http, send, settings, name.toUpperCase(), path, init));

/** Returns an openapi-fetch client that sends headers with every request. */
export function withHeaders(http: NodeHttp, added: Headers): NodeHttp {
  const send = http.request as SendAny;
  const plain = Object.fromEntries(added);
  return withRequest(http, (method, path, init: { headers?: HeadersInit | Record<string, unknown> }) => {
    const { headers } = init;
    const own =
      headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(new Headers(headers)) : headers;
    // A header of one request comes last: it overrides the others, and `null` removes them.
    return send(method, path, { ...init, headers: { ...plain, ...own } });
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

/** Sends a request of an openapi-fetch client as a call. */
async function httpCall(
  http: NodeHttp,
  sendCall: Send,
  settings: Settings,
  method: string,
  path: string,
  init: Init,
): Promise<Result> {
  const send = http.request as SendAny<object, Result>;
  const { baseUrl, fetch, signal, parseAs = "json", ...rest } = init;
  // To where it says, once.
  if (baseUrl !== undefined || fetch !== undefined) return send(method, path, { ...init, redirect: "manual" });
  let received: Result | undefined;
  const call: CallRequest<unknown> = {
    operation: `${method} ${path}`,
    once: !reads.includes(method),
    settings,
    signal: signal ?? undefined,
    params: {},
    attempt: async (_, attemptInit) => {
      received = undefined;
      // A stream is read after the call, and still ends with the caller's signal.
      const signals = signal && parseAs === "stream" ? [attemptInit.signal, signal] : undefined;
      const lasting = signals && { signal: AbortSignal.any(signals) };
      received = await send(method, path, { ...attemptInit, ...rest, ...lasting });
      return received;
    },
    read: (body) => body,
    // openapi-fetch knows when there is no body.
    receive: async (response) => (received?.data === undefined ? undefined : readAs(parseAs, response)),
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

async function readAs(parseAs: NonNullable<Init["parseAs"]>, received: Received): Promise<unknown> {
  const { response } = received;
  // Its reader may take longer than any deadline.
  if (parseAs === "stream") return response.body;
  const bytes = await readBytes(received);
  if (parseAs !== "json")
    return (await new Response(bytes.slice(), { headers: response.headers })[parseAs]()) || undefined;
  const text = decode(bytes);
  const json = parseJson(text);
  if (text !== "" && json === undefined) throw mismatch(received, text, text);
  return json;
}
