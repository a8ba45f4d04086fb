import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Agent, interceptors } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiError, createClient, type ResponseError } from "../../src/index.js";
import { undiciFetch } from "../../src/undici/index.js";

let server: Server;
let baseUrl: string;
let listen: RequestListener;
beforeEach(async () => {
  server = createServer((request, response) => listen(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server.close().closeAllConnections());

const statistics = { chainId: "chain", statistics: null };
const body = JSON.stringify(statistics);
const connect = (options = {}) => createClient({ baseUrl, fetch: undiciFetch(options), retry: false });
const party = { partyId: "a" };

describe("a redirect", () => {
  beforeEach(() => {
    listen = ({ url }, response) =>
      url === "/elsewhere" ? response.end(body) : response.writeHead(302, { Location: "/elsewhere" }).end();
  });

  test("is not followed, and told of", async () => {
    await expect(connect().getSpamStatistics(party)).rejects.toMatchObject({ name: "ApiError", status: 302 });
  });

  test("of a read is followed by a dispatcher that does, of a check it is not", async () => {
    const dispatcher = new Agent().compose(interceptors.redirect({ maxRedirections: 1 }));
    const client = connect({ dispatcher });
    expect(await client.getSpamStatistics(party)).toEqual(statistics);
    // Which would send it again, or as a GET.
    await expect(client.checkTransaction({ tx: {} })).rejects.toMatchObject({ name: "ApiError", status: 302 });
    client.http.use({ onRequest: () => undefined });
    await expect(client.checkTransaction({ tx: {} })).rejects.toMatchObject({ name: "ApiError", status: 302 });
    await dispatcher.close();
  });
});

test.each([
  [null, "null"],
  ["agent", '"agent"'],
  [{}, "an object"],
])("%s is refused as a dispatcher", (dispatcher, shown) => {
  const refused = expect.objectContaining({
    name: "ArgumentError",
    argument: "dispatcher",
    message: `Expected \`dispatcher\` to be a Dispatcher of undici, got ${shown}.`,
  });
  expect(() => connect({ dispatcher })).toThrow(refused);
});

describe("a packed answer", () => {
  const answerPacked = (packing: string, bytes: Buffer) => {
    listen = (request, response) => {
      expect(request.headers["accept-encoding"]).toBeUndefined();
      response.writeHead(200, { "Content-Encoding": packing }).end(bytes);
    };
  };

  test.each([
    ["gzip", gzipSync(body)],
    ["x-gzip", gzipSync(body)],
    ["deflate", deflateSync(body)],
    ["Identity", Buffer.from(body)],
  ])("%s is unpacked", async (packing, bytes) => {
    answerPacked(packing, bytes);
    expect(await connect().getSpamStatistics(party)).toEqual(statistics);
  });

  test("in another way is refused, with its name", async () => {
    answerPacked("br", brotliCompressSync(body));
    await expect(connect().getSpamStatistics(party)).rejects.toThrow(
      'the body is packed by "br", which undiciFetch does not unpack',
    );
  });

  test("that is refused does not keep its connection", async () => {
    const dispatcher = new Agent({ connections: 1 });
    const client = connect({ dispatcher });
    answerPacked("br", Buffer.alloc(1_000_000));
    await expect(client.getSpamStatistics(party)).rejects.toThrow('packed by "br"');
    answerPacked("identity", Buffer.from(body));
    expect(await client.getSpamStatistics(party, { timeout: 2000 })).toEqual(statistics);
    await dispatcher.destroy();
  });
});

describe("the response", () => {
  beforeEach(() => {
    listen = (_, response) => {
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.writeHead(200, { "Content-Type": "application/json", "X-Two": ["1", "2"] }).end(body);
    };
  });

  test("has its status, address and headers, like one of fetch", async () => {
    const { response } = await connect().getSpamStatistics(party).withResponse();
    const expected = await fetch(response.url);
    const { status, ok, url, redirected, type } = response;
    expect({ status, ok, url, redirected, type }).toEqual({
      status: expected.status,
      ok: expected.ok,
      url: `${baseUrl}/statistics/spam/a`,
      redirected: expected.redirected,
      type: expected.type,
    });
    expect(response).toBeInstanceOf(Response);
    expect(response.headers).toBeInstanceOf(Headers);
    for (const name of ["content-type", "Content-Type", "x-two", "set-cookie", "missing", "constructor"]) {
      expect([name, response.headers.get(name)]).toEqual([name, expected.headers.get(name)]);
      expect([name, response.headers.has(name)]).toEqual([name, expected.headers.has(name)]);
    }
    const withoutDate = (headers: Headers) => [...headers].filter(([name]) => name !== "date");
    expect(withoutDate(response.headers)).toEqual(withoutDate(expected.headers));
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    const seen: string[] = [];
    response.headers.forEach((_, name) => {
      seen.push(name);
    });
    expect(seen).toEqual([...response.headers.keys()]);
    expect([...response.headers.values()]).toHaveLength(seen.length);
    response.headers.set("X-Two", "3");
    response.headers.append("X-Two", "4");
    expect(response.headers.get("x-two")).toBe("3, 4");
    response.headers.delete("x-two");
    expect(response.headers.has("x-two")).toBe(false);
  });

  test("has been read, and cannot be again", async () => {
    const { response } = await connect().getSpamStatistics(party).withResponse();
    expect(response.bodyUsed).toBe(true);
    for (const method of ["text", "json", "arrayBuffer", "blob", "bytes", "formData"] as const) {
      await expect(response[method]()).rejects.toThrow(TypeError);
    }
    expect(() => response.clone()).toThrow(TypeError);
  });

  test("comes with the error of an answer that is not right", async () => {
    listen = (_, response) => response.writeHead(503, { "X-One": "1" }).end("{}");
    const refusal = await connect()
      .getSpamStatistics(party)
      .catch((reason: ApiError) => reason);
    expect(refusal).toMatchObject({ name: "ApiError", status: 503 });
    expect(new Headers((refusal as ApiError).headers).get("x-one")).toBe("1");
    listen = (_, response) => response.end("<html>");
    const error = await connect()
      .getSpamStatistics(party)
      .catch((reason: ResponseError) => reason);
    expect(error).toMatchObject({
      name: "ResponseError",
      response: { status: 200, url: `${baseUrl}/statistics/spam/a` },
    });
  });

  test("is one that middleware can do everything with", async () => {
    const client = connect();
    const seen: unknown[] = [];
    client.http.use({
      onRequest: ({ request }) => request.headers.set("X-Middleware", "1"),
      onResponse: async ({ response }) => {
        seen.push(response.url, await response.clone().json());
        return new Response(response.body, response);
      },
    });
    expect(await client.getSpamStatistics(party)).toEqual(statistics);
    expect(seen).toEqual([`${baseUrl}/statistics/spam/a`, statistics]);
  });
});

describe("as a fetch for itself", () => {
  beforeEach(() => {
    listen = async (request, response) => {
      response.end(JSON.stringify([request.method, request.headers["x-one"], await text(request)]));
    };
  });

  test.each<[form: string, input: () => Request | string, init?: RequestInit]>([
    ["a Request", () => new Request(baseUrl, { method: "POST", body: "hello", headers: { "X-One": "1" } })],
    ["an address and the rest", () => baseUrl, { method: "POST", body: "hello", headers: { "X-One": "1" } }],
    [
      "a body of bytes",
      () => baseUrl,
      { method: "POST", body: new TextEncoder().encode("hello"), headers: [["X-One", "1"]] },
    ],
    [
      "a Request and what is different",
      () => new Request(baseUrl),
      { method: "POST", body: "hello", headers: { "X-One": "1" } },
    ],
  ])("it takes %s", async (_, input, init) => {
    const response = await undiciFetch()(input(), init);
    expect(await response.json()).toEqual(["POST", "1", "hello"]);
  });

  test("it stops with its signal", async () => {
    const controller = new AbortController();
    listen = () => controller.abort(new Error("enough"));
    await expect(undiciFetch()(baseUrl, { signal: controller.signal })).rejects.toThrow("enough");
  });

  test("it reads what has no body", async () => {
    listen = (_, response) => response.writeHead(204).end();
    const response = await undiciFetch()(baseUrl);
    expect([response.status, response.body, await response.text()]).toEqual([204, null, ""]);
  });
});
