import type { operations } from "../../generated/openapi.js";
import { refuse } from "../arguments/refuse.js";
import type { Clock } from "../async/clock.js";
import { ignore } from "../async/item-iterator.js";
import {
  ApiError,
  ConnectionError,
  describe,
  isTooLarge,
  RateLimitError,
  ResponseError,
  summarize,
  VegaError,
} from "../errors/index.js";
import { isBan, retryAfter } from "./retry.js";
import type { CallRequest, FetchResult, Received } from "./route.js";

/** A response that was received and that the caller does not have yet. */
export interface CheckedAnswer {
  /** The operation of the description that the response belongs to. */
  operation: keyof operations;
  /** The name of the method that was called. */
  calledBy: string;
  /** The whole body as parsed JSON. */
  body: unknown;
  /** Status, headers and URL. Its body has been read. */
  response: Response;
  /** The number of attempts so far, including this one. */
  attempts: number;
}

/**
 * Checks a response before the caller gets its result. What it throws rejects the call. If it returns a promise, the call waits for it and
 * rejects if it rejects; deadlines and signals include that wait.
 */
export type Validate = (received: CheckedAnswer) => void;

/**
 * Sends a request.
 *
 * @throws {@link ConnectionError} if there is no response.
 */
export async function fetchResponse(
  fetch: (request: Request) => Promise<Response>,
  sent: Request,
  origin: Omit<Received, "response">,
): Promise<Response> {
  let response: unknown;
  try {
    // Middleware can replace the request. `fetch` would send a redirected POST again, and all headers but a few to other hosts.
    response = await fetch(sent.redirect === "manual" ? sent : new Request(sent, { redirect: "manual" }));
  } catch (error) {
    throw sent.signal.aborted || VegaError.is(error) ? error : connectionError(error, "no response", origin);
  }
  // A caller's own `fetch` can return a response of another class.
  if (typeof (response as Partial<Response> | undefined)?.text === "function") return response as Response;
  return refuse({ argument: "fetch" }, "a function that resolves to a Response", response);
}

/**
 * Reads the body of an error response, which openapi-fetch would do without a limit, and returns a response with it. It is no clone:
 * node-fetch waits until both bodies of a clone are read at the same pace.
 */
export async function withBody(received: Received): Promise<Response> {
  const { response } = received;
  const text = decode(await readChunks(received));
  try {
    return Object.defineProperty(new Response(text, response), "url", { value: response.url });
  } catch {
    // A status without a body, such as that of a redirect that a browser hides.
    return Object.defineProperty(response, "text", { value: async () => text });
  }
}

function connectionError(
  error: unknown,
  what: "no response" | "an incomplete response",
  { operation, attempts, request: { url } }: Omit<Received, "response">,
): ConnectionError {
  const hint = what === "no response" ? corsHint(error, url) : "";
  const message = `${operation} received ${what} from ${url}: ${describe(error)}${hint}`;
  return new ConnectionError(message, { operation, attempts, cause: error });
}

/**
 * Returns what may have blocked a request that got no response, as a sentence for a message; empty if a browser has not blocked it.
 * Browsers report a blocked response and a failed connection alike, as a `TypeError` without a cause. Node.js adds a cause.
 *
 * @param origin - The origin of the page; `undefined` outside of browsers.
 */
export function corsHint(error: unknown, url: string, origin = originOfPage()): string {
  const isBlocked = error instanceof TypeError && error.cause === undefined;
  if (origin === undefined || url.startsWith(`${origin}/`) || !isBlocked) return "";
  return (
    `. The browser may have blocked it (CORS): let the node, or a proxy in front of it, allow the origin ${origin}, or ` +
    "send the requests through the server of the page."
  );
}

const originOfPage = () => (globalThis as { location?: { origin?: string } }).location?.origin;

type Chunk = Uint8Array<ArrayBuffer>;

/**
 * Reads a body.
 *
 * @throws {@link ResponseError} if the body is larger than `maxResponseSize`: what follows is not received.
 */
export async function readChunks(received: Received): Promise<readonly Chunk[]> {
  const { response, maxResponseSize } = received;
  const chunks: Chunk[] = [];
  let size = 0;
  let reader: ReadableStreamDefaultReader<Chunk> | undefined;
  const add = (chunk: Chunk) => {
    size += chunk.byteLength;
    if (size > maxResponseSize) throw tooLarge(received);
    chunks.push(chunk);
  };
  try {
    // The bodies of node-fetch are streams of Node.js.
    reader = response.body?.getReader?.();
    if (reader === undefined) add(new TextEncoder().encode(await response.text()));
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return chunks;
      add(chunk.value);
    }
  } catch (error) {
    // Not awaited: a stream may take its time to end.
    reader?.cancel().catch(ignore);
    throw VegaError.is(error) ? error : connectionError(error, "an incomplete response", received);
  }
}

const decoder = new TextDecoder();

/** The text of a body. A character can be in two chunks. */
export const decode = (chunks: readonly Chunk[]): string =>
  chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function readResult<T>(
  received: Received,
  { described, read }: Pick<CallRequest<T>, "described" | "read">,
  validate: Validate | undefined,
): Promise<T> {
  const { operation, response, attempts } = received;
  const text = decode(await readChunks(received));
  const body = parseJson(text);
  let result: T | undefined;
  try {
    result = typeof body === "object" && body !== null ? read(body) : undefined;
  } catch (cause) {
    throw mismatch(received, text, body, cause);
  }
  if (result === undefined) throw mismatch(received, text, body ?? text);
  if (described) await validate?.({ operation: described, calledBy: operation, body, response, attempts });
  return result;
}

function tooLarge({ response, operation, maxResponseSize, attempts, request: { url } }: Received): ResponseError {
  return new ResponseError(
    `${operation} received a body of more than ${maxResponseSize} bytes with status ${response.status} from ${url}. ` +
      "Request less, or raise `maxResponseSize`.",
    { operation, attempts, response, body: undefined },
  );
}

/** Returns the error of a response with a success status whose body does not match the OpenAPI description. */
export function mismatch(
  { response, operation, attempts, request: { url } }: Received,
  text: string,
  body: unknown,
  cause?: unknown,
): ResponseError {
  const type = response.headers.get("content-type") ?? "no content type";
  return new ResponseError(
    `${operation} received a response with status ${response.status} that does not match the OpenAPI description ` +
      `(${type}, ${text === "" ? "empty" : summarize(text)}) from ${url}`,
    { operation, attempts, response, body, cause },
  );
}

export function errorOf(
  { operation, attempts, request, response }: Received,
  { error: body }: FetchResult,
  hints: Readonly<Record<number, string>> | undefined,
  clock: Clock,
): ApiError {
  const { status, headers } = response;
  const { method, url } = request;
  const options = { operation, attempts, request: { method, url }, response, body };
  const banned = isBan(status, headers);
  if (!banned && (status !== 429 || isTooLarge(status, body))) {
    return new ApiError({ ...options, hint: hints?.[status] ?? redirectHint(response) });
  }
  const wait = retryAfter(status, headers, clock);
  const seconds = wait === undefined ? undefined : Math.ceil(wait / 1000);
  return new RateLimitError({ ...options, banned, retryAfter: seconds, sent: true });
}

/** What the caller can do about a redirect, as a sentence for a message. */
function redirectHint({ type, status, headers }: Response): string | undefined {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  if (location === null && type !== "opaqueredirect") return undefined;
  const where = location === null ? ", and browsers hide where to" : ` to ${location}, which is not followed`;
  return `It redirects${where}. If you trust the new address, use it in \`baseUrl\`.`;
}
