import { within } from "../async/abort.js";
import type { Clock } from "../async/clock.js";
import { TimeoutError } from "../errors/index.js";
import { type Emit, observedError } from "./events.js";
import type { ActiveCall, Fetch } from "./request.js";
import { fetchResponse, readAnswer, type Validate } from "./response.js";

/** What requests to a node are made with. */
export interface Exchange {
  fetch: (request: Request) => Promise<Response>;
  validate: Validate | undefined;
  clock: Clock;
  emit: Emit | undefined;
  /** Returns where a request is sent; with a pool, that is the address of one of its nodes. Default: as it says. */
  address?: (url: string) => string;
}

/** Sends a request and reads the response within `timeout`, which starts now. Ends in time, also if `fetch` ignores signals. */
export function deadline(exchange: Exchange): Fetch {
  const { fetch, clock, emit, address } = exchange;
  return async <T>(request: Request, call: ActiveCall<T>, attempt: number) => {
    const { operation, settings, signal } = call;
    const sentAt = clock.now();
    // Node.js aborts a Request only as long as something refers to it: the timer and the signal do, by this variable.
    let sent: Request | undefined;
    let response: Response | undefined;
    let error: unknown;
    call.progress.attempts = attempt;
    const late = () => {
      const what = sent ? ` (${sent.method} ${sent.url})` : "";
      const message = `Attempt ${attempt} of ${operation} took longer than ${settings.timeout} ms${what}`;
      return new TimeoutError(message, { scope: "attempt", waitedFor: undefined, operation, attempts: attempt });
    };
    const send = async (signal: AbortSignal) => {
      // A signal of its own: a Request keeps a listener on its signal for as long as that lives.
      const url = address?.(request.url) ?? request.url;
      // `fetch` would send a redirected POST again, and all headers but a few to other hosts.
      const init: RequestInit = { signal, redirect: "manual" };
      sent = url === request.url ? new Request(request, init) : new Request(url, await movedInit(request, init));
      // openapi-fetch adds options that a Request does not know, such as `next` of Next.js.
      for (const name of Object.keys(request)) Object.assign(sent, { [name]: request[name as keyof Request] });
      emit?.({ type: "attempt", operation, attempt, method: sent.method, url: sent.url });
      // The observer may have aborted the call.
      signal.throwIfAborted();
      const origin = { operation, attempts: attempt, maxResponseSize: settings.maxResponseSize, request: sent };
      response = await fetchResponse(fetch, sent, origin);
      return await readAnswer({ ...origin, response }, call, exchange);
    };
    try {
      return await within({ signal, clock, milliseconds: settings.timeout, late }, send);
    } catch (reason) {
      error = reason;
      throw reason;
    } finally {
      if (emit && sent) {
        const observed = error === undefined ? undefined : observedError(error);
        const duration = clock.now() - sentAt;
        emit({ type: "response", operation, attempt, duration, status: response?.status, error: observed });
      }
    }
  };
}

/** The options of the same request to another address. */
async function movedInit(request: Request, init: RequestInit): Promise<RequestInit> {
  const { method, headers, credentials, cache, mode, referrerPolicy } = request;
  // As it is, a body would be a stream, which browsers send by HTTP/2 alone.
  const body = method === "GET" || method === "HEAD" ? undefined : await request.arrayBuffer();
  return { ...init, method, headers, body, credentials, cache, mode, referrerPolicy } as RequestInit;
}
