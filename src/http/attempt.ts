import { refuse } from "../arguments/refuse.js";
import type { Clock } from "../async/clock.js";
import { ConnectionError, describe, VegaError } from "../errors/index.js";
import { type Block, readBlock } from "./block.js";
import type { Attempt, Context, Reply, SendAttempt } from "./context.js";
import { corsHint } from "./cors-hint.js";
import { decode, errorOf, readBytes, readData, requestOf, type Validate } from "./response.js";

export interface Transport {
  fetch: (request: Request) => Promise<Response>;
  validate: Validate | undefined;
  clock: Clock;
  /** Called with the block of each response that names one. */
  onBlock?: ((block: Block) => void) | undefined;
}

/** Sends one request and reads its response. Ends at once when it is cancelled. */
export const createAttempt =
  (options: Transport): SendAttempt =>
  (context, attempt) =>
    attempt.cancellation.run((resolve, reject) => {
      // Of this attempt alone: a Request keeps a listener on its signal for as long as the signal lives.
      const controller = new AbortController();
      perform(context, attempt, options, controller.signal).then(resolve, (error: unknown) =>
        reject(connectionError(error, context, attempt)),
      );
      return (reason) => controller.abort(reason);
    });

async function perform<T>(
  context: Context<T>,
  attempt: Attempt,
  { fetch, validate, clock, onBlock }: Transport,
  signal: AbortSignal,
): Promise<Reply<T>> {
  context.attempts = attempt.number;
  context.isQueued = false;
  const received = await context.send({
    headers: context.headers ?? {},
    signal,
    parseAs: "stream",
    baseUrl: attempt.baseUrl,
    fetch: (request) => sendRequest(request, context, attempt, fetch),
  });
  const { response } = received;
  const block = readBlock(response);
  if (block) onBlock?.(block);
  if (!response.ok) throw errorOf(received, context, attempt, clock);
  if (context.receive) {
    const data = await context.receive(response, context, attempt);
    return { data, response, block, stale: false };
  }
  return { data: await readData(response, context, attempt, validate), response, block, stale: false };
}

async function sendRequest(
  request: Request,
  context: Context<unknown>,
  attempt: Attempt,
  fetch: Transport["fetch"],
): Promise<Response> {
  const { method, url } = request;
  attempt.request = { method, url };
  attempt.onSend?.(attempt.request);
  // The observer may have cancelled the call.
  attempt.cancellation.throwIfCancelled();
  let response: unknown;
  try {
    response = await fetch(request);
  } catch (error) {
    // openapi-fetch does not throw a reason that is falsy.
    const reason = error || new TypeError(`fetch was rejected with ${String(error)}`);
    attempt.failure = { reason };
    throw reason;
  }
  if (!isResponse(response)) return refuse({ argument: "fetch" }, "a function that resolves to a Response", response);
  attempt.response = response;
  // openapi-fetch reads the bodies of error responses itself, without a limit.
  return response.ok ? response : withText(response, decode(await readBytes(response, context, attempt)));
}

/**
 * Returns a response like one whose body was read, to be read once more. It is not a clone of it: node-fetch waits until both
 * bodies of a clone are read at the same pace.
 */
function withText(response: Response, text: string): Response {
  try {
    return Object.defineProperty(new Response(text, response), "url", { value: response.url });
  } catch {
    // A response without a body, or one of an older polyfill.
    return Object.defineProperty(response, "text", { value: async () => text });
  }
}

/** Returns whether openapi-fetch can read a value as a response. A caller's own `fetch` can return one of another realm. */
function isResponse(value: unknown): value is Response {
  const { status, headers, text } = (value ?? {}) as Partial<Response>;
  return typeof status === "number" && typeof headers?.get === "function" && typeof text === "function";
}

/** Turns the failure of a connection into a {@link ConnectionError}. What middleware throws stays as it is. */
function connectionError(error: unknown, { operation }: Context<unknown>, attempt: Attempt): unknown {
  const { cancellation, failure, response, number: attempts } = attempt;
  if (cancellation.isCancelled || failure === undefined || failure.reason !== error || VegaError.is(error))
    return error;
  const { url } = requestOf(response, attempt);
  const what = response ? "an incomplete response" : "no response";
  const hint = response ? "" : corsHint(error, url);
  const message = `${operation} received ${what} from ${url}: ${describe(error)}${hint}`;
  return new ConnectionError(message, { operation, attempts, cause: error });
}
