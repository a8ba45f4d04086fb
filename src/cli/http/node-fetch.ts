import http from "node:http";
import https from "node:https";
import { Readable, type Transform } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import zlib from "node:zlib";
import { type Authorities, createTlsAgent, describeProxy, proxyHeaders } from "./tunnel.js";

type Fetch = (request: Request) => Promise<Response>;

/**
 * A `fetch` over `node:http`: that of Node.js 20 has neither proxies nor certificates of further authorities, and that of each version
 * compiles a parser that takes 20 to 30 MiB. It follows no redirects.
 *
 * @param proxy - The proxy of all requests. Default: none.
 */
export function createNodeFetch(proxy: URL | undefined, ca: Authorities): Fetch {
  const tlsAgent = createTlsAgent(proxy, ca);
  const plainAgent = new (proxy?.protocol === "https:" ? https : http).Agent({
    keepAlive: true,
    ...(ca && { ca: [...ca] }),
  });
  return async (request) => {
    const url = new URL(request.url);
    const headers = { Accept: "*/*", "Accept-Encoding": "gzip, deflate, br", ...Object.fromEntries(request.headers) };
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
    const init = { method: request.method, headers: { ...headers, ...(body && { "Content-Length": body.length }) } };
    if (url.protocol === "https:") return send(https.request(url, { ...init, agent: tlsAgent }), request, body);
    if (proxy === undefined) return send(http.request(url, { ...init, agent: plainAgent }), request, body);
    const withProxy = { ...init, headers: { ...init.headers, Host: url.host, ...proxyHeaders(proxy) } };
    const { request: requestOf } = proxy.protocol === "https:" ? https : http;
    // A proxy gets the whole address in the place of the path.
    const sent = requestOf(proxy, { ...withProxy, path: url.href, agent: plainAgent });
    return send(sent, request, body).catch((error: Error) => {
      throw new Error(`The proxy ${describeProxy(proxy)} does not respond: ${error.message}`, { cause: error });
    });
  };
}

function send(sent: http.ClientRequest, { url, signal }: Request, body: Buffer | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => sent.destroy(new Error("The request was aborted."));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    sent.once("close", () => signal.removeEventListener("abort", abort));
    sent.once("error", reject);
    sent.once("response", (message) => resolve(toResponse(message, url)));
    sent.end(body);
  });
}

const bodiless = [101, 103, 204, 205, 304];

function toResponse(message: http.IncomingMessage, url: string): Response {
  const headers = new Headers();
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? "", message.rawHeaders[index + 1] ?? "");
  }
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  const decoder = decoderOf(message.headers["content-encoding"]);
  const content =
    decoder === undefined ? message : message.on("error", (error) => decoder.destroy(error)).pipe(decoder);
  // A response that is cut off ends its message with an error.
  message.once("aborted", () => decoder?.destroy(new Error("The response was cut off.")));
  const body = bodiless.includes(status) ? null : (Readable.toWeb(content) as ReadableStream<Uint8Array>);
  if (body === null) message.resume();
  const response = new Response(body as BodyInit | null, { status, statusText, headers });
  return Object.defineProperty(response, "url", { value: url });
}

function decoderOf(encoding = ""): Transform | undefined {
  if (encoding === "gzip" || encoding === "x-gzip") return zlib.createGunzip();
  if (encoding === "deflate") return zlib.createInflate();
  return encoding === "br" ? zlib.createBrotliDecompress() : undefined;
}
