import { toJson } from "./encoding.js";
import { grpcCode } from "./errors.js";
import type { RequestFaults } from "./faults.js";
import { errorType, type Reply } from "./gateway.js";

/**
 * Turns a reply into a response, with the faults that occur on the way to the client.
 *
 * @param signals - They cancel a wait.
 */
export async function respond(reply: Reply, faults: RequestFaults, signals: AbortSignal[]): Promise<Response> {
  const { milliseconds } = faults.get("latency") ?? {};
  if (milliseconds !== undefined) await wait(milliseconds, AbortSignal.any(signals));
  if (faults.get("reset")) throw new TypeError("fetch failed: the connection was reset");
  const html = faults.get("html");
  if (html) {
    const text = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>";
    return new Response(text, { status: html.status ?? 200, headers: { "Content-Type": "text/html" } });
  }
  const { status, body, headers } = withStatus(reply, faults);
  return new Response(body && faults.get("truncated-body") ? truncated(body) : body, { status, headers });
}

function withStatus(
  reply: Reply,
  faults: RequestFaults,
): { status: number; body: string | null; headers: HeadersInit } {
  const fault = faults.get("status");
  if (fault === undefined) return reply;
  const { status, code = grpcCode(status), message = "injected fault" } = fault;
  const { body = { code, message, details: [] } } = fault;
  const headers = new Headers({ ...reply.headers, ...errorType });
  for (const [name, value] of Object.entries(fault.headers ?? {})) headers.set(name, value);
  // A `Response` with one of these statuses cannot have a body.
  const isEmpty = status === 204 || status === 205 || status === 304;
  return { status, body: isEmpty ? null : typeof body === "string" ? body : toJson(body), headers };
}

/** Waits, forever if it is `Infinity`, unless the signal aborts. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // A timer of `Infinity` would fire at once.
    const timer = milliseconds === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** A body that arrives up to its middle; then the connection closes. */
function truncated(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let sent = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(new TypeError("terminated: the connection was closed"));
      else controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      sent = true;
    },
  });
}
