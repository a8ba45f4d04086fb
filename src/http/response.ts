import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import {
  ApiError,
  ArgumentError,
  ConnectionError,
  describe,
  isTooLarge,
  RateLimitError,
  ResponseError,
  type SentRequest,
  summarize,
  unlessThrown,
  VegaError,
} from "../errors/index.js";
import { readBlock } from "../values/block.js";
import { show } from "../values/show.js";
import type { Answer } from "./call.js";
import type { ActiveCall, Transport } from "./request.js";
import { isBan, retryAfter } from "./retry.js";

/** A request that was sent, with the operation for its errors. */
interface Exchange<T = unknown> {
  call: ActiveCall<T>;
  /** The number of attempts so far, including this one. */
  attempts: number;
  request: SentRequest;
}

interface Received<T = unknown> extends Exchange<T> {
  response: Response;
}

export async function fetchResponse(
  fetch: Transport["fetch"],
  exchange: Exchange & { request: Request },
): Promise<Response> {
  const { request } = exchange;
  let response: unknown;
  try {
    response = await fetch(request);
  } catch (error) {
    throw request.signal.aborted || VegaError.is(error) ? error : connectionError(error, "no response", exchange);
  }
  // A caller's own `fetch` can return a response of another class.
  const { text, headers, bodyUsed } = Object(response) as Partial<Response>;
  if (text && headers?.get && !bodyUsed) return response as Response;
  const got = bodyUsed ? "one whose body has been read" : show(response);
  const message = `Expected \`fetch\` to be a function that resolves to a new Response, got ${got}.`;
  throw new ArgumentError(message, { argument: "fetch", attempts: exchange.attempts });
}

function connectionError(
  error: unknown,
  what: "no response" | "an incomplete response",
  { call: { operation }, attempts, request: { url } }: Exchange,
): ConnectionError {
  const hint = what === "no response" ? corsHint(error, url) : "";
  const message = `${operation} received ${what} from ${url}: ${describe(error)}${hint}`;
  return new ConnectionError(message, { operation, attempts, cause: error });
}

/**
 * Returns the likely reason for a missing response, as a sentence for a message; empty if a browser has not blocked the
 * request. Browsers report a blocked response and a failed connection alike, as a `TypeError` without a cause. Node.js
 * adds a cause.
 */
function corsHint(error: unknown, url: string): string {
  const { origin } = (globalThis as { location?: { origin?: string } }).location ?? {};
  const isBlocked = error instanceof TypeError && error.cause === undefined;
  if (origin === undefined || url.startsWith(`${origin}/`) || !isBlocked) return "";
  return (
    `. The browser may have blocked it (CORS): let the node, or a proxy in front of it, allow the origin ${origin}, or ` +
    "send the requests through the server of the page."
  );
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The rest of a body that is larger than `maxResponseSize` is not received. */
async function readBody(received: Received): Promise<Bytes> {
  const { response } = received;
  const { maxResponseSize } = received.call.settings;
  const chunks: Bytes[] = [];
  let size = 0;
  let reader: ReadableStreamDefaultReader<Bytes> | undefined;
  const add = (chunk: Bytes) => {
    size += chunk.byteLength;
    if (size <= maxResponseSize) return chunks.push(chunk);
    const what = `a body of more than ${maxResponseSize} bytes with status ${response.status}`;
    throw responseError(received, what, { advice: ". Request less, or raise `maxResponseSize`." });
  };
  try {
    // The bodies of node-fetch are streams of Node.js.
    reader = response.body?.getReader?.();
    if (reader === undefined) add(new TextEncoder().encode(await response.text()));
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return join(chunks, size);
      add(chunk.value);
    }
  } catch (error) {
    // Not awaited: a stream may take its time to end. The readers of polyfills may have no `cancel`.
    Promise.resolve()
      .then(() => reader?.cancel())
      .catch(ignore);
    throw VegaError.is(error) ? error : connectionError(error, "an incomplete response", received);
  }
}

function join(chunks: readonly Bytes[], size: number): Bytes {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const joined = new Uint8Array(size);
  let start = 0;
  for (const chunk of chunks) {
    joined.set(chunk, start);
    start += chunk.byteLength;
  }
  return joined;
}

/** The response with a body that was not read yet. */
function withBody(response: Response, body: Bytes): Response {
  const { status, url } = response;
  // `fetch` accepts any status text, and `Response` no other characters than these.
  const statusText = (response.statusText ?? "").replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "");
  try {
    // whatwg-fetch copies no headers of another implementation, but it accepts pairs.
    const copy = new Response(body, { status, headers: [...response.headers], statusText });
    return Object.defineProperty(copy, "url", { value: url });
  } catch {
    // A response with status 204 has no body, and browsers hide the response of a redirect: its status is 0.
    return response;
  }
}

export async function readAnswer<T>(
  received: Received<T>,
  { validate, clock }: Pick<Transport, "validate" | "clock">,
): Promise<Answer<T>> {
  const { call, response } = received;
  const { content = "result" } = call;
  const answer = { data: undefined as T, response, block: readBlock(response), stale: false };
  if (response.ok && content === "stream") return answer;
  const bytes = await readBody(received);
  // The response gets its body back only if someone reads it: that takes a tenth of the time of a call.
  if (!response.ok || content !== "result" || call.keepsBody) answer.response = withBody(response, bytes);
  if (response.ok && content === "bytes") return answer;
  const text = new TextDecoder().decode(bytes);
  const json: unknown = unlessThrown(() => JSON.parse(text));
  const body = json === undefined ? text : json;
  if (!response.ok) throw errorOf({ ...received, response: answer.response }, body, clock);
  if (content === "result") answer.data = await readResult(received, text, body, validate);
  else if (json === undefined && text !== "") throw mismatch(received, text, body);
  return answer;
}

async function readResult<T>(received: Received<T>, text: string, body: unknown, validate: Transport["validate"]) {
  const { call, request, response, attempts } = received;
  const { operation, described, read } = call;
  let result: T | undefined;
  try {
    result = typeof body === "object" && body !== null ? read?.(body) : undefined;
  } catch (cause) {
    throw mismatch(received, text, body, cause);
  }
  if (result === undefined) throw mismatch(received, text, body);
  const { method, url } = request;
  const sent = { operation, request: { method, url }, attempts };
  if (described) await validate?.({ operationId: described, ...sent, body, response });
  return result;
}

function mismatch(received: Received, text: string, body: unknown, cause?: unknown): ResponseError {
  const { status, headers } = received.response;
  const content = `${headers.get("content-type") ?? "no content type"}, ${text === "" ? "empty" : summarize(text)}`;
  const reason = cause === undefined ? "" : `: ${describe(cause)}`;
  const what = `a response with status ${status} that does not match the OpenAPI description${reason} (${content})`;
  return responseError(received, what, { body, cause });
}

function responseError(
  { call: { operation }, response, attempts, request: { url } }: Received,
  what: string,
  { body, cause, advice = "" }: { body?: unknown; cause?: unknown; advice?: string },
): ResponseError {
  const message = `${operation} received ${what} from ${url}${advice}`;
  return new ResponseError(message, { operation, attempts, response, body, cause });
}

export function errorOf({ call, attempts, request, response }: Received, body: unknown, clock: Clock): ApiError {
  const { operation, finalStatuses } = call;
  const { status, headers } = response;
  const { method, url } = request;
  const options = { operation, attempts, request: { method, url }, response, body };
  const banned = isBan(status, headers);
  if (!banned && (status !== 429 || isTooLarge(status, body))) {
    return new ApiError({ ...options, hint: finalStatuses?.[status] ?? redirectHint(response) });
  }
  const wait = retryAfter(status, headers, clock);
  const seconds = wait === undefined ? undefined : Math.ceil(wait / 1000);
  return new RateLimitError({ ...options, banned, retryAfter: seconds, sent: true });
}

function redirectHint({ type, status, headers }: Response): string | undefined {
  // Login portals send a Location with status 401, too.
  const location = status < 400 ? headers.get("location") : null;
  if (location === null && type !== "opaqueredirect") return undefined;
  const where = location === null ? ", and browsers hide where to" : ` to ${location}, which is not followed`;
  return `It redirects${where}. If you trust the new address, use it in \`baseUrl\`.`;
}
