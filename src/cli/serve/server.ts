import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { NodePool } from "../../client/node-pool.js";
import { bind } from "../../testing/node/bind.js";
import type { Gateway, GatewayOutcome, GatewayRequest } from "./gateway.js";
import type { Metrics } from "./metrics.js";
import { Rejection } from "./replies.js";

export interface ServerOptions {
  readonly gateway: Gateway;
  readonly pool: NodePool;
  readonly metrics: Metrics;
  /** Brings gauges up to date, before they are read. */
  readonly measure: () => void;
  /** Called once for each request. */
  readonly log: (entry: LogEntry) => void;
  readonly now: () => number;
  /** Origins of pages that may read responses; `*` for all. */
  readonly cors: readonly string[];
  /** Whether a proxy in front of the gateway names the caller in `X-Forwarded-For`. */
  readonly trustsProxy: boolean;
}

/** A request and its response. No header and no parameter, which can be secrets. */
export interface LogEntry {
  readonly method: string;
  readonly path: string;
  readonly operation: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly caller: string;
  readonly from?: string | undefined;
  readonly node?: string | undefined;
  readonly error?: string | undefined;
}

/** Nodes accept a head of 1 MiB, which has room for ten thousand party ids, and transactions of 4 MiB, which take more in base64. */
const [largestHead, largestBody] = [2 ** 20, 6 * 2 ** 20];
/** How long a caller may take to read what it was sent, in milliseconds. */
const idleTimeout = 300_000;
/** How long nodes have to show that they are ready, and how long that counts, in milliseconds. */
const [checkTimeout, checkLifetime] = [2000, 1000];

/** Serves a gateway over HTTP/1.1. */
export class GatewayServer {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #closing = new AbortController();
  #isClosing = false;
  #ready: { promise: Promise<boolean>; until: number } | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const limits = {
      maxHeaderSize: largestHead,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
    };
    this.#server = createServer(limits, (incoming, outgoing) => void this.#handle(incoming, outgoing));
  }

  /** Returns the address. */
  listen(port: number, host: string): Promise<string> {
    return bind(this.#server, port, host);
  }

  /** Takes no further requests, and ends when those in flight have ended, or after some milliseconds. */
  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    const abort = setTimeout(() => this.#closing.abort(new Rejection(14, "The gateway is shutting down.")), grace);
    const destroy = setTimeout(() => this.#server.closeAllConnections(), grace + 1000);
    await closed;
    clearTimeout(abort);
    clearTimeout(destroy);
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { now, metrics, log } = this.#options;
    const startedAt = now();
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort(new Error("The caller has disconnected.")));
    outgoing.setTimeout(idleTimeout, () => outgoing.destroy());
    const request = this.#read(incoming, AbortSignal.any([gone.signal, this.#closing.signal]));
    let outcome: GatewayOutcome | undefined;
    let bytes = 0;
    metrics.add("vega_gateway_requests_in_flight");
    try {
      outcome = await this.#outcomeOf(request, incoming);
      const { reply, lines } = outcome;
      const close = this.#isClosing || !incoming.complete ? { Connection: "close" } : {};
      const length = lines ? {} : { "Content-Length": String(reply.body.length) };
      outgoing.writeHead(reply.status, { ...reply.headers, ...this.#corsHeaders(incoming), ...length, ...close });
      for await (const text of lines ?? [reply.body]) {
        bytes += text.length;
        await write(outgoing, text);
      }
      outgoing.end();
    } catch {
      // The caller has gone, or must not take what it has for a whole response.
      outgoing.destroy();
    }
    metrics.add("vega_gateway_requests_in_flight", {}, -1);
    const { operation, reply, from } = outcome ?? {};
    const milliseconds = Math.round(now() - startedAt);
    const status = reply?.status ?? 499;
    const labels = { operation: operation ?? "other" };
    metrics.add("vega_gateway_requests_total", { ...labels, status: String(status) });
    metrics.observe("vega_gateway_request_duration_seconds", labels, milliseconds / 1000);
    if (from) metrics.add("vega_gateway_reused_total", { from });
    const { method, path, caller } = request;
    log({ method, path, operation, status, milliseconds, bytes, caller, from, node: reply?.node, error: reply?.error });
  }

  async #outcomeOf(request: GatewayRequest, incoming: IncomingMessage): Promise<GatewayOutcome> {
    const { method, path } = request;
    if (method === "OPTIONS" && this.#options.cors.length > 0) return plain(204, "");
    if (method === "GET" && path === "/healthz") return plain(200, "ok\n");
    if (method === "GET" && path === "/readyz")
      return (await this.#isReady()) ? plain(200, "ready\n") : plain(503, "not ready\n");
    if (method === "GET" && path === "/metrics") {
      this.#options.measure();
      return plain(200, this.#options.metrics.toText());
    }
    if (method !== "POST") incoming.resume();
    return this.#options.gateway.respond(request);
  }

  /** Whether a node responds with fresh data. */
  async #isReady(): Promise<boolean> {
    const { pool, now } = this.#options;
    if (this.#isClosing) return false;
    if (this.#ready === undefined || this.#ready.until < now()) {
      const check = pool.check({ timeout: checkTimeout });
      const promise = check.then((nodes) => nodes.some(({ state }) => state === "ready"));
      this.#ready = { promise, until: now() + checkLifetime };
    }
    return this.#ready.promise;
  }

  #read(incoming: IncomingMessage, signal: AbortSignal): GatewayRequest {
    const { method = "GET", url = "/", headers, socket } = incoming;
    const [target = "", search = ""] = url.split(/\?(.*)/s);
    const forwarded = this.#options.trustsProxy
      ? String(headers["x-forwarded-for"] ?? "")
          .split(",")
          .at(-1)
          ?.trim()
      : "";
    return {
      method,
      path: decode(target),
      query: new URLSearchParams(search),
      headers,
      caller: forwarded || (socket.remoteAddress ?? ""),
      signal,
      readBody: () => readBody(incoming),
    };
  }

  #corsHeaders({ headers: { origin }, method, headers }: IncomingMessage): Record<string, string> {
    const { cors } = this.#options;
    if (origin === undefined || cors.length === 0) return {};
    if (!cors.includes("*") && !cors.includes(origin)) return { Vary: "Origin" };
    const allowed = { "Access-Control-Allow-Origin": cors.includes("*") ? "*" : origin, Vary: "Origin" };
    if (method !== "OPTIONS")
      return {
        ...allowed,
        "Access-Control-Expose-Headers": "X-Block-Height, X-Block-Timestamp, X-Stale, ETag, Retry-After",
      };
    return {
      ...allowed,
      "Access-Control-Allow-Methods": "GET, POST",
      "Access-Control-Allow-Headers": headers["access-control-request-headers"] ?? "Content-Type",
      "Access-Control-Max-Age": "86400",
    };
  }
}

const plain = (status: number, text: string): GatewayOutcome => ({
  reply: {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
    body: Buffer.from(text),
  },
});

/** A path that cannot be decoded is no path of an operation. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > largestBody) throw new Rejection(8, `The body is larger than ${largestBody} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Writes a chunk, and waits until the caller has read enough for another one. */
function write(outgoing: ServerResponse, chunk: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("The caller has disconnected."));
    if (outgoing.destroyed) return closed();
    outgoing.once("close", closed);
    outgoing.write(chunk, (error) => {
      outgoing.off("close", closed);
      error ? reject(error) : resolve();
    });
  });
}
