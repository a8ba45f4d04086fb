import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { VegaClient } from "../../client/client.js";
import { scannable } from "../scannable.js";
import { CallerLimits } from "./caller-limits.js";
import { check, read } from "./reads.js";
import { Rejection, type Reply, replyTo, unavailable } from "./replies.js";
import { ReplyCache } from "./reply-cache.js";
import { findRoute, type Route } from "./routes.js";
import { SharedReads } from "./shared-reads.js";
import { ndjson, openStream } from "./stream.js";

export interface GatewayOptions {
  readonly client: VegaClient;
  /** Replaces the addresses of nodes in a text, which can contain secrets. */
  readonly hide: (text: string) => string;
  /** Milliseconds that never decrease. */
  readonly now: () => number;
  /** Requests in a second of one caller; 0 for any number. */
  readonly callerRate: number;
  /** The memory of final pages, in bytes. */
  readonly cacheBytes: number;
}

/** A request of a caller. */
export interface GatewayRequest {
  readonly method: string;
  /** Without its escapes. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The address of the caller. */
  readonly caller: string;
  /** Aborts if the caller has gone. */
  readonly signal: AbortSignal;
  readBody(): Promise<string>;
}

/** A response, or a stream of lines, and what the log says of it. */
export interface GatewayOutcome {
  readonly operation?: string | undefined;
  readonly reply: Reply;
  readonly lines?: AsyncIterable<string>;
  /** Where the response comes from: another request that was in flight, or the memory of final pages. */
  readonly from?: "shared" | "cache" | undefined;
}

/** Bursts of a caller, in seconds of its rate. */
const burst = 5;
/** Requests that nodes are asked for at once, and streams. What is beyond is rejected with a 503. */
const [mostReads, mostStreams] = [64, 8];
/** The deadline of a response, with all retries, in milliseconds. */
const deadline = 60_000;
/** A page stays in memory for this long, in milliseconds: if a chain was reset, it must not stay forever. */
const lifetime = 600_000;

/** Responds to the operations of the description with what the client reads. */
export class Gateway {
  readonly reads = new SharedReads<Reply>();
  readonly cache: ReplyCache;
  readonly #options: GatewayOptions;
  readonly #limits: CallerLimits | undefined;
  #streams = 0;

  constructor(options: GatewayOptions) {
    const { callerRate, cacheBytes, now } = options;
    this.#options = options;
    this.#limits = callerRate > 0 ? new CallerLimits(callerRate, burst * callerRate, now) : undefined;
    this.cache = new ReplyCache(cacheBytes, lifetime, now);
  }

  async respond(request: GatewayRequest): Promise<GatewayOutcome> {
    const route = findRoute(request.method, request.path);
    const operation = route?.id;
    try {
      const { reply, ...outcome } = await this.#respond(route, request);
      return { operation, reply: outcome.lines ? reply : withTag(reply, request.headers), ...outcome };
    } catch (error) {
      const { aborted, reason } = request.signal;
      // A caller who has gone gets no response.
      if (aborted && !(reason instanceof Rejection)) throw error;
      return { operation, reply: replyTo(aborted ? reason : error, this.#options.hide) };
    }
  }

  async #respond(route: Route | undefined, request: GatewayRequest): Promise<GatewayOutcome> {
    const { method, headers, query, signal, caller } = request;
    const { client } = this.#options;
    if (route === undefined) throw new Rejection(5, "Not Found");
    if (route.operation.method !== method) throw new Rejection(12, "Method Not Allowed");
    this.#limit(caller);
    if (method === "POST") return { reply: await check(client, await request.readBody(), withDeadline(signal)) };
    if (scannable.includes(route.id) && headers.accept?.includes(ndjson)) return this.#stream(route, request);
    query.sort();
    const key = `${request.path}?${query}`;
    const cached = this.cache.get(key);
    if (cached) return { reply: cached, from: "cache" };
    const from = this.reads.has(key) ? "shared" : undefined;
    if (from === undefined && this.reads.size >= mostReads) throw busy();
    const reply = await this.reads.join(key, signal, (shared) => read(client, route, query, withDeadline(shared)));
    if (reply.isFinal) this.cache.set(key, reply);
    return { reply, from };
  }

  #limit(caller: string): void {
    const wait = this.#limits?.take(caller) ?? 0;
    if (wait === 0) return;
    const headers = { "Retry-After": String(Math.ceil(wait)), "RateLimit-Limit": String(this.#options.callerRate) };
    throw new Rejection(8, "The limit of requests in a second is exceeded.", headers);
  }

  async #stream(route: Route, { query, signal }: GatewayRequest): Promise<GatewayOutcome> {
    if (this.#streams >= mostStreams) throw busy();
    this.#streams++;
    const end = () => {
      this.#streams--;
    };
    const { client, hide } = this.#options;
    try {
      const lines = await openStream(client, route, query, { signal, hide });
      const headers = { "Content-Type": ndjson, "Cache-Control": "no-store" };
      return { reply: { status: 200, headers, body: Buffer.alloc(0) }, lines: withEnd(lines, end) };
    } catch (error) {
      end();
      throw error;
    }
  }
}

const busy = () => unavailable("The gateway has as many requests as it can serve.");

const withDeadline = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(deadline)]);

async function* withEnd(lines: AsyncIterable<string>, end: () => void): AsyncGenerator<string> {
  try {
    yield* lines;
  } finally {
    end();
  }
}

/** Adds the tag of the body, and leaves the body out if the caller has it. */
function withTag(reply: Reply, headers: IncomingHttpHeaders): Reply {
  if (reply.status !== 200) return reply;
  const tag = `"${createHash("sha256").update(reply.body).digest("base64url").slice(0, 27)}"`;
  const tagged = {
    ...reply.headers,
    ETag: tag,
    "Cache-Control": reply.isFinal ? `public, max-age=${lifetime / 1000}` : "no-cache",
  };
  const known = (headers["if-none-match"] ?? "").split(",").map((each) => each.trim().replace(/^W\//, ""));
  if (known.includes(tag) || known.includes("*"))
    return { ...reply, status: 304, headers: tagged, body: Buffer.alloc(0) };
  return { ...reply, headers: tagged };
}
