import { within } from "../async/abort.js";
import { TimeoutError } from "../errors/index.js";
import { observedError } from "./events.js";
import type { ActiveCall, Fetch, Transport } from "./request.js";
import { fetchResponse, readAnswer } from "./response.js";

/** Sends a request and reads the response within `timeout` from now, also if `fetch` ignores signals. */
export function deadline(transport: Transport): Fetch {
  const { fetch, clock, emit, copy } = transport;
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
    // A signal of its own: a Request keeps a listener on its signal for as long as that lives.
    const controller = attempt === 1 && !copy ? call.first : new AbortController();
    const sendAndRead = async (signal: AbortSignal) => {
      // `fetch` would follow a redirect: send a POST again, and most headers to another host.
      const isFinal = controller === call.first && request.redirect === "manual";
      sent = isFinal ? request : await copyOf(request, { signal, redirect: "manual" }, copy);
      emit?.({ type: "attempt", operation, attempt, method: sent.method, url: sent.url });
      // The observer may have aborted the call.
      signal.throwIfAborted();
      const exchange = { call, attempts: attempt, request: sent };
      response = await fetchResponse(fetch, exchange);
      return await readAnswer({ ...exchange, response }, transport);
    };
    try {
      const limits = { signals: [signal], controller, deadline: { clock, milliseconds: settings.timeout, late } };
      return await within(limits, sendAndRead);
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

async function copyOf(request: Request, init: RequestInit, copy: Transport["copy"]): Promise<Request> {
  const result = copy ? await copy(request, init) : new Request(request, init);
  // openapi-fetch adds options that a Request does not know, such as `next` of Next.js.
  for (const name of Object.keys(request))
    if (!(name in result)) Object.assign(result, { [name]: request[name as "url"] });
  return result;
}
