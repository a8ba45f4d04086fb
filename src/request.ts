import { ApiError, ConnectionError, ResponseError, type SentRequest, summarize, VegaError } from "./errors.js";

/** The last block that a node had processed when it answered (observed on v0.74 nodes). */
export interface Block {
  height: bigint;
  /** Unix nanoseconds. */
  timestamp: bigint;
}

/** Header names and values; `undefined` leaves one out. */
export type HeaderValues =
  | Headers
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | undefined };

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Headers for this call, in addition to those of the client and before them. */
  headers?: HeaderValues | undefined;
}

/** An answer with what came along with it. */
export interface Answer<T> {
  /** The body. */
  data: T;
  /** Status, headers and address. Its body has been read. */
  response: Response;
  /** The last block that the node had processed; `undefined` where it does not say. */
  block: Block | undefined;
}

/** The promise of an answer. */
export interface Call<T> extends Promise<T> {
  /**
   * Resolves to the answer with its status, headers and block, and rejects as the call does.
   *
   * @example
   * ```ts
   * const { data, response, block } = await client.getSpamStatistics({ partyId }).withResponse();
   * ```
   */
  withResponse(): Promise<Answer<T>>;
}

/** One try, by openapi-fetch: it gets what is different from try to try. */
export type Attempt = (init: AttemptInit) => Promise<{ data?: string; error?: unknown; response: Response }>;

export interface AttemptInit {
  signal: AbortSignal;
  headers: Headers;
  fetch: (request: Request) => Promise<Response>;
  parseAs: "text";
}

/** What a call needs to know of its client and its operation. */
export interface Route<Body, T> {
  operation: string;
  fetch: (request: Request) => Promise<Response>;
  attempt: Attempt;
  /** Takes the answer out of the body; `undefined` where the body is not what the description says. */
  read: (body: Body) => T | undefined;
}

/** Sends one request and reads its answer. */
export async function request<Body extends object, T>(
  route: Route<Body, T>,
  { signal, headers }: CallOptions = {},
): Promise<Answer<T>> {
  const { operation, fetch, attempt, read } = route;
  let sent: SentRequest = { method: "", url: "" };
  let answer: Awaited<ReturnType<Attempt>>;
  // A controller of its own for each attempt: a Request listens to its signal for as long as that lives.
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    signal?.throwIfAborted();
    answer = await attempt({
      signal: controller.signal,
      headers: toHeaders(headers),
      fetch: (request) => {
        sent = { method: request.method, url: request.url };
        return fetch(request);
      },
      // Text, not JSON: openapi-fetch would answer HTML with a bare SyntaxError, without the response.
      parseAs: "text",
    });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (VegaError.is(cause)) throw cause;
    throw new ConnectionError(`${operation} got no answer from ${sent.url}: ${describe(cause)}`, {
      operation,
      attempts: 1,
      cause,
    });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
  const { response } = answer;
  if (!response.ok) {
    throw new ApiError({ operation, attempts: 1, request: sent, response, body: answer.error });
  }
  const text = answer.data ?? "";
  const body = parseJson(text);
  const data = typeof body === "object" && body !== null ? read(body as Body) : undefined;
  if (data === undefined) {
    const type = response.headers.get("content-type") ?? "no content type";
    throw new ResponseError(
      `${operation} got an answer with status ${response.status} that is not what the description says ` +
        `(${type}, ${text === "" ? "empty" : summarize(text)}) from ${sent.url}`,
      { operation, attempts: 1, response, body: body ?? text },
    );
  }
  return { data, response, block: readBlock(response.headers) };
}

/** A promise of the bare data, which still knows the whole answer. */
export function call<T>(send: () => Promise<Answer<T>>): Call<T> {
  const answer = send();
  const data = answer.then((whole) => whole.data);
  return Object.assign(data, {
    withResponse: () => {
      // Whoever asks for the whole answer hears of its failure there; unheard here, Node.js would end the process.
      data.catch(() => {});
      return answer;
    },
  });
}

/** `Headers` of whatever the caller gave them as. */
export function toHeaders(values: HeaderValues = {}): Headers {
  const headers = new Headers();
  for (const [name, value] of Symbol.iterator in values ? values : Object.entries(values)) {
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readBlock(headers: Headers): Block | undefined {
  const height = headers.get("x-block-height") ?? "";
  const timestamp = headers.get("x-block-timestamp") ?? "";
  if (!/^\d+$/.test(height) || !/^-?\d+$/.test(timestamp)) return undefined;
  return { height: BigInt(height), timestamp: BigInt(timestamp) };
}

/** Node's fetch says "fetch failed" and keeps the telling words in the cause, or in the causes of an AggregateError. */
function describe(error: unknown): string {
  const words: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    const inner = each instanceof AggregateError ? each.errors.map((one) => String(one?.message ?? one)) : [];
    const text = [each.message, ...inner].filter(Boolean).join(", ");
    if (text) words.push(text);
  }
  return words.length > 0 ? words.join(": ") : String(error);
}
