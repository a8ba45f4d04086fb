import { afterAll, afterEach, expect, test } from "vitest";
import { type ClientOptions, createClient } from "../../src/index.js";
import { nodePool } from "../../src/pool/index.js";
import { listen } from "../../src/testing/node/index.js";

const partyId = "ab".repeat(32);
const transaction = { tx: { version: "TX_VERSION_V3" } } as never;

/** The requests that the node got, and those that the server got to which it redirects. */
const received: Record<"node" | "other", string[]> = { node: [], other: [] };
/** How the node responds to a path; `undefined` for a response of a node. */
let redirect: (path: string) => { status: number; location: string } | undefined = () => undefined;

const start = (name: "node" | "other") =>
  listen({
    fetch: async ({ method, url }: Request) => {
      const { pathname } = new URL(url);
      received[name].push(`${method} ${pathname}`);
      const { status, location } = (name === "node" && redirect(pathname)) || {};
      if (location !== undefined) return new Response(null, { status, headers: { location } } as ResponseInit);
      return Response.json({ chainId: "c", statistics: null });
    },
  });
const [node, other] = [await start("node"), await start("other")];
afterEach(() => {
  for (const all of Object.values(received)) all.length = 0;
  redirect = () => undefined;
});
afterAll(() => Promise.all([node.close(), other.close()]));

const connect = (options: Partial<ClientOptions> = {}) => createClient({ baseUrl: node.url, ...options });
type Connected = ReturnType<typeof connect>;
const post = ({ http }: Connected, init: object = {}) =>
  http.POST("/transaction/check", { body: transaction, ...init } as never);

/** Middleware that builds another request, which would follow redirects. */
function rebuilding(client: Connected): Connected {
  client.http.use({
    onRequest: async ({ request }) => {
      const { url, method, headers } = request;
      return new Request(url, { method, headers, body: await request.text() });
    },
  });
  return client;
}

const senders: Record<string, (client: Connected) => PromiseLike<unknown>> = {
  "a read": (client) => client.getSpamStatistics({ partyId }),
  "a check": (client) => client.checkTransaction(transaction),
  "a GET of client.http": ({ http }) => http.GET("/statistics/spam/{partyId}", { params: { path: { partyId } } }),
  "a POST of client.http": (client) => post(client),
  "a POST of client.http with `redirect`": (client) => post(client, { redirect: "follow" }),
  "a POST of client.http with middleware that builds another request": (client) => post(rebuilding(client)),
};

test.each(Object.entries(senders))(
  "%s that is redirected is sent once, and rejects with the status and the address to use",
  async (_, send) => {
    for (const status of [301, 302, 303, 307, 308]) {
      for (const base of [other.url, `${node.url}/new`]) {
        received.node.length = 0;
        redirect = (path) => ({ status, location: `${base}${path}` });
        const call = Promise.resolve(send(connect()));
        await expect(call).rejects.toMatchObject({ name: "ApiError", status, attempts: 1 });
        const [, path] = received.node[0]?.split(" ") ?? [];
        const advice = "If you trust the new address, use it in `baseUrl`.";
        await expect(call).rejects.toThrow(`It redirects to ${base}${path}, which is not followed. ${advice}`);
        expect([received.node.length, received.other.length]).toEqual([1, 0]);
      }
    }
  },
);

test.each([undefined, "http://", "ftp://a.example"])("a redirect to %s rejects with its status", async (location) => {
  const headers = location === undefined ? {} : { location };
  const client = connect({ fetch: async () => new Response(null, { status: 302, headers }) });
  const call = client.getSpamStatistics({ partyId });
  await expect(call).rejects.toMatchObject({ name: "ApiError", status: 302, attempts: 1 });
});

test.each(Object.entries(senders).slice(0, 4))(
  "%s that is redirected in a browser, which hides where to, rejects and says what to do",
  async (_, send) => {
    // What browsers return for a redirect that they do not follow cannot be constructed.
    const opaque = { type: { value: "opaqueredirect" }, status: { value: 0 }, ok: { value: false } };
    const client = connect({ fetch: async () => Object.defineProperties(new Response(null), opaque) });
    const call = Promise.resolve(send(client));
    await expect(call).rejects.toMatchObject({ name: "ApiError", status: 0, attempts: 1 });
    await expect(call).rejects.toThrow("It redirects, and browsers hide where to. If you trust the new address");
  },
);

test("a node of a pool that redirects elsewhere is left for another node, and gets no transaction again", async () => {
  redirect = (path) => ({ status: 307, location: `https://elsewhere.example${path}` });
  const nodes = nodePool([node.url, other.url], { order: "given" });
  const client = connect({ baseUrl: nodes });
  for (let call = 0; call < 20; call++) {
    expect(await client.getSpamStatistics({ partyId })).toHaveProperty("chainId", "c");
  }
  expect(nodes.status[0]).toMatchObject({ state: "cooling-down", error: expect.stringContaining("elsewhere.example") });
  const check = client.checkTransaction(transaction, { node: node.url });
  await expect(check).rejects.toMatchObject({ name: "ApiError", status: 307, node: node.url });
  expect(received.node.filter((line) => line.startsWith("POST"))).toHaveLength(1);
});

test("an error with a Location is no redirect", async () => {
  const refuse = async () => Response.json({}, { status: 401, headers: { location: "https://login.example/" } });
  const client = createClient({ baseUrl: "https://node.example", fetch: refuse });
  await expect(client.listPartiesProfiles()).rejects.toThrow(/failed with status 401(?!.*redirects)/);
});
