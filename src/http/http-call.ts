import { ApiError } from "../errors/index.js";
import type { Settings } from "./call-options.js";
import type { Attempt, AttemptInit, Context, FetchResult, Route } from "./context.js";
import type { NodeHttp, SendAny } from "./node-http.js";
import { withRedirects } from "./redirects.js";
import type { Requester } from "./requester.js";
import { decode, mismatch, parseJson, readBytes } from "./response.js";

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

/** What the requests of an openapi-fetch client are sent with. */
export interface HttpCalls {
  http: NodeHttp;
  requester: Requester;
  settings: Settings;
}

/** Sends a request of an openapi-fetch client as a call. */
export async function httpCall(
  { http, requester, settings }: HttpCalls,
  name: string,
  path: string,
  init: Init,
): Promise<Result> {
  const send = http.request as SendAny<object, Result>;
  const method = name.toUpperCase();
  const { baseUrl, fetch, signal, parseAs = "json", ...rest } = init;
  // To where it says, once.
  if (baseUrl !== undefined || fetch !== undefined) {
    return send(method, path, fetch ? { ...init, fetch: withRedirects(fetch) } : init);
  }
  let received: Result | undefined;
  const route: Route<object, object, unknown> = {
    operation: `${method} ${path}`,
    once: !reads.includes(method),
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
    receive: async (response, context, attempt) =>
      received?.data === undefined ? undefined : readAs(parseAs, response, context, attempt),
  };
  try {
    const call = { settings, signal: signal ?? undefined, headers: undefined };
    const { data, response } = await requester.send(route, {}, call);
    return { data, response };
  } catch (error) {
    // A request that was not sent because of an earlier one has no response of its own. That of a redirect may have no body, so that
    // nothing in the result would be an error.
    if (ApiError.is(error) && error.status >= 400 && received?.response.headers === error.headers) return received;
    throw error;
  }
}

async function readAs(
  parseAs: NonNullable<Init["parseAs"]>,
  response: Response,
  context: Context<unknown>,
  attempt: Attempt,
): Promise<unknown> {
  // Its reader may take longer than any deadline.
  if (parseAs === "stream") return response.body;
  const bytes = await readBytes(response, context, attempt);
  if (parseAs === "arrayBuffer") return bytes.slice().buffer;
  if (parseAs === "blob") return new Blob([bytes.slice()], { type: response.headers.get("content-type") ?? "" });
  const text = decode(bytes);
  if (parseAs === "text" || text === "") return text || undefined;
  const json = parseJson(text);
  if (json === undefined) throw mismatch(text, text, response, context, attempt);
  return json;
}
