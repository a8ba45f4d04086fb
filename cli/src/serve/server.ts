import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getRequestListener, RequestError } from "@hono/node-server";
import { ExitError } from "../errors.js";
import { busy, Rejection, rejectionOf } from "./errors.js";
import { type createQuota, createShare } from "./limits.js";

/** Times are in milliseconds. A head has room for more than a thousand party ids. */
export const serverLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 128 * 1024,
  /** For a caller that does not read its response. */
  stallTimeout: 30_000,
  connections: 1024,
  connectionsOfAddress: 256,
};

export interface App {
  readonly fetch: Parameters<typeof getRequestListener>[0];
  /** Counts the requests of each caller that have no response yet. */
  readonly requests?: Pick<ReturnType<typeof createQuota>, "take" | "release">;
  callerOf?(incoming: IncomingMessage): string;
  /** Called for each request that gets an error before `fetch`. */
  onRefused?(caller: string, status: number): void;
}

/** The responses to requests that Node.js refuses itself. Its own responses have no body. */
const refusals: Readonly<Record<string, readonly [status: number, code: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 4, "The request came too slowly."],
  HPE_INVALID_URL: [400, 3, "Expected a URL without spaces and special characters: percent-encode them."],
  HPE_INVALID_CONSTANT: [400, 3, "Expected a request of HTTP/1.1, and a URL without spaces: percent-encode them."],
  HPE_HEADER_OVERFLOW: [431, 8, "The URL and the headers are too large."],
};

/** @param inFlight - The response that is being sent, which another one must not interrupt. */
function refuse(reason = "", socket: Socket, onRefused: App["onRefused"], inFlight?: ServerResponse): void {
  const isSending = inFlight?.headersSent && !inFlight.writableFinished;
  if (!socket.writable || isSending) return void socket.destroy();
  const [status, code, message] = refusals[reason] ?? [400, 3, "Expected a request of HTTP/1.1."];
  const body = JSON.stringify({ code, message, details: [] });
  const headers = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
  onRefused?.(socket.remoteAddress ?? "", status);
}

/** Node.js hands over pipelined requests at once. The requests of one connection are served one after the other. */
function createListener(
  { fetch, requests, callerOf = () => "", onRefused }: App,
  inFlight: WeakMap<Duplex, ServerResponse>,
) {
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    // Health checks of load balancers send requests of HTTP/1.0 without a host.
    hostname: "unknown",
    errorHandler: (error) => {
      const { status, body } =
        error instanceof RequestError ? new Rejection(3, `${error.message}.`) : rejectionOf(error);
      return Response.json(body, { status });
    },
  });
  const served = new WeakMap<Socket, Promise<void>>();
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { socket } = incoming;
    const caller = callerOf(incoming);
    if (requests?.take(caller) === false) {
      // A proxy would take a lost connection for a failed gateway.
      const { status, headers, body } = busy();
      onRefused?.(caller, status);
      outgoing.writeHead(status, { ...headers, "Content-Type": "application/json", Connection: "close" });
      return void outgoing.end(JSON.stringify(body));
    }
    const serve = async () => {
      await served.get(socket);
      // A line of requests that are refused at once would keep the event loop from other connections.
      await nextTurn();
      // A response that waits is not told that its socket is closed.
      if (!socket.destroyed) {
        const closed = new Promise((resolve) => outgoing.once("close", resolve));
        inFlight.set(socket, outgoing);
        listener(incoming, outgoing);
        await closed;
      }
      requests?.release(caller);
    };
    served.set(socket, serve());
  };
}

export async function startServer(app: App, port: number, host: string, limits = serverLimits) {
  const inFlight = new WeakMap<Duplex, ServerResponse>();
  const server = createServer(limits, createListener(app, inFlight));
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket) =>
    refuse(code, socket as Socket, app.onRefused, inFlight.get(socket)),
  );
  const sockets = createShare<Socket>(limits.connections);
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (sockets.of(remoteAddress) >= limits.connectionsOfAddress) return void socket.destroy();
    sockets.add(socket, remoteAddress);
    socket.once("close", () => sockets.remove(socket));
  });
  // A caller that does not read its response loses the connection. A caller that waits for a node keeps it.
  server.setTimeout(limits.stallTimeout, (socket) => socket.writableLength > 0 && socket.destroy());
  await once(server.listen(port, host), "listening").catch((error: NodeJS.ErrnoException) => {
    const reason = { EADDRINUSE: "in use", EACCES: "reserved for the system" }[error.code ?? ""];
    const advice = reason ? `The port is ${reason}: choose another one, or 0 for a free one.` : `${error.message}.`;
    throw new ExitError(`Cannot listen on port ${port} of ${host}. ${advice}`, error);
  });
  const name = /^(?:0\.0\.0\.0|::)$/.test(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}`,
    /** Takes no further requests, and ends when those in flight have ended, or after some milliseconds. */
    async close(closing: AbortController, grace: number): Promise<void> {
      const closed = once(server.close(), "close");
      server.closeIdleConnections();
      // Callers keep the connections of responses whose headers were sent before.
      const check = setInterval(() => server.closeIdleConnections(), 100);
      // `closeIdleConnections` keeps connections that have sent no request.
      for (const socket of sockets.holders()) if (socket.bytesRead === 0) socket.destroy();
      const abort = setTimeout(() => closing.abort(new Rejection(14, "The gateway is shutting down.")), grace);
      const destroy = setTimeout(() => server.closeAllConnections(), grace + 1000);
      await closed;
      clearInterval(check);
      clearTimeout(abort);
      clearTimeout(destroy);
    },
  };
}
