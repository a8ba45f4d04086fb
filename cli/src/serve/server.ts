import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { ExitError } from "../errors.js";
import { Rejection } from "./errors.js";

/** A limit of something in all, and for each caller. */
export function createQuota(most: number, mostOfCaller: number) {
  const callers = new Map<string, number>();
  let all = 0;
  const change = (caller: string, amount: number) => {
    all += amount;
    callers.set(caller, (callers.get(caller) ?? 0) + amount);
    if (callers.get(caller) === 0) callers.delete(caller);
  };
  return {
    take(caller: string, amount = 1): boolean {
      if (all + amount > most || (callers.get(caller) ?? 0) + amount > mostOfCaller) return false;
      change(caller, amount);
      return true;
    },
    release: (caller: string, amount = 1): void => change(caller, -amount),
  };
}

/** Times are in milliseconds. A head has room for more than a thousand party ids. */
export const serverLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 128 * 1024,
  /** For a reader who stands still. */
  stallTimeout: 30_000,
  connections: 1024,
  connectionsOfAddress: 256,
};

type App = { fetch: Parameters<typeof createAdaptorServer>[0]["fetch"] };

export async function startServer({ fetch }: App, port: number, host: string, limits = serverLimits) {
  const options = { fetch, createServer, serverOptions: limits, overrideGlobalObjects: false };
  const server = createAdaptorServer(options) as Server;
  const connections = createQuota(limits.connections, limits.connectionsOfAddress);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (!connections.take(remoteAddress)) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket) && connections.release(remoteAddress));
  });
  // Whoever does not read what was sent loses the connection. One who waits for a node keeps it.
  server.setTimeout(limits.stallTimeout, (socket) => socket.writableLength > 0 && socket.destroy());
  await once(server.listen(port, host), "listening").catch((error: NodeJS.ErrnoException) => {
    const reason = { EADDRINUSE: "in use", EACCES: "reserved for the system" }[error.code ?? ""];
    const advice = reason ? `The port is ${reason}: choose another one, or 0 for a free one.` : `${error.message}.`;
    throw new ExitError(`Cannot listen on port ${port} of ${host}. ${advice}`, undefined, { cause: error });
  });
  const name = /^(?:0\.0\.0\.0|::)$/.test(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}`,
    /** Takes no further requests, and ends when those in flight have ended, or after some milliseconds. */
    async close(closing: AbortController, grace: number): Promise<void> {
      const closed = once(server.close(), "close");
      server.closeIdleConnections();
      // Node.js does not take a connection without a request for idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      const abort = setTimeout(() => closing.abort(new Rejection(14, "The gateway is shutting down.")), grace);
      const destroy = setTimeout(() => server.closeAllConnections(), grace + 1000);
      await closed;
      clearTimeout(abort);
      clearTimeout(destroy);
    },
  };
}
