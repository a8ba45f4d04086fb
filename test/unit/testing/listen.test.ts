import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createFakeNode } from "../../../src/testing/index.js";
import { listen } from "../../../src/testing/node/index.js";

const path = "/api/v2/parties/profiles?pagination.first=3";

async function serve(...args: Parameters<typeof listen>) {
  const server = await listen(...args);
  onTestFinished(() => server.close());
  return server;
}

/** Sends bytes, and returns what comes back until the server closes the connection. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (data) => {
    received += data;
  });
  socket.end(text);
  await once(socket, "close");
  return received;
}

describe("a fake node over HTTP", () => {
  test("responds as it does in memory", async () => {
    const data = { profiles: 20, votes: 30 };
    const [node, inMemory] = [createFakeNode(data, { now: () => 0 }), createFakeNode(data, { now: () => 0 })];
    const { url } = await serve(node);
    const check = { method: "POST", body: '{"tx":{"pubKey":"a"}}' };
    const requests: [string, RequestInit?][] = [[path], ["/api/v2/votes?partyId=ab"], [path, { method: "HEAD" }]];
    for (const [each, init] of [...requests, ["/transaction/check", check] as const]) {
      const first = await fetch(url + each, init);
      const second = await inMemory.fetch(`http://node.example${each}`, init);
      expect([first.status, await first.text()]).toEqual([second.status, await second.text()]);
      expect(Object.fromEntries(first.headers)).toMatchObject(Object.fromEntries(second.headers));
    }
    const logOf = ({ requests }: typeof node) =>
      requests.map(({ operation, method, body }) => [operation, method, body]);
    expect(logOf(node)).toEqual(logOf(inMemory));
  });

  test("sends both content types of an error response as headers of their own", async () => {
    const { url } = await serve(createFakeNode());
    const response = await sendRaw(url, "GET /api/v2/votes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const types = ["content-type: application/json", "content-type: application/grpc"];
    expect(response.match(/^content-type: .*$/gim)).toEqual(types);
  });

  test("accepts a URL with ten thousand party ids, and rejects a longer one with status 431", async () => {
    const { url } = await serve(createFakeNode({ profiles: 5 }));
    const query = (count: number) => `&parties=${"ab".repeat(32)}`.repeat(count);
    expect((await fetch(`${url}/api/v2/parties/profiles?${query(10_000)}`)).status).toBe(200);
    expect((await fetch(`${url}/api/v2/parties/profiles?${query(15_000)}`)).status).toBe(431);
  });

  test("closes the connection without a response for a reset, and amid the body for a truncated one", async () => {
    const node = createFakeNode({ profiles: 50 }, { faults: [{ name: "reset" }] });
    const { url } = await serve(node);
    expect(await sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)).toBe("");
    node.configure({ faults: [{ name: "truncated-body" }] });
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow(TypeError);
    node.configure({ faults: [] });
    expect((await fetch(url + path)).status).toBe(200);
  });

  test("cancels the body of a response when the client disconnects", async () => {
    const cancel = vi.fn();
    const pull = async (stream: ReadableStreamDefaultController<Uint8Array>) => {
      await setTimeout(1);
      stream.enqueue(new Uint8Array(1000));
    };
    const { url } = await serve({ fetch: async () => new Response(new ReadableStream({ pull, cancel })) });
    const { body } = await fetch(url);
    await body?.cancel();
    await expect.poll(() => cancel.mock.calls).toHaveLength(1);
  });

  test("closes at once, with an idle connection and with a request that gets no response", async () => {
    const node = createFakeNode({ profiles: 5 });
    const server = await listen(node);
    await (await fetch(server.url + path)).text();
    node.configure({ faults: [{ name: "latency", milliseconds: Number.POSITIVE_INFINITY }] });
    const pending = fetch(server.url + path).catch((error: unknown) => error);
    await expect.poll(() => node.requests.length).toBe(2);
    await server.close();
    expect(await pending).toBeInstanceOf(TypeError);
    await expect(fetch(server.url + path)).rejects.toThrow(TypeError);
    await server[Symbol.asyncDispose]();
  });

  test("has an address that clients can use, on every network interface", async () => {
    const node = createFakeNode({ profiles: 5 });
    expect((await serve(node)).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const host of ["localhost", "0.0.0.0"]) {
      const { url } = await serve(node, { host });
      expect(url).toMatch(/^http:\/\/localhost:\d+$/);
      expect((await fetch(url + path)).status).toBe(200);
    }
  });

  test("cannot have a port that is in use", async () => {
    const node = createFakeNode();
    const port = Number(new URL((await serve(node)).url).port);
    const used = `Cannot listen on port ${port} of 127.0.0.1. The port is in use: choose another one`;
    const error = { message: expect.stringContaining(used), cause: { code: "EADDRINUSE" } };
    await expect(listen(node, { port })).rejects.toMatchObject(error);
  });

  test.each<[argument: string, words: string, node: unknown, options: unknown]>([
    ["node", "to be a fake node, got undefined.", undefined, {}],
    ["prot", "listen has no option `prot`. Did you mean `port`?", createFakeNode(), { prot: 80 }],
    ["port", "to be an integer from 0 to 65535, got 65536.", createFakeNode(), { port: 65536 }],
    ["host", 'to be a name or an address, got "".', createFakeNode(), { host: "" }],
  ])("rejects an invalid `%s`: %s", async (argument, words, node, options) => {
    const error = { name: "ArgumentError", argument, message: expect.stringContaining(words) };
    await expect(listen(node as never, options as never)).rejects.toMatchObject(error);
  });
});
