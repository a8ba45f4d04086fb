import { Readable } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import pLimit from "p-limit";
import type { Block, VegaClient } from "vegaprotocol-client";
import { type Operation, type OperationId, operations } from "vegaprotocol-client/operations";
import type { NodePool } from "vegaprotocol-client/pool";
import type { Io } from "../io.js";
import { isScannable, type ListId } from "../operations.js";
import { busy, Rejection, responseTo } from "./errors.js";
import { readPage, readPageRequest } from "./pages.js";
import { readParameters } from "./parameters.js";
import { createQuota } from "./server.js";
import { openStream } from "./stream.js";

export interface GatewayOptions extends Pick<Io, "now" | "signal"> {
  readonly client: VegaClient;
  readonly pool: Pick<NodePool, "check" | "status">;
  readonly origins: readonly string[];
  readonly trustsProxy: boolean;
  /** Aborts when requests in flight have had their time. */
  readonly closing: AbortSignal;
  /** Called when a response has ended. Nothing of it is a header, a parameter or an address, which can be secrets. */
  readonly log: (entry: { readonly status: number; readonly [name: string]: unknown }) => void;
}

type Variables = { caller: string; signal: AbortSignal; operation?: string; node?: string; error?: string };
type Env = { Bindings: HttpBindings; Variables: Variables };
type Served = { block?: Block | undefined; stale?: boolean; response?: Response };

/** Bytes of a body (nodes accept transactions of 4 MiB, which take more in base64), and milliseconds for a response. */
const [largestBody, deadline] = [6 * 2 ** 20, 60_000];
/** Reads that are sent to nodes at once, and how many wait in line. */
const [mostReads, mostWaiting] = [16, 512];
const ndjson = "application/x-ndjson";

/** Takes a part of a quota, which is released when the response has been sent. */
function take(quota: ReturnType<typeof createQuota>, { env, var: { caller } }: Context<Env>, amount = 1): void {
  if (!quota.take(caller, amount)) throw busy();
  env.outgoing.once("close", () => quota.release(caller, amount));
}

/** The gateway as an application: it keeps nothing between requests but the time of the latest block. */
export function createGateway({ client, pool, now, closing, ...options }: GatewayOptions): Hono<Env> {
  const app = new Hono<Env>();
  const limit = pLimit(mostReads);
  const streams = createQuota(8, 2);
  const [bodies, unsent] = [createQuota(64 * 2 ** 20, 8 * 2 ** 20), createQuota(128 * 2 ** 20, 64 * 2 ** 20)];
  let head: { time: bigint; at: number } | undefined;
  // The blocks that nodes have reached tell cursors that were edited from others.
  const started = pool.check({ timeout: 2000 }).catch(() => []);

  /** The time of the latest block that nodes have reached, in Unix nanoseconds, if it is known. */
  function latest(): bigint | undefined {
    for (const { timestamp = 0n, state } of pool.status) {
      if (state !== "suspect" && timestamp > (head?.time ?? 0n)) head = { time: timestamp, at: now() };
    }
    return head && head.time + BigInt(Math.round(now() - head.at)) * 1_000_000n;
  }

  const nodeAt = (time: bigint) =>
    pool.status.find(({ state, timestamp = 0n }) => state === "ready" && timestamp >= time)?.url;

  /** Reads from nodes, a bounded number of requests at once. */
  async function read<T>({ var: own }: Context<Env>, task: (signal: AbortSignal) => PromiseLike<T>): Promise<T> {
    if (limit.pendingCount >= mostWaiting) throw busy();
    const signal = AbortSignal.any([own.signal, AbortSignal.timeout(deadline)]);
    return limit(async () => {
      signal.throwIfAborted();
      return task(signal);
    });
  }

  /** Sends a body, which is held in memory until the caller has read it. */
  function send(context: Context<Env>, body: object, { block, stale, response }: Served): Response {
    const text = JSON.stringify(body);
    take(unsent, context, text.length);
    if (response?.url) context.set("node", new URL(response.url).host);
    if (block) context.header("X-Block-Height", `${block.height}`);
    if (block) context.header("X-Block-Timestamp", `${block.timestamp}`);
    if (stale) context.header("X-Stale", "true");
    return context.body(text, (response?.status ?? 200) as 200, { "Content-Type": "application/json" });
  }

  app.use(async (context, next) => {
    const { incoming, outgoing } = context.env;
    const [startedAt, gone] = [now(), new AbortController()];
    const { method, path } = context.req;
    const forwarded = options.trustsProxy && context.req.header("X-Forwarded-For")?.split(",").at(-1)?.trim();
    const caller = forwarded || (incoming.socket.remoteAddress ?? "");
    context.set("caller", caller);
    context.set("signal", AbortSignal.any([gone.signal, closing]));
    outgoing.once("close", () => {
      gone.abort(new Error("The caller has disconnected."));
      const status = outgoing.headersSent ? outgoing.statusCode : 499;
      const { operation, node, error } = context.var;
      const entry = { method, path, operation, status, caller, node, error };
      options.log({ ...entry, milliseconds: Math.round(now() - startedAt) });
    });
    await next();
    context.header("Cache-Control", "no-store");
    if (options.signal.aborted || !incoming.complete) context.header("Connection", "close");
  });
  if (options.origins.length > 0) {
    const exposeHeaders = ["Link", "Retry-After", "X-Block-Height", "X-Block-Timestamp", "X-Stale"];
    const origin = options.origins.includes("*") ? "*" : [...options.origins];
    app.use(cors({ origin, allowMethods: ["GET", "POST"], exposeHeaders, maxAge: 86_400 }));
  }
  app.onError((error, context) => {
    const { status, body, headers, text } = responseTo(error);
    context.set("error", text);
    return context.json(body, status as 500, headers);
  });
  app.notFound((context) => context.json(new Rejection(5, "Not Found").body, 404));
  const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}\n`);
  const about = "Lists of Vega data nodes, with cursors that lead to every record once (vegaprotocol serve):\n\n";
  app.get("/", (context) => context.text(about + routes.join("")));
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/readyz", async (context) => {
    const isReady = (await pool.check({ timeout: 2000 })).some(({ state }) => state === "ready");
    return isReady ? context.text("ready\n") : context.text("not ready\n", 503);
  });

  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation & { kind: string }][]) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method, path, async (context) => {
      context.set("operation", id);
      if (operation.method === "POST") return check(context);
      const query = new URL(context.req.url).searchParams;
      const argument = readParameters(operation, query, context.req.param());
      if (isScannable(id) && context.req.header("Accept")?.includes(ndjson)) return stream(context, argument);
      if (operation.kind === "list") return page(context, id as ListId, argument, query);
      const call = client[id as "getSpamStatistics"];
      const served = await read(context, (signal) => call(argument as never, { signal }).withResponse());
      return send(context, served.data, served);
    });
    app.all(path, () => Promise.reject(new Rejection(12, "Method Not Allowed")));
  }

  async function page(context: Context<Env>, id: ListId, argument: object, query: URLSearchParams) {
    await started;
    const request = readPageRequest(id, argument, latest());
    const served = await read(context, (signal) => readPage(client, request, signal, nodeAt));
    const { content, coverage, source, hasMore } = served;
    if (hasMore) {
      const [name, cursor] = request.isBackward ? ["before", "startCursor"] : ["after", "endCursor"];
      query.set(`pagination.${name}`, content.pageInfo[cursor as "endCursor"]);
      context.header("Link", `<${context.req.path}?${query}>; rel="next"`);
    }
    return send(context, { [operations[id].envelope]: content, coverage }, source);
  }

  async function stream(context: Context<Env>, argument: object): Promise<Response> {
    take(streams, context);
    const lines = Readable.from(await openStream(client, argument, context.var.signal));
    return context.body(Readable.toWeb(lines) as ReadableStream, 200, { "Content-Type": ndjson });
  }

  /** Passes a transaction on. Nodes respond with a result also to a body without one. */
  async function check(context: Context<Env>): Promise<Response> {
    const body = (await readBody(context)) as { tx: { [name: string]: unknown } };
    const sent = await read(context, (signal) => client.http.POST("/transaction/check", { body, signal }));
    return send(context, sent.data ?? sent.error ?? {}, sent);
  }

  /** Reads a body of JSON. What callers have sent of bodies that are not complete is bounded. */
  async function readBody({ env, var: { caller } }: Context<Env>): Promise<unknown> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of env.incoming as AsyncIterable<Buffer>) {
        if (!bodies.take(caller, chunk.length)) throw busy();
        size += chunk.length;
        chunks.push(chunk);
        if (size > largestBody) throw new Rejection(8, `The body is larger than ${largestBody} bytes.`);
      }
      return JSON.parse(Buffer.concat(chunks).toString() || "{}");
    } catch (error) {
      throw error instanceof SyntaxError ? new Rejection(3, "Expected a body of JSON.") : error;
    } finally {
      bodies.release(caller, size);
    }
  }
  return app;
}
