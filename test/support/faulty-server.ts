import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** What a server does after it has read a request. */
export type Behavior = (socket: Socket) => void;

export type FaultyServer = Awaited<ReturnType<typeof startFaultyServer>>;

/** A server on loopback whose responses are set byte by byte. */
export async function startFaultyServer() {
  /** The requests that arrived completely, such as `POST /transaction/check`. */
  const requests: string[] = [];
  let behaviors: readonly Behavior[] = [];
  const server = createServer((request) => {
    request.resume().on("end", () => {
      const number = requests.push(`${request.method} ${request.url}`);
      behaviors[Math.min(number, behaviors.length) - 1]?.(request.socket);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Sets the responses to the next requests, in turn; the last one is for all further requests. */
    behave: (...next: Behavior[]) => {
      requests.length = 0;
      behaviors = next;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The head of a response. Connections are closed after it, so that a fault stays with its request. */
function head(status: number, headers: Record<string, string | number | string[]>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}\r\n`),
  );
  return `HTTP/1.1 ${status} Status\r\nConnection: close\r\n${lines.join("")}\r\n`;
}

/** A complete response. */
export function respond(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string | string[]> } = {},
): Behavior {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html" : "application/json";
  return (socket) => {
    const fields = { "Content-Type": type, "Content-Length": Buffer.byteLength(text), ...headers };
    socket.end(head(status, fields) + text);
  };
}

/** The whole response with a body. */
const whole = (body: string) => head(200, { "Content-Length": body.length }) + body;

const gzipped =
  (bytes: Buffer): Behavior =>
  (socket) => {
    socket.write(head(200, { "Content-Encoding": "gzip", "Content-Length": bytes.length }));
    socket.end(bytes);
  };

/** Sends parts of a response, each in a turn of the event loop of its own, and then ends the connection, or what else is said. */
const inParts =
  (parts: readonly string[], end = (socket: Socket): unknown => socket.end()): Behavior =>
  (socket) => {
    const send = ([next, ...rest]: readonly string[]) => {
      if (next === undefined) end(socket);
      else socket.write(next, () => setImmediate(() => send(rest)));
    };
    send(parts);
  };
const reset = (socket: Socket) => socket.resetAndDestroy();
const nothing = () => {};
const half = (body: string) => whole(body).slice(0, -body.length / 2);

/** Behaviors that send a body with a fault. */
export const faulty = {
  resetBeforeHeaders: () => reset,
  resetWithinBody: (body) => inParts([half(body)], reset),
  resetWithinError: () => inParts([`${head(500, { "Content-Length": 100 })}{`], reset),
  shorterThanLength: (body) => inParts([head(200, { "Content-Length": body.length + 100 }) + body]),
  longerThanLength: (body) => inParts([head(200, { "Content-Length": body.length - 5 }) + body]),
  chunkedCutOff: (body) =>
    inParts([head(200, { "Transfer-Encoding": "chunked" }), `${body.length.toString(16)}\r\n${body.slice(0, -50)}`]),
  hangBeforeHeaders: () => nothing,
  hangWithinHeaders: () => inParts(["HTTP/1.1 200 OK\r\nContent-Type: appl"], nothing),
  hangWithinBody: (body) => inParts([half(body)], nothing),
  gzip: (body) => gzipped(gzipSync(body)),
  damagedGzip: (body) => gzipped(gzipSync(body).fill(0, 12, 20)),
  inHalves: (body) => inParts([whole(body).slice(0, 20), whole(body).slice(20, -10), body.slice(-10)]),
  byteByByte: (body) => inParts([...whole(body)]),
} satisfies Record<string, (body: string) => Behavior>;
