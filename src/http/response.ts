import type { operations } from "../../generated/openapi.js";
import type { Clock } from "../async/clock.js";
import { ApiError, isTooLarge, RateLimitError, ResponseError, type SentRequest, summarize } from "../errors/index.js";
import type { Attempt, Context, FetchResult } from "./context.js";
import { redirectHint } from "./redirects.js";
import { isBan, retryAfter } from "./retry-after.js";

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
 * Reads a body.
 *
 * @throws {@link ResponseError} if the body is larger than `maxResponseSize`: what follows is not received.
 */
export async function readBytes(response: Response, context: Context<unknown>, attempt: Attempt): Promise<Uint8Array> {
  const { maxResponseSize } = context.settings;
  try {
    // Not every `fetch` that a caller passes has streams.
    if (typeof response.body?.getReader !== "function") {
      const bytes = new TextEncoder().encode(await response.text());
      if (bytes.length > maxResponseSize) throw tooLarge(response, context, attempt);
      return bytes;
    }
    const reader = response.body.getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return join(chunks, size);
      if (!ArrayBuffer.isView(value)) throw new TypeError("Expected a body of bytes.");
      size += value.byteLength;
      if (size > maxResponseSize) {
        cancel(reader);
        throw tooLarge(response, context, attempt);
      }
      chunks.push(value);
    }
  } catch (reason) {
    attempt.failure = { reason };
    throw reason;
  }
}

const decoder = new TextDecoder();

export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);

function tooLarge(response: Response, { operation, settings }: Context<unknown>, attempt: Attempt): ResponseError {
  return new ResponseError(
    `${operation} received a body of more than ${settings.maxResponseSize} bytes with status ${response.status} from ` +
      `${requestOf(response, attempt).url}. Request less, or raise \`maxResponseSize\`.`,
    { operation, attempts: attempt.number, response, body: undefined },
  );
}

/** Not awaited: a stream may take its time to end. Readers of older polyfills have no `cancel`. */
async function cancel(reader: Partial<Pick<ReadableStreamDefaultReader, "cancel">>): Promise<void> {
  try {
    await reader.cancel?.();
  } catch {
    // The call ends with the error of its size.
  }
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Returns the result of a response with a success status. */
export async function readData<T>(
  response: Response,
  context: Context<T>,
  attempt: Attempt,
  validate: Validate | undefined,
): Promise<T> {
  const { operation, described } = context;
  const attempts = attempt.number;
  const text = decode(await readBytes(response, context, attempt));
  const body = parseJson(text);
  const result = typeof body === "object" && body !== null ? context.read(body) : undefined;
  if (result === undefined) throw mismatch(text, body ?? text, response, context, attempt);
  await validate?.({ operation: described, calledBy: operation, body, response, attempts });
  return result;
}

/** Returns the error of a response with a success status whose body does not match the OpenAPI description. */
export function mismatch(
  text: string,
  body: unknown,
  response: Response,
  { operation }: Context<unknown>,
  attempt: Attempt,
): ResponseError {
  const type = response.headers.get("content-type") ?? "no content type";
  return new ResponseError(
    `${operation} received a response with status ${response.status} that does not match the OpenAPI description ` +
      `(${type}, ${text === "" ? "empty" : summarize(text)}) from ${requestOf(response, attempt).url}`,
    { operation, attempts: attempt.number, response, body },
  );
}

/** Returns the error of a response with an error status. */
export function errorOf(
  { error: body, response }: FetchResult,
  { operation, hints }: Context<unknown>,
  attempt: Attempt,
  clock: Clock,
): ApiError {
  const { status, headers } = response;
  const options = { operation, attempts: attempt.number, request: requestOf(response, attempt), response, body };
  const banned = isBan(status, headers);
  if (!banned && (status !== 429 || isTooLarge(status, body))) {
    return new ApiError({ ...options, hint: hints[status] ?? redirectHint(response, options.request) });
  }
  const wait = retryAfter(status, headers, clock);
  const seconds = wait === undefined ? undefined : Math.ceil(wait / 1000);
  return new RateLimitError({ ...options, banned, retryAfter: seconds, sent: true });
}

/** Returns the request that was sent; middleware can respond without sending one. */
export function requestOf(response: Response | undefined, { request }: Attempt): SentRequest {
  return request ?? { method: "", url: response?.url ?? "" };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
