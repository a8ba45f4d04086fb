import { positiveInteger } from "../arguments/check-options.js";
import { type Chain, ChainView, oldestKept } from "./chain.js";
import { TransactionCheck } from "./check.js";
import type { FakeBlock } from "./data.js";
import { grpcCode } from "./errors.js";
import { FaultPlan, type RequestFaults } from "./faults.js";
import { type DataNode, errorType, findRoute, preflightReply, type Reply, reply, withCors } from "./gateway.js";
import { checkNodeOptions, type FakeNodeOptions } from "./options.js";
import type { OperationId } from "./query.js";
import { defaultRateLimit, RateLimiter } from "./rate-limiter.js";
import { firstIndex } from "./sorted.js";
import type { Records, Store } from "./store.js";
import { type VersionRules, versionRules } from "./versions.js";
import { type Microseconds, startOfNextDay, toJson } from "./wire.js";

/** A request that was sent to a node. */
export interface ReceivedRequest {
  /** The operation of the request; `undefined` for another path. */
  operation: OperationId | undefined;
  method: string;
  url: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The text of the body; empty if there is none. */
  body: string;
}

/** A node that follows a chain and responds to requests. */
export class SimulatedNode {
  readonly requests: ReceivedRequest[] = [];
  readonly #chain: Chain;
  readonly #view: ChainView;
  readonly #transactions = new TransactionCheck();
  readonly #name: string | undefined;
  #options: FakeNodeOptions = {};
  #faults = new FaultPlan([]);
  #limiter: RateLimiter | undefined;
  /** Aborts when the node goes down. */
  #running = new AbortController();
  /** How many requests came in; `requests` can be emptied. */
  #received = 0;

  /** @param name - Distinguishes the nodes of a chain: the order of the votes of one block differs between them. */
  constructor(chain: Chain, options: FakeNodeOptions, name?: string) {
    this.#chain = chain;
    this.#view = new ChainView(chain);
    this.#name = name;
    this.configure({ ...options, rateLimit: options.rateLimit ?? {} });
  }

  get records(): Records {
    return this.#store.shownBy(this.#version);
  }

  get #store(): Store {
    return this.#view.store(this.#options.lag ?? 0);
  }

  get #version(): VersionRules {
    return versionRules[this.#options.version ?? "v0.74"];
  }

  get block(): FakeBlock {
    return this.#chain.blockBefore(this.#options.lag ?? 0);
  }

  configure(options: FakeNodeOptions): void {
    checkNodeOptions(options);
    const { rateLimit, now, faults, down } = options;
    const wasDown = this.#options.down === true;
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.#options = { ...this.#options, ...Object.fromEntries(given) };
    if (faults !== undefined) this.#faults = new FaultPlan(faults);
    const isRestarted = wasDown && down === false;
    if (down === true) this.#running.abort(new TypeError("fetch failed: the connection was reset"));
    if (isRestarted) this.#running = new AbortController();
    if (rateLimit !== undefined || now !== undefined || isRestarted) {
      const limit = this.#options.rateLimit;
      const clock = this.#options.now ?? (() => performance.now());
      this.#limiter = limit === false ? undefined : new RateLimiter({ ...defaultRateLimit, ...limit }, clock);
    }
  }

  dropHistory(days: number): void {
    positiveInteger(days, { argument: "days" });
    const { rows } = this.#store.balances;
    for (let dropped = 0; dropped < days; dropped++) {
      const oldest = rows[firstIndex(rows, ({ time }) => time >= this.#history)];
      if (oldest === undefined) return;
      this.#options.history = startOfNextDay(oldest.time);
    }
  }

  /** The oldest time that the node keeps. */
  get #history(): Microseconds {
    const { history } = this.#options;
    return history === undefined ? this.#chain.history : oldestKept(history);
  }

  async fetch(request: Request): Promise<Response> {
    const { method, headers, signal } = request;
    signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const path = this.#decodePath(pathname);
    const operation = path === undefined ? undefined : findRoute(method, path)?.id;
    // `text` would drop a byte order mark, which a node rejects.
    const body = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await request.arrayBuffer());
    this.requests.push({ operation, method, url: request.url, headers: Object.fromEntries(headers), body });
    if (this.#options.down) throw new TypeError("fetch failed: the connection was refused");
    const faults = this.#faults.next(operation);
    const node = this.#dataNode(faults, ++this.#received);
    const replied = preflightReply(request) ?? reply({ method, path, search, body }, node);
    // The HTTP server in front of the gateway rejects a path that cannot be decoded.
    const response = path === undefined || replied.status === 204 ? replied : withCors(replied, headers);
    return respond(response, faults, [signal, this.#running.signal]);
  }

  /** A path without its escapes and the base path; one elsewhere leads to no operation. `undefined` if it cannot be decoded. */
  #decodePath(path: string): string | undefined {
    const { basePath = "" } = this.#options;
    try {
      return decodeURIComponent(path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : "/");
    } catch {
      return undefined;
    }
  }

  #dataNode(faults: RequestFaults, request: number): DataNode {
    const { height, timestamp } = this.block;
    const { blockHeaders = true, defects = [], chainId = "vega-fake-0011" } = this.#options;
    const { checkCode = () => 0, date = Date.now } = this.#options;
    return {
      limit: () => this.#limiter?.decide() ?? { outcome: "served", headers: {} },
      blockHeaders: blockHeaders ? { "X-Block-Height": `${height}`, "X-Block-Timestamp": `${timestamp}` } : {},
      store: this.#store,
      version: this.#version,
      date,
      transactions: this.#transactions,
      history: this.#history,
      chainId,
      checkCode,
      height,
      hasDefect: (defect) => defects.includes(defect),
      tieSeed: this.#name && `${this.#chain.seed}/${this.#name}`,
      pageFault: {
        empty: faults.get("empty-page") && request,
        repeated: faults.get("repeated-cursor") !== undefined,
      },
    };
  }
}

/**
 * Turns a reply into a response, with the faults that occur on the way to the client.
 *
 * @param signals - They cancel a wait.
 */
async function respond(reply: Reply, faults: RequestFaults, signals: AbortSignal[]): Promise<Response> {
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
