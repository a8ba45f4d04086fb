import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ApiError, type ClientOptions, createClient, VegaError } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";

const partyId = "ab".repeat(32);
const path = "/statistics/spam/{partyId}";
const party = { params: { path: { partyId } } };
const transaction = { tx: { version: "TX_VERSION_V3" } } as never;

/** A server that responds with redirects, and counts requests. */
class Origin {
  readonly received: { line: string; key: string | undefined; body: string }[] = [];
  /** The `Location` for the path of a request; `undefined` for a response of a node. */
  locate: (path: string) => string | undefined = () => undefined;
  status = 307;
  url = "";
  readonly #server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method, url = "", headers } = request;
    this.received.push({ line: `${method} ${url}`, key: headers["x-api-key"] as string | undefined, body });
    const location = this.locate(url);
    if (location !== undefined) response.writeHead(this.status, { location }).end();
    else response.setHeader("content-type", "application/json").end('{"chainId":"c","statistics":null}');
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.received.length = 0;
    this.locate = () => undefined;
    this.status = 307;
  }

  close(): void {
    this.#server.close();
  }
}

const node = new Origin();
const other = new Origin();
beforeAll(async () => {
  await node.start();
  await other.start();
});
afterEach(() => {
  node.reset();
  other.reset();
});
afterAll(() => {
  node.close();
  other.close();
});

const connect = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: node.url, headers: { "X-Api-Key": "secret" }, ...options });

const caught = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => expect.unreachable("resolved"),
    (error: unknown) => error,
  );

type Connected = ReturnType<typeof connect>;
const post = (client: Connected, init: object = {}) =>
  client.http.POST("/transaction/check", { body: transaction, ...init } as never);

describe.each([301, 302, 303, 307, 308])("a POST that is redirected with status %s", (status) => {
  test.each<[what: string, send: (client: Connected) => PromiseLike<unknown>]>([
    ["checkTransaction", (client) => client.checkTransaction(transaction)],
    ["client.http", (client) => post(client)],
    ["client.http with `redirect`", (client) => post(client, { redirect: "follow" })],
    [
      "client.http with middleware that builds another request",
      (client) => {
        client.http.use({
          onRequest: async ({ request }) =>
            new Request(request.url, { method: "POST", headers: request.headers, body: await request.text() }),
        });
        return post(client);
      },
    ],
  ])("is sent once by %s, and rejects with status and location", async (_, send) => {
    node.status = status;
    for (const location of ["/elsewhere", `${other.url}/transaction/check`]) {
      node.received.length = 0;
      node.locate = () => location;
      const error = await caught(send(connect()));
      expect(error).toMatchObject({ name: "ApiError", status, attempts: 1 });
      expect((error as Error).message).toContain(new URL(location, node.url).href);
      expect(node.received.map(({ line }) => line)).toEqual(["POST /transaction/check"]);
      expect(other.received).toEqual([]);
    }
  });

  test.each<[what: string, init: () => object]>([
    ["an address", () => ({ baseUrl: node.url })],
    ["a fetch", () => ({ fetch: (request: Request) => fetch(request) })],
    ["a fetch and `redirect`", () => ({ fetch: (request: Request) => fetch(request), redirect: "follow" })],
  ])("is sent once by client.http with %s of its own", async (_, init) => {
    node.status = status;
    node.locate = () => `${other.url}/`;
    const { response } = await post(connect(), init());
    expect([response.status, response.headers.get("location")]).toEqual([status, `${other.url}/`]);
    expect([node.received.length, other.received.length]).toEqual([1, 0]);
  });
});

describe("a read that is redirected", () => {
  test.each<[what: string, send: (client: Connected) => PromiseLike<unknown>]>([
    ["a method", (client) => client.getSpamStatistics({ partyId })],
    ["client.http", (client) => client.http.GET(path, party)],
    ["client.http with `redirect`", (client) => client.http.GET(path, { ...party, redirect: "follow" })],
    [
      "client.http with middleware that builds another request",
      (client) => {
        client.http.use({ onRequest: ({ request }) => new Request(request.url, { headers: request.headers }) });
        return client.http.GET(path, party);
      },
    ],
  ])("by %s rejects with the address to use, and is not followed", async (_, send) => {
    const target = `/statistics/spam/${partyId}`;
    for (const [url, advice] of [
      [other.url, `If you trust that address, replace ${node.url} with ${other.url} in \`baseUrl\`.`],
      [`${node.url}/new`, "Set `baseUrl` to the address that responds itself."],
    ]) {
      node.received.length = 0;
      node.locate = (path) => `${url}${path}`;
      const error = await caught(send(connect()));
      expect(error).toMatchObject({ name: "ApiError", status: 307, attempts: 1 });
      expect((error as Error).message).toContain(`It redirects to ${url}${target}, which is not followed. ${advice}`);
      expect([node.received.length, other.received.length]).toEqual([1, 0]);
    }
  });

  test("without a `Location`, or to one that is no address, rejects with its status", async () => {
    const fetch = (location: string | undefined) => async () =>
      new Response(null, { status: 302, headers: location === undefined ? {} : { location } });
    for (const location of [undefined, "http://", "ftp://a.example"]) {
      const error = await caught(connect({ fetch: fetch(location) }).getSpamStatistics({ partyId }));
      expect(error).toMatchObject({ name: "ApiError", status: 302, attempts: 1 });
    }
  });

  test("in a browser, which hides where to, rejects and says what to do", async () => {
    // What browsers return for a redirect that they do not follow cannot be constructed.
    const opaque = () =>
      Object.defineProperties(new Response(null), {
        type: { value: "opaqueredirect" },
        status: { value: 0 },
        ok: { value: false },
      });
    const client = connect({ fetch: async () => opaque() });
    for (const send of [
      () => client.getSpamStatistics({ partyId }),
      () => client.checkTransaction(transaction),
      () => client.http.GET(path, party),
      () => post(client),
    ]) {
      const error = await caught(send());
      expect(error).toMatchObject({ name: "ApiError", status: 0, attempts: 1 });
      expect((error as Error).message).toContain(
        "It redirects, and browsers hide where to. Set `baseUrl` to the address that responds itself.",
      );
    }
  });
});

test("a `fetch` of the caller gets every request with the same `redirect`", async () => {
  const modes: string[] = [];
  const client = connect({
    fetch: (request) => {
      modes.push(`${request.method} ${request.redirect}`);
      return fetch(request);
    },
  });
  await client.getSpamStatistics({ partyId });
  await client.http.GET(path, party);
  await caught(client.checkTransaction(transaction));
  await post(client);
  expect(modes).toEqual([...Array(2).fill("GET manual"), ...Array(2).fill("POST manual")]);
});

test("a node of a pool that redirects elsewhere is left for another node, and gets no transaction again", async () => {
  node.locate = (url) => `https://elsewhere.example${url}`;
  const nodes = nodePool([node.url, other.url], { order: "given" });
  const client = connect({ baseUrl: nodes });
  for (let call = 0; call < 20; call++) {
    expect(await client.getSpamStatistics({ partyId })).toHaveProperty("chainId", "c");
  }
  expect(nodes.status[0]).toMatchObject({ state: "cooling-down", error: expect.stringContaining("elsewhere.example") });
  const error = await caught(client.checkTransaction(transaction, { node: node.url }));
  expect(ApiError.is(error) && error.status).toBe(307);
  expect(VegaError.is(error) && error.node).toBe(node.url);
  expect(node.received.filter(({ line }) => line.startsWith("POST"))).toHaveLength(1);
});
