import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { PooledNetwork } from "../../support/pooled-network.js";
import { transaction } from "../../support/raw-requests.js";

describe("client.http of a client of several nodes", () => {
  const id = "a1";
  const page = { edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: "", endCursor: "" } };
  const get = (net: PooledNetwork, options = {}) =>
    net.run(net.client.http.GET("/api/v2/node/signatures", { params: { query: { id } }, ...options }));

  test("returns the last response if all nodes respond with errors, as `fetch` does", async () => {
    const net = new PooledNetwork({ node: { faults: [{ name: "status", status: 503 }] } });
    const { response, error } = await get(net);
    expect([response.status, error]).toEqual([503, expect.anything()]);
    expect(new Set(net.asked)).toEqual(new Set([0, 1, 2]));
  });

  test("requests a path that no node has once from each, and keeps using the nodes", async () => {
    const net = new PooledNetwork();
    await net.run(net.pool.check());
    net.asked.length = 0;
    const { response } = await net.run(net.client.http.GET("/api/v2/unknown" as never));
    expect(response.status).toBe(404);
    expect([...net.asked].sort()).toEqual([0, 1, 2]);
    expect(net.pool.status.map(({ state }) => state)).toEqual(["ready", "ready", "ready"]);
  });

  test("sends a body to the node that the pool chooses", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ down: true }, {}] }, pool: { order: "given" } });
    await net.read();
    const body = { tx: transaction } as never;
    const { data } = await net.run(net.client.http.POST("/transaction/check", { body }));
    expect(data).toMatchObject({ success: true });
    const sent = net.network.nodes.map(({ requests }) => requests.filter(({ method }) => method === "POST").length);
    expect(sent).toEqual([0, 1]);
  });

  test("sends a body to one node, also if middleware responds to the read that finds a node", async () => {
    const net = new PooledNetwork({ latency: [2000, 2000, 2000] });
    net.client.http.use({
      onRequest: ({ request }) => (request.method === "GET" ? Response.json({ signatures: page }) : undefined),
    });
    expect(await net.run(net.client.checkTransaction({ tx: transaction }))).toMatchObject({ success: true });
    expect(net.asked).toHaveLength(1);
    expect(await net.run(Promise.resolve(net.client.listNodeSignatures({ id })))).toMatchObject({ stale: false });
  });

  test("sends a body to no node that cools down, although it responded recently", async () => {
    const net = new PooledNetwork({ data: { nodes: 2 }, pool: { order: "given" } });
    await net.run(net.pool.check());
    net.network.nodes[0]?.configure({ down: true });
    await net.read();
    net.asked.length = 0;
    expect(await net.run(net.client.checkTransaction({ tx: transaction }))).toMatchObject({ success: true });
    expect(net.asked).toEqual([1]);
  });

  test("sends a request with a `baseUrl` there, also if it begins like a node of the pool, or is one", async () => {
    const urls: string[] = [];
    const client = createClient({
      baseUrl: nodePool(["https://a.example", "https://b.example"], { order: "given" }),
      fetch: async ({ url }) => {
        urls.push(url);
        if (url.startsWith("https://a.example/")) throw new TypeError("refused");
        return Response.json({});
      },
    });
    const path = "/api/v2/node/signatures";
    const query = (baseUrl?: string) => ({ params: { query: { id } }, ...(baseUrl !== undefined && { baseUrl }) });
    await client.http.GET(path, query());
    await client.http.GET(path, query("https://a.example.org"));
    await expect(client.http.GET(path, query("https://a.example"))).rejects.toThrow("refused");
    expect(urls).toEqual([
      "https://a.example/api/v2/node/signatures?id=a1",
      "https://b.example/api/v2/node/signatures?id=a1",
      "https://a.example.org/api/v2/node/signatures?id=a1",
      "https://a.example/api/v2/node/signatures?id=a1",
    ]);
  });

  // The second address begins like the one of the first node.
  const elsewhere = ["https://proxy.example", "https://node-1.example.net"];
  test.each(elsewhere)("sends a request where middleware has moved it: to %s", async (origin) => {
    const net = new PooledNetwork({ data: { nodes: 2 }, pool: { order: "given" } });
    const moved = `${origin}/api/v2/node/signatures?id=a1`;
    const urls: string[] = [];
    const { http } = createClient({
      baseUrl: nodePool(net.urls),
      fetch: async ({ url }) => {
        urls.push(url);
        return Response.json({ signatures: {} });
      },
    });
    http.use({ onRequest: () => new Request(moved) });
    for (let call = 0; call < 6; call++) await http.GET("/api/v2/node/signatures", { params: { query: { id } } });
    expect(new Set(urls)).toEqual(new Set([moved]));
  });
});
