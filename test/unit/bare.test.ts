import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type BareFetch, markBare } from "../../src/bare.js";
import { type ClientOptions, createClient, type VegaClient } from "../../src/index.js";
import { undiciFetch } from "../../src/undici/index.js";

interface Arrived {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let server: Server;
let baseUrl: string;
let arrived: Arrived[];
/** Resolves when the request that is left unanswered is given up. */
let givenUp: Promise<unknown>;
let isSlow: boolean;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    arrived.push({ method, url, headers, body: await text(request) });
    if (isSlow) givenUp = once(response, "close");
    else response.writeHead(200, { "Content-Type": "application/json" }).end('{"success":true,"statistics":null}');
    server.emit("arrived");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close().closeAllConnections());

const { fetch: platformFetch, Request: PlatformRequest } = globalThis;
let requestsMade: number;
beforeEach(() => {
  arrived = [];
  requestsMade = 0;
  isSlow = false;
  globalThis.Request = class extends PlatformRequest {
    constructor(...[input, init]: ConstructorParameters<typeof Request>) {
      super(input, init);
      requestsMade++;
    }
  };
});
afterEach(() => {
  globalThis.Request = PlatformRequest;
  globalThis.fetch = platformFetch;
});

const partyId = "a";
const connect = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl, headers: { "X-Client": "1" }, ...options });

const withMiddleware = (options?: Partial<ClientOptions>) => {
  const client = connect(options);
  client.http.use({ onRequest: () => undefined });
  return client;
};

const marked = (): BareFetch => markBare((input, init) => platformFetch(input, init));

const ways: [way: string, connect: (options?: Partial<ClientOptions>) => VegaClient, requestsMade: number][] = [
  ["by the platform's fetch", connect, 0],
  ["by the platform's fetch, passed in", (options) => connect({ ...options, fetch: platformFetch }), 0],
  ["by a fetch that takes bare requests", (options) => connect({ ...options, fetch: marked() }), 0],
  ["by undici", (options) => connect({ ...options, fetch: undiciFetch() }), 0],
  ["with middleware, by undici", (options) => withMiddleware({ ...options, fetch: undiciFetch() }), 2],
  ["by a caller's own fetch", (options) => connect({ ...options, fetch: (request) => platformFetch(request) }), 1],
  ["with middleware", withMiddleware, 1],
  [
    "with middleware, by a fetch that takes bare requests",
    (options) => withMiddleware({ ...options, fetch: marked() }),
    1,
  ],
  [
    "by what took the place of the global fetch",
    (options) => {
      globalThis.fetch = (input, init) => platformFetch(input, init);
      return connect(options);
    },
    1,
  ],
];

describe.each(ways)("a request that is sent %s", (_, connect, made) => {
  test("arrives with its method, headers and body", async () => {
    const client = connect();
    await client.getSpamStatistics({ partyId }, { headers: { "X-Call": "2" } });
    await client.checkTransaction({ tx: { version: "TX_VERSION_V3" } });
    expect(arrived).toMatchObject([
      {
        method: "GET",
        url: "/statistics/spam/a",
        headers: { accept: "application/json", "x-client": "1", "x-call": "2" },
        body: "",
      },
      {
        method: "POST",
        url: "/transaction/check",
        headers: { accept: "application/json", "x-client": "1", "content-type": "application/json" },
        body: '{"tx":{"version":"TX_VERSION_V3"}}',
      },
    ]);
    expect(requestsMade).toBe(made * 2);
  });

  test("is given up with its call", async () => {
    isSlow = true;
    const controller = new AbortController();
    const call = connect().getSpamStatistics({ partyId }, { signal: controller.signal });
    await once(server, "arrived");
    controller.abort("enough");
    await expect(call).rejects.toBe("enough");
    await givenUp;
  });

  test("is not sent where its call is given up right before", async () => {
    const controller = new AbortController();
    const client = connect({ observe: ({ type }) => type === "attempt" && controller.abort("enough") });
    await expect(client.getSpamStatistics({ partyId }, { signal: controller.signal })).rejects.toBe("enough");
    await client.getSpamStatistics({ partyId: "later" });
    expect(arrived).toMatchObject([{ url: "/statistics/spam/later" }]);
  });

  test("is given up at its deadline", async () => {
    isSlow = true;
    const call = connect().getSpamStatistics({ partyId }, { timeout: 20, retry: false });
    await Promise.all([once(server, "arrived"), expect(call).rejects.toMatchObject({ name: "TimeoutError" })]);
    await givenUp;
  });
});

test("middleware that comes later sees a Request, too", async () => {
  const client = connect();
  await client.getSpamStatistics({ partyId });
  const seen: unknown[] = [];
  client.http.use({ onRequest: ({ request }) => void seen.push(request instanceof PlatformRequest) });
  await client.getSpamStatistics({ partyId });
  expect(seen).toEqual([true]);
});

test("a fetch is called without a `this`, as that of a browser asks for", async () => {
  const seen: unknown[] = [];
  function fetch(this: unknown) {
    seen.push(this);
    return Promise.resolve(new Response('{"statistics":null}'));
  }
  await connect({ fetch }).getSpamStatistics({ partyId });
  await connect({ fetch: markBare(fetch as BareFetch) }).getSpamStatistics({ partyId });
  expect(seen).toEqual([undefined, undefined]);
});
