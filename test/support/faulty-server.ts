import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** What a server does after it has read a request. */
export type Behavior = (socket: Socket) => void;

/** A server on loopback whose responses are set byte by byte. */
export class FaultyServer {
  /** The requests that arrived completely, such as `POST /transaction/check`. */
  readonly requests: string[] = [];
  #behaviors: Behavior[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<FaultyServer> {
    const server = new FaultyServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the responses to the next requests, in turn; the last one is for all further requests. */
  behave(...behaviors: Behavior[]): void {
    this.requests.length = 0;
    this.#behaviors = behaviors;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const [head = "", body] = text.split("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      text = "";
      const number = this.requests.push(head.split(" HTTP")[0] ?? "");
      this.#behaviors[Math.min(number, this.#behaviors.length) - 1]?.(socket);
    });
  }
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

/** Behaviors that send a body with a fault. */
export const faulty = {
  resetBeforeHeaders: (): Behavior => (socket) => socket.resetAndDestroy(),
  resetWithinBody:
    (body: string): Behavior =>
    (socket) => {
      socket.write(head(200, { "Content-Length": body.length }) + body.slice(0, body.length / 2), () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    },
  shorterThanLength:
    (body: string): Behavior =>
    (socket) =>
      socket.end(head(200, { "Content-Length": body.length + 100 }) + body),
  longerThanLength:
    (body: string): Behavior =>
    (socket) =>
      socket.end(head(200, { "Content-Length": body.length - 5 }) + body),
  chunkedCutOff:
    (body: string): Behavior =>
    (socket) =>
      socket.end(
        `${head(200, { "Transfer-Encoding": "chunked" })}${body.length.toString(16)}\r\n${body.slice(0, -50)}`,
      ),
  hangBeforeHeaders: (): Behavior => () => {},
  hangWithinHeaders: (): Behavior => (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Type: appl"),
  hangWithinBody:
    (body: string): Behavior =>
    (socket) =>
      socket.write(head(200, { "Content-Length": body.length }) + body.slice(0, body.length / 2)),
  gzip:
    (body: string): Behavior =>
    (socket) => {
      const bytes = gzipSync(body);
      socket.write(head(200, { "Content-Encoding": "gzip", "Content-Length": bytes.length }));
      socket.end(bytes);
    },
  damagedGzip:
    (body: string): Behavior =>
    (socket) => {
      const bytes = gzipSync(body).fill(0, 12, 20);
      socket.write(head(200, { "Content-Encoding": "gzip", "Content-Length": bytes.length }));
      socket.end(bytes);
    },
  inHalves:
    (body: string): Behavior =>
    (socket) => {
      const text = head(200, { "Content-Length": body.length }) + body;
      socket.write(text.slice(0, 20), () =>
        setImmediate(() => socket.write(text.slice(20, -10), () => setImmediate(() => socket.end(text.slice(-10))))),
      );
    },
  byteByByte:
    (body: string): Behavior =>
    (socket) => {
      const text = head(200, { "Content-Length": body.length }) + body;
      const send = (at: number) => {
        if (at === text.length) socket.end();
        else socket.write(text[at] ?? "", () => setImmediate(() => send(at + 1)));
      };
      send(0);
    },
} satisfies Record<string, (body: string) => Behavior>;
