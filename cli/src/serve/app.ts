import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import { cors } from "hono/cors";
import type { VegaClient } from "vegaprotocol-client";
import { type Operation, type OperationId, operations } from "vegaprotocol-client/operations";
import type { NodePool } from "vegaprotocol-client/pool";
import { readParameters } from "../arguments.js";
import { type Io, readOwnFile } from "../io.js";
import { createServerMetrics, exposition, Registry } from "../metrics.js";
import { isScannable, type ListId } from "../operations.js";
import { busy, nodeError, Rejection, responseTo } from "./errors.js";
import { createQuota, createShare, createTurns } from "./limits.js";
import type { Source } from "./lists.js";
import { watchNodes } from "./nodes.js";
import { createPages, type Reader, readPageRequest } from "./pages.js";
import { createReports, isOfBalances, reportNames } from "./reports.js";
import { openStream } from "./stream.js";

export interface GatewayOptions extends Pick<Io, "now" | "signal"> {
  readonly client: VegaClient;
  readonly pool: Pick<NodePool, "check" | "status">;
  /** The origins whose pages may read responses. */
  readonly origins?: readonly string[];
  readonly trustsProxy?: boolean | undefined;
  /** Aborts when requests in flight have had their time. */
  readonly closing: AbortSignal;
  /** Has metrics of the nodes. Default: it has none. */
  readonly registry?: Registry;
  /** The milliseconds for a response. Default: a minute. */
  readonly deadline?: number;
  /** Adds paths, which come before the paths of the gateway. */
  readonly extend?: (app: Hono<Env>) => void;
  /** Called when a response has ended, without headers and addresses of nodes, which can be secrets. */
  readonly log: (entry: { readonly status: number; readonly [name: string]: unknown }) => void;
}

type Variables = { caller: string; controller: AbortController; operation?: string; node?: string; error?: string };
export type Env = { Bindings: HttpBindings; Variables: Variables };

/** Bytes of a body: nodes accept transactions of 4 MiB, which take more in base64. */
const largestBody = 6 * 2 ** 20;
/** The weights of concurrent reads, in all and of one caller. A page of a thousand records has the weight 1. */
const weights = [12, 6] as const;
const ndjson = "application/x-ndjson";

/** Whether a caller accepts a media type rather than JSON. */
function prefers(context: Context, type: string): boolean {
  // A cache would send one form to a caller who wants the other.
  context.header("Vary", "Accept", { append: true });
  return accepts(context, { header: "Accept", supports: ["application/json", type], default: "" }) === type;
}

/** Proxies such as nginx have 4 kB for all headers of a response. */
const longestLink = 2000;

/**
 * The gateway as an application:
 *
 *   request ─▶ quota of the caller ─▶ parameters ─▶ turn ─▶ page, stream or report ─▶ nodes ─▶ response
 *
 * A turn limits the records that are requested from nodes at once, and prefers callers with few requests. A cursor
 * contains everything that is needed to continue: no state is kept between requests.
 */
export function createGateway(options: GatewayOptions) {
  const { client, pool, now, closing, deadline = 60_000, origins = [], registry = new Registry() } = options;
  const app = new Hono<Env>();
  const nodes = watchNodes(pool, now);
  const readReport = createReports(client, nodes);
  const metrics = createServerMetrics(registry);
  const readPage = createPages(client, nodes);
  // Each caller can have at least 16 open requests. Behind a proxy, no caller can use all of its connections.
  const requests = createQuota(Number.POSITIVE_INFINITY, (callers) => Math.min(256, Math.max(16, 8192 / callers)));
  const callerOf = ({ headers, socket }: IncomingMessage) => {
    const entries = options.trustsProxy ? String(headers["x-forwarded-for"] ?? "").split(",") : [];
    // Some proxies add the port, which differs for each connection.
    const address = entries.at(-1)?.trim() ?? "";
    return address.replace(/^([\d.]+|\[.+\]):\d+$/, "$1") || (socket.remoteAddress ?? "");
  };
  const turns = createTurns(...weights, requests.of);
  const [streams, bodies] = [createQuota(8, () => 2), createQuota(64 * 2 ** 20, () => 8 * 2 ** 20)];
  const unsent = createShare<ServerResponse>(128 * 2 ** 20);
  /**
   * The controllers of requests in flight. On Node.js 20, `AbortSignal.any` can lose its sources, and more than ten
   * listeners on a signal print a warning.
   */
  const controllers = new Set<AbortController>();
  closing.addEventListener("abort", () => {
    for (const controller of controllers) controller.abort(closing.reason);
  });

  async function read<T>(context: Context<Env>, task: (reader: Reader) => Promise<T>, isTimed = true): Promise<T> {
    const { caller, controller } = context.var;
    const { signal } = controller;
    const late = () => controller.abort(new Rejection(4, "No node responded in time."));
    const timer = isTimed ? setTimeout(late, deadline) : undefined;
    try {
      return await task({ signal, inTurn: (weight, read) => turns.run(caller, weight, signal, read) });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends a body, which is held in memory until the caller has read it. */
  function send(
    context: Context<Env>,
    body: object | string,
    { block, stale, response }: Source,
    type = "application/json",
  ) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    unsent.add(context.env.outgoing, context.var.caller, text.length);
    if (response?.url) context.set("node", new URL(response.url).host);
    // A local copy has no heights.
    if (block && block.height > 0n) context.header("X-Block-Height", `${block.height}`);
    if (block) context.header("X-Block-Timestamp", `${block.timestamp}`);
    if (stale) context.header("X-Stale", "true");
    return context.body(text, (response?.status ?? 200) as 200, { "Content-Type": type });
  }

  app.use(async (context, next) => {
    const { incoming, outgoing } = context.env;
    const [startedAt, controller] = [now(), new AbortController()];
    const { method, path } = context.req;
    const caller = callerOf(incoming);
    context.set("caller", caller);
    context.set("controller", controller);
    controllers.add(controller);
    outgoing.once("close", () => {
      controllers.delete(controller);
      unsent.remove(outgoing);
      controller.abort(new Error("The caller has disconnected."));
      const status = outgoing.headersSent ? outgoing.statusCode : 499;
      const { operation, node, error } = context.var;
      const elapsed = now() - startedAt;
      metrics.served(operation, status, elapsed);
      options.log({ method, path, operation, status, caller, node, error, milliseconds: Math.round(elapsed) });
    });
    await next();
    context.header("Cache-Control", "no-store");
    if (options.signal.aborted || !incoming.complete) context.header("Connection", "close");
  });
  if (origins.length > 0) {
    const exposeHeaders = ["Link", "Retry-After", "X-Block-Height", "X-Block-Timestamp", "X-Stale"];
    const origin = origins.includes("*") ? "*" : [...origins];
    app.use(cors({ origin, allowMethods: ["GET", "POST"], exposeHeaders, maxAge: 86_400 }));
  }
  app.onError((error, context) => {
    const { status, body, headers, text } = responseTo(error);
    context.set("error", text);
    return context.json(body, status as 500, headers);
  });
  app.notFound((context) => context.json(new Rejection(5, "Not Found").body, 404));
  options.extend?.(app);
  const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}\n`);
  const about = "Lists of Vega data nodes, with cursors that lead to every record once (vegaprotocol serve):\n\n";
  const others = `\nGET /reports/${reportNames.join("\nGET /reports/")}\n\nGET /healthz\nGET /metrics\nGET /readyz\n\nGET /gateway.yaml\n`;
  app.get("/", (context) => context.text(about + routes.join("") + others));
  const description = readOwnFile("dist/gateway.yaml");
  app.get("/gateway.yaml", (context) => context.body(description, 200, { "Content-Type": "application/yaml" }));
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/metrics", async () => {
    // Without requests, the gauges would show the nodes as they were at the last one.
    await nodes.isReady();
    return exposition(registry);
  });
  app.get("/readyz", async (context) => {
    return (await nodes.isReady()) ? context.text("ready\n") : context.text("not ready\n", 503);
  });

  const refuseMethod = () => Promise.reject(new Rejection(12, "Method Not Allowed"));
  app.get("/reports/:name", async (context) => {
    const name = context.req.param("name");
    if (!reportNames.includes(name)) return context.notFound();
    context.set("operation", `reports/${name}`);
    const query = new URL(context.req.url).searchParams;
    const [format = prefers(context, "text/csv") ? "csv" : "json", ...others] = query.getAll("format");
    if (others.length > 0) throw new Rejection(3, "Expected the parameter `format` once.");
    if (format !== "json" && format !== "csv")
      throw new Rejection(3, `Expected \`format\` to be json or csv, got "${format}".`);
    query.delete("format");
    // A report over balances takes as long as the stream that it reads.
    const isStream = isOfBalances(name);
    if (isStream) takeStream(context);
    const { body, source } = await read(context, (reader) => readReport(name, query, format, reader), !isStream);
    return send(context, body, source, format === "csv" ? "text/csv; charset=utf-8" : "application/json");
  });
  app.all("/reports/:name", refuseMethod);

  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation & { kind: string }][]) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method, path, async (context) => {
      context.set("operation", id);
      if (operation.method === "POST") return forward(context);
      const query = new URL(context.req.url).searchParams;
      const argument = readParameters(operation, query, context.req.param());
      if (isScannable(id) && prefers(context, ndjson)) return stream(context, argument);
      if (operation.kind === "list") return page(context, id as ListId, argument, query);
      const call = client[id as "getSpamStatistics"];
      const served = await read(context, ({ signal, inTurn }) =>
        inTurn(1, () => call(argument as never, { signal }).withResponse()),
      );
      return send(context, served.data, served);
    });
    app.all(path, refuseMethod);
  }

  async function page(context: Context<Env>, id: ListId, argument: object, query: URLSearchParams) {
    const request = readPageRequest(id, argument);
    const found = await read(context, (reader) => readPage(request, reader));
    const { content, coverage, isComplete, source, hasMore } = found;
    metrics.sent(id, content.edges.length);
    if (hasMore) {
      const [name, cursor] = request.isBackward ? ["before", "startCursor"] : ["after", "endCursor"];
      query.set(`pagination.${name}`, content.pageInfo[cursor as "endCursor"]);
      // Relative, because a proxy can add a prefix to the path.
      const link = `<?${query}>; rel="next"`;
      if (link.length <= longestLink) context.header("Link", link);
    }
    return send(context, { [operations[id].envelope]: content, coverage, complete: isComplete }, source);
  }

  function takeStream({ env, var: { caller } }: Context<Env>): void {
    if (!streams.take(caller)) throw busy();
    env.outgoing.once("close", () => streams.release(caller));
  }

  async function stream(context: Context<Env>, argument: object): Promise<Response> {
    const { controller } = context.var;
    takeStream(context);
    // Each stream reads ahead.
    const concurrency = streams.all() > 1 ? 1 : 4;
    const onRecords = (count: number) => metrics.sent(context.var.operation, count);
    const lines = await openStream(client, argument, { signal: controller.signal, concurrency }, onRecords);
    return context.body(Readable.toWeb(Readable.from(lines)) as ReadableStream, 200, { "Content-Type": ndjson });
  }

  async function forward(context: Context<Env>): Promise<Response> {
    // The types know the path of the only POST.
    const path = context.req.path as "/transaction/check";
    const body = await readBody(context);
    const sent = await read(context, ({ signal, inTurn }) => {
      // As the caller has written it: a deep one could not be written again.
      const init = { body: { tx: {} }, bodySerializer: () => body, signal };
      return inTurn(1, () => client.http.POST(path, init));
    });
    return send(context, sent.data ?? nodeError(sent.error, sent.response.status), sent);
  }

  /** Reads a body of JSON. The size of all incomplete bodies is bounded. */
  async function readBody({ env, var: { caller } }: Context<Env>): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of env.incoming as AsyncIterable<Buffer>) {
        if (!bodies.take(caller, chunk.length)) throw busy();
        size += chunk.length;
        chunks.push(chunk);
        if (size > largestBody) throw new Rejection(8, `The body is larger than ${largestBody} bytes.`);
      }
      const text = Buffer.concat(chunks).toString();
      JSON.parse(text || "{}");
      return text;
    } catch (error) {
      throw error instanceof SyntaxError ? new Rejection(3, "Expected a body of JSON that is not compressed.") : error;
    } finally {
      bodies.release(caller, size);
    }
  }
  const onRefused = (caller: string, status: number) => {
    metrics.refused(status);
    options.log({ status, caller });
  };
  return Object.assign(app, { requests, callerOf, onRefused });
}
