import type { OperationId } from "../../generated/client.js";
import { orAborted, sleep } from "../async/abort.js";
import { systemClock } from "../async/clock.js";
import { randomNumbers } from "./random.js";
import { errorType, grpcCode, type Reply } from "./wire.js";

/** A fault between a client and a node, and when it occurs. */
export type NodeFault = {
  /** Which requests it affects, counted from 1 since the faults were set. Default: all of them. */
  request?: number | readonly number[] | undefined;
  /** The operation that it affects; only its requests are counted then. Default: all operations. */
  operation?: OperationId | undefined;
  /** The share of these requests that it affects, from 0 to 1: the same ones in every run. Default: all of them. */
  share?: number | undefined;
} & (
  | {
      /** Delays the response. */
      name: "latency";
      /** `Infinity` never responds. */
      milliseconds: number;
    }
  | {
      /** Responds with a status and, unless a `body` replaces it, the error body of a node. */
      name: "status";
      status: number;
      /** The gRPC status code in the error body. Default: the code that belongs to the status. */
      code?: number | undefined;
      /** The message in the error body. Default: `"injected fault"`. */
      message?: string | undefined;
      /** A text, or an object that becomes JSON, in place of the error body. */
      body?: string | object | undefined;
      /** Headers of the response, such as `Retry-After`. */
      headers?: Readonly<Record<string, string>> | undefined;
    }
  | {
      /** Responds with HTML, as a proxy does that cannot reach its node. */
      name: "html";
      /** Default: 200. */
      status?: number | undefined;
    }
  | {
      /** Resets the connection: the node has processed the request, and its response is lost. */
      name: "reset";
    }
  | {
      /** Truncates the body of the response in its middle. */
      name: "truncated-body";
    }
);

type RequestFaults = { readonly [Name in NodeFault["name"]]?: Extract<NodeFault, { name: Name }> };

/** Which faults affect the next request: of several with the same name, the first one. */
export function planFaults(faults: readonly NodeFault[]): (operation: OperationId | undefined) => RequestFaults {
  const plan = faults.map((fault, index) => ({
    fault,
    requests: 0,
    random: randomNumbers(`fault ${index} ${fault.name}`),
  }));
  return (operation) => {
    const affecting: NodeFault[] = [];
    for (const entry of plan) {
      const { request, share, ...fault } = entry.fault;
      if (fault.operation !== undefined && fault.operation !== operation) continue;
      entry.requests++;
      const isMeant = request === undefined || [request].flat().includes(entry.requests);
      if (isMeant && (share === undefined || entry.random() < share)) affecting.unshift(fault);
    }
    return Object.fromEntries(affecting.map((fault) => [fault.name, fault]));
  };
}

export async function withFaults(reply: Reply, faults: RequestFaults, signal: AbortSignal): Promise<Response> {
  const { latency, html, status, reset } = faults;
  if (latency?.milliseconds === Number.POSITIVE_INFINITY) await orAborted(signal, new Promise(() => {}));
  else if (latency) await sleep(systemClock, latency.milliseconds, signal);
  if (reset) throw new TypeError("fetch failed: the connection was reset");
  const proxied = { ...reply, headers: {} };
  const { body, ...init } = html
    ? withStatus(proxied, { status: html.status ?? 200, body: proxyPage, headers: { "Content-Type": "text/html" } })
    : status
      ? withStatus(reply, status)
      : reply;
  return new Response(body && faults["truncated-body"] ? truncated(body) : body, init);
}

const proxyPage = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>";

type StatusFault = Omit<NonNullable<RequestFaults["status"]>, "name">;

function withStatus(reply: Reply, { status, headers, code, message = "injected fault", body }: StatusFault): Reply {
  const all = new Headers({ ...reply.headers, ...errorType });
  for (const [name, value] of new Headers(headers)) all.set(name, value);
  // A `Response` with one of these statuses cannot have a body.
  const isEmpty = status === 204 || status === 205 || status === 304;
  const content = body ?? { code: code ?? grpcCode(status), message, details: [] };
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { status, body: isEmpty ? null : text, headers: Object.fromEntries(all) };
}

/** The first half of a text; then the stream fails. */
function truncated(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2))),
    pull: (controller) => controller.error(new TypeError("terminated: the connection was closed")),
  });
}
