import { once } from "node:events";
import { connect } from "node:net";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import { serverLimits, startServer } from "../../src/serve/server.js";
import { firstLine } from "../support/sockets.js";

/** Starts a server whose limits are short, with an endless stream and a response that is never ready. */
async function start(limits: Partial<typeof serverLimits>) {
  let isCancelled = false;
  const app = new Hono();
  app.get("/", (context) => context.text("ok"));
  app.get("/slow", () => new Promise(() => {}));
  app.get("/endless", (context) =>
    context.body(
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => {
          isCancelled = true;
        },
      }),
    ),
  );
  const server = await startServer(app, 0, "127.0.0.1", { ...serverLimits, ...limits });
  onTestFinished(() => server.close(new AbortController(), 0));
  const open = () => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => {});
    return socket;
  };
  return { url: server.url, open, isCancelled: () => isCancelled };
}

test("a stream whose reader stands still ends, and nothing more is read for it", async () => {
  const { open, isCancelled } = await start({ stallTimeout: 100 });
  const socket = open();
  socket.write("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "readable");
  await expect.poll(isCancelled).toBe(true);
  socket.destroy();
});

test("a caller who waits for longer than a reader may stand still keeps the connection", async () => {
  const { open } = await start({ stallTimeout: 50 });
  const socket = open();
  let isClosed = false;
  socket.once("close", () => {
    isClosed = true;
  });
  socket.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  const other = open();
  const since = performance.now();
  // Several times as long, and the server is alive.
  while (performance.now() - since < 300) await new Promise((resolve) => setImmediate(resolve));
  other.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(await firstLine(other)).toMatch(/^HTTP\/1\.1 200/);
  expect(isClosed).toBe(false);
  socket.destroy();
  other.destroy();
});

test.each([
  ["a head that does not end is a 408", "GET / HTTP/1.1\r\nHost: a\r\nX-Long: ", 408, 4, /slowly\.$/],
  ["a head that is too large is a 431", `GET /${"a".repeat(2000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 8, /too large\.$/],
  ["a request that cannot be parsed is a 400", "GET / HTTP/1.1\r\nHost\r\n\r\n", 400, 3, /HTTP\/1\.1\.$/],
  ["a URL that is not encoded is a 400", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n", 400, 3, /percent-encode them\.$/],
  ["a wrong Host is a 400", "GET / HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n", 400, 3, /\.$/],
])("%s with an error as nodes send it", async (_, text, status, code, message) => {
  const { open } = await start({ headersTimeout: 100, connectionsCheckingInterval: 50, maxHeaderSize: 1000 });
  const socket = open();
  socket.write(text);
  let response = "";
  for await (const data of socket) response += data;
  const [head = "", body = ""] = response.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/Content-Type: application\/json/i);
  expect(JSON.parse(body)).toEqual({ code, message: expect.stringMatching(message), details: [] });
});

test("a server ends once the responses in flight have ended, whose callers would keep their connections", async () => {
  let body: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const start = (controller: NonNullable<typeof body>) => {
    body = controller;
    controller.enqueue(new Uint8Array(9));
  };
  const app = new Hono().get("/", (context) => context.body(new ReadableStream({ start })));
  const server = await startServer(app, 0, "127.0.0.1");
  const response = await fetch(server.url);
  const ended = server.close(new AbortController(), 60_000);
  body?.close();
  expect((await response.text()).length).toBe(9);
  await ended;
});

test("a request of HTTP/1.0 needs no Host", async () => {
  const { open } = await start({});
  const socket = open();
  socket.write("GET / HTTP/1.0\r\n\r\n");
  expect(await firstLine(socket)).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

test("one address has a limited number of connections, and so have all", async () => {
  for (const limits of [{ connectionsOfAddress: 5 }, { connections: 5 }]) {
    const { open } = await start(limits);
    const sockets = Array.from({ length: 8 }, open);
    let closed = 0;
    for (const socket of sockets) {
      socket.resume();
      socket.once("close", () => closed++);
    }
    await expect.poll(() => closed).toBe(3);
    const [first] = sockets.filter(({ destroyed }) => !destroyed);
    first?.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(first && (await firstLine(first))).toMatch(/^HTTP\/1\.1 200/);
    for (const socket of sockets) socket.destroy();
  }
});
