/** Serves a standard `fetch` function over HTTP on loopback. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";

export interface Served {
  /** The address, such as `http://127.0.0.1:40123`. */
  url: string;
  close(): Promise<void>;
}

export async function serve(fetch: (request: Request) => Promise<Response>, { port = 0 } = {}): Promise<Served> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await buffer(incoming);
      const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      );
      const method = incoming.method ?? "GET";
      // A `Request` cannot have these methods. Nodes respond to every wrong method with 501.
      if (["CONNECT", "TRACE", "TRACK"].includes(method)) {
        outgoing.writeHead(501).end();
        return;
      }
      const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
        method,
        headers,
        ...(body.length > 0 && !isBodyless(method) && { body }),
      });
      const response = await fetch(request);
      outgoing.writeHead(response.status, headersOf(response));
      if (response.body === null) outgoing.end();
      // The DOM type of a stream lacks the members that Node.js adds.
      else await pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing);
    } catch {
      // A rejected `fetch` is a broken connection.
      incoming.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A `Request` cannot have a body with these methods. */
const isBodyless = (method: string) => method === "GET" || method === "HEAD";

/** `Headers` joins headers of one name. Error responses of nodes have two `Content-Type` headers. */
function headersOf({ headers }: Response): Record<string, string | string[]> {
  const entries = [...headers].map(([name, value]) => [name, name === "content-type" ? value.split(", ") : value]);
  return Object.fromEntries(entries);
}
