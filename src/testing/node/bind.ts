import type { Server } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";

/**
 * Lets a server listen, and returns its address.
 *
 * @throws `Error` if it cannot listen; `cause` is the error of the system.
 */
export async function bind(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
    server.listen(port, host, resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  return `http://${toUrlHost(host)}:${listening}`;
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: "The port is in use: choose another one, or 0 for a free one.",
    EACCES: "The port is reserved for the system: choose one above 1023, or 0 for a free one.",
  };
  const reason = reasons[cause.code ?? ""] ?? `${cause.message}.`;
  return new Error(`Cannot listen on port ${port} of ${host}. ${reason}`, { cause });
}

/** All interfaces have no address of their own: a client on this machine reaches them as `localhost`. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return isIPv6(host) ? `[${host}]` : host;
}
