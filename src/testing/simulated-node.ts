import { orAborted, sleep } from "../async/abort.js";
import { systemClock } from "../async/clock.js";
import type { Block } from "../http/call.js";
import { nanosecondsPerDay } from "../values/times.js";
import { type Chain, ChainView } from "./chain.js";
import { TransactionCheck } from "./check.js";
import { withoutUndefined } from "./data.js";
import { planFaults, type RequestFaults, type StatusFault } from "./faults.js";
import { type DataNode, errorType, findRoute, preflightReply, type Reply, reply, withCors } from "./gateway.js";
import { checkNodeOptions, type FakeNodeOptions } from "./options.js";
import type { OperationId } from "./query.js";
import { defaultRateLimit, RateLimiter } from "./rate-limiter.js";
import type { Records, Store } from "./store.js";
import { type VersionRules, versionRules } from "./versions.js";
import { grpcCode, type Microseconds, toJson, toMicroseconds } from "./wire.js";

/** A request that was sent to a node. */
type ReceivedRequest = {
  /** The operation of the request; `undefined` for another path. */
  operation: OperationId | undefined;
  method: string;
  url: string;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The text of the body; empty if there is none. */
  body: string;
};

/** A node that follows a chain and responds to requests. */
export class SimulatedNode {
  readonly requests: ReceivedRequest[] = [];
  readonly #chain: Chain;
  readonly #view: ChainView;
  readonly #transactions = new TransactionCheck();
  readonly #name: string | undefined;
  #options: FakeNodeOptions = {};
  #nextFaults = planFaults([]);
  #limiter: RateLimiter | undefined;
  /** Aborts when the node goes down. */
  #running = new AbortController();

  /** @param name - Distinguishes the nodes of a chain: the order of the votes of one block differs between them. */
  constructor(chain: Chain, options: FakeNodeOptions, name?: string) {
    this.#chain = chain;
    this.#view = new ChainView(chain);
    this.#name = name;
    this.configure({ ...options, rateLimit: options.rateLimit ?? {} });
  }

  get records(): Records {
    return this.#store.recordsOf(this.#version);
  }

  get #store(): Store {
    return this.#view.store(this.#options.lag ?? 0);
  }

  get #version(): VersionRules {
    return versionRules[this.#options.version ?? "v0.74"];
  }

  get block(): Block {
    return this.#chain.blockBefore(this.#options.lag ?? 0);
  }

  configure(options: FakeNodeOptions): void {
    checkNodeOptions(options);
    const { rateLimit, now, faults, down } = options;
    const wasDown = this.#options.down === true;
    this.#options = { ...this.#options, ...withoutUndefined(options) };
    if (faults !== undefined) this.#nextFaults = planFaults(faults);
    const isRestarted = wasDown && down === false;
    if (down === true) this.#running.abort(new TypeError("fetch failed: the connection was reset"));
    if (isRestarted) this.#running = new AbortController();
    if (rateLimit !== undefined || now !== undefined || isRestarted) {
      const limit = this.#options.rateLimit;
      const clock = this.#options.now ?? (() => performance.now());
      this.#limiter = limit === false ? undefined : new RateLimiter({ ...defaultRateLimit, ...limit }, clock);
    }
  }

  /** The oldest time that the node keeps. Nodes drop the rows of whole days (UTC). */
  get #history(): Microseconds {
    const { history } = this.#options;
    return history === undefined ? Number.NEGATIVE_INFINITY : toMicroseconds(history - (history % nanosecondsPerDay));
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
    const faults = this.#nextFaults(operation);
    const replied = preflightReply(request) ?? reply({ method, path, search, body }, this.#dataNode());
    // The HTTP server in front of the gateway rejects a path that cannot be decoded.
    const response = path === undefined || replied.status === 204 ? replied : withCors(replied, headers);
    return respond(response, faults, AbortSignal.any([signal, this.#running.signal]));
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

  #dataNode(): DataNode {
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
      defects,
      tieSeed: this.#name && `${this.#chain.seed}/${this.#name}`,
    };
  }
}

/**
 * Turns a reply into a response, with the faults that occur on the way to the client.
 *
 * @param signal - Cancels a wait.
 */
async function respond(reply: Reply, faults: RequestFaults, signal: AbortSignal): Promise<Response> {
  const { latency, html, status, reset } = faults;
  if (latency?.milliseconds === Number.POSITIVE_INFINITY) await orAborted(signal, new Promise(() => {}));
  else if (latency) await sleep(systemClock, latency.milliseconds, signal);
  if (reset) throw new TypeError("fetch failed: the connection was reset");
  if (html) {
    const text = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>";
    return new Response(text, { status: html.status ?? 200, headers: { "Content-Type": "text/html" } });
  }
  const { body, ...init } = status ? withStatus(reply, status) : reply;
  return new Response(body && faults["truncated-body"] ? truncated(body) : body, init);
}

function withStatus(reply: Reply, { status, headers, ...fault }: StatusFault): Reply {
  const { code = grpcCode(status), message = "injected fault" } = fault;
  const { body = { code, message, details: [] } } = fault;
  const all = new Headers({ ...reply.headers, ...errorType });
  for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
  // A `Response` with one of these statuses cannot have a body.
  const isEmpty = status === 204 || status === 205 || status === 304;
  const text = typeof body === "string" ? body : toJson(body);
  return { status, body: isEmpty ? null : text, headers: Object.fromEntries(all) };
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
