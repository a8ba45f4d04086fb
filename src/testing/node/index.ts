/**
 * A fake node as an HTTP server, in Node.js.
 *
 * @module vegaprotocol-client/testing/node
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { arrayBuffer } from "node:stream/consumers";
import { checkOptions, expected } from "../../arguments/check-options.js";
import { refuse } from "../../arguments/refuse.js";

declare global {
  // Newer than ECMAScript 2022, with which users may compile. The types of Node.js declare it in the same way.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** A server that listens. */
export interface FakeNodeServer {
  /** The address, such as `http://127.0.0.1:40123`: pass it to a client as `baseUrl`. */
  readonly url: string;
  /** Closes the server and its connections at once, also those with a request in flight. */
  close(): Promise<void>;
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a fake node over HTTP/1.1, for programs that need an address. It runs on Node.js, Bun and Deno.
 *
 * If the node's `fetch` rejects, as it does with the fault `"reset"`, the connection is closed without a response. If a
 * client disconnects, its request is aborted.
 *
 * @param options.port - The port; 0 is a free one. Default: 0.
 * @param options.host - The name or the address of the network interface. `"0.0.0.0"` listens on all of them. Default:
 * `"127.0.0.1"`.
 * @throws `ArgumentError` if an option is invalid.
 * @throws `Error` if the server cannot listen, for example because the port is in use; `cause` is the error of the
 * system.
 * @example
 * ```ts
 * import { createFakeNode } from "vegaprotocol-client/testing";
 * import { listen } from "vegaprotocol-client/testing/node";
 *
 * const server = await listen(createFakeNode({ votes: 250 }));
 * const client = createClient({ baseUrl: server.url });
 * await server.close();
 * ```
 */
export async function listen(
  node: { readonly fetch: (request: Request) => Promise<Response> },
  options: { port?: number | undefined; host?: string | undefined } = {},
): Promise<FakeNodeServer> {
  if (typeof node?.fetch !== "function") refuse({ argument: "node" }, "a fake node", node);
  checkOptions(optionChecks, options, { name: "listen" });
  const { port = 0, host = "127.0.0.1" } = options;
  const server = createServer(
    // v0.74 nodes accept a head of 1 MiB, which has room for ten thousand party ids, and never close an idle
    // connection.
    { maxHeaderSize: 2 ** 20, keepAliveTimeout: 0 },
    (incoming, outgoing) => void respond((request) => node.fetch(request), incoming, outgoing),
  );
  const url = await bind(server, port, host);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close, [Symbol.asyncDispose]: close };
}

async function respond(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const disconnected = new AbortController();
  outgoing.on("close", () => disconnected.abort());
  const { method = "GET", url = "", headers } = incoming;
  try {
    const body = await arrayBuffer(incoming);
    const request = new Request(`http://${headers.host ?? "localhost"}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      signal: disconnected.signal,
      // A `Request` cannot have a body with these methods.
      ...(body.byteLength > 0 && method !== "GET" && method !== "HEAD" && { body }),
    });
    const response = await fetch(request);
    outgoing.statusCode = response.status;
    for (const [name, value] of response.headers) {
      // `Headers` joins headers of one name. Error responses of v0.74 nodes have two `Content-Type` headers.
      outgoing.setHeader(name, name === "content-type" ? value.split(", ") : value);
    }
    // The types of browsers cannot iterate over a stream.
    const chunks = response.body as unknown as AsyncIterable<Uint8Array> | null;
    for await (const chunk of chunks ?? []) {
      // Sent before the next chunk: if the body then fails, the client has the earlier chunks.
      await new Promise<void>((resolve, reject) => {
        outgoing.write(chunk, (error) => (error ? reject(error) : resolve()));
      });
    }
    outgoing.end();
  } catch {
    incoming.socket.destroy();
  }
}

async function bind(server: Server, port: number, host: string): Promise<string> {
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = { EADDRINUSE: "in use", EACCES: "reserved for the system" }[code ?? ""];
    const advice = reason ? `The port is ${reason}: choose another one, or 0 for a free one.` : `${message}.`;
    throw new Error(`Cannot listen on port ${port} of ${host}. ${advice}`, { cause });
  }
  const { port: listening } = server.address() as AddressInfo;
  // All interfaces have no address of their own: a client on this machine reaches them as `localhost`.
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${listening}`;
}

const optionChecks = {
  port: expected(
    "an integer from 0 to 65535",
    (port) => Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65535,
  ),
  host: expected("a name or an address", (host) => typeof host === "string" && host !== ""),
};
