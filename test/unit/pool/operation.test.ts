import { describe, expect, test } from "vitest";
import { ArgumentError, createClient } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { createFakeNetwork, createFakeNode } from "../../../src/testing/index.js";
import { PooledNetwork } from "../../support/pooled-network.js";
import { recorder } from "../../support/recorder.js";

describe("a check of the nodes of a pool", () => {
  test("asks every node now, and resolves to the status of all", async () => {
    const nodes = [{ lag: 600 }, {}, { down: true }, {}, {}];
    const net = new PooledNetwork({ data: { nodes }, latency: [10, 20, 30, Infinity, 40] });
    net.advance(700);
    const status = await net.run(net.pool.check({ timeout: 3000 }));
    expect(net.asked.sort()).toEqual([0, 1, 2, 3, 4]);
    expect(status.map(({ state }) => state)).toEqual(["lagging", "ready", "cooling-down", "cooling-down", "ready"]);
    expect(status).toEqual(net.pool.status);
    expect(net.clock.now()).toBe(3000);
  });

  test.each([100, 400])("shows nodes that have responded before, but not within %i ms", async (timeout) => {
    const network = createFakeNetwork({ nodes: 3 });
    const pool = nodePool(network.nodes.map(({ url }) => url));
    createClient({ baseUrl: pool, fetch: network.fetch });
    await pool.check();
    for (const node of network.nodes) node.configure({ faults: [{ name: "latency", milliseconds: Infinity }] });
    const late = { state: "cooling-down", error: expect.stringContaining("took longer") };
    expect(await pool.check({ timeout })).toMatchObject([late, late, late]);
  });

  test("does not wait longer for a node whose rate limit is used up", async () => {
    const refuses = { name: "status", status: 429, headers: { "Retry-After": "20" }, request: 1 } as const;
    const net = new PooledNetwork({ data: { nodes: [{ faults: [refuses] }, {}] }, latency: [0, 0] });
    await net.run(net.pool.check());
    const [busy, ready] = await net.run(net.pool.check({ timeout: 2000 }));
    expect(busy).toMatchObject({ state: "cooling-down", error: expect.stringContaining("429") });
    expect(ready?.state).toBe("ready");
    expect(net.clock.now()).toBeLessThanOrEqual(2001);
  });

  test("leaves the state of a node as it is if the check waits for the rate limit behind other calls", async () => {
    const net = new PooledNetwork({ data: { nodes: [{}] }, node: { rateLimit: { rate: 1, burst: 1 } } });
    await net.run(net.pool.check());
    const calls = Array.from({ length: 5 }, () => net.client.getSpamStatistics({ partyId: "a1" }));
    expect(await net.run(net.pool.check({ timeout: 2000 }))).toMatchObject([{ state: "ready", error: undefined }]);
    await net.run(Promise.all(calls));
  });

  test("returns nodes that are cooling down to service as soon as they respond", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ down: true }, {}] } });
    for (let check = 0; check < 6; check++) {
      await net.run(net.pool.check());
      await net.sleep(60_000);
    }
    const [failing] = await net.run(net.pool.check());
    expect(Number(failing?.until) - net.clock.date()).toBeGreaterThan(20_000);
    expect(Number(failing?.until) - net.clock.date()).toBeLessThanOrEqual(60_000);
    net.network.nodes[0]?.configure({ down: false });
    const [healed] = await net.run(net.pool.check());
    expect(healed).toMatchObject({ state: "ready", until: undefined, error: undefined });
  });

  test("compares nodes that respond one after the other as if all had responded at once", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ lag: 8 }, {}] }, pool: { maxLag: 6000 }, latency: [10, 4000] });
    net.advance(20);
    const status = await net.run(net.pool.check());
    expect(status.map(({ state }) => state)).toEqual(["ready", "ready"]);
  });

  test.each(["v0.74", "v0.79"] as const)("reads from when on each node keeps history, of %s nodes", async (version) => {
    const { records } = createFakeNode({ balances: 300 });
    const times = records.balances.map(({ timestamp }) => BigInt(timestamp)).sort((a, b) => Number(a - b));
    const [whole, pruned] = [{}, { history: times[150] }].map((options) =>
      createFakeNode({ balances: 300 }, { ...options, version, rateLimit: false }),
    );
    const empty = createFakeNode({ balances: [] }, { version, rateLimit: false });
    const fakes = new Map(
      Object.entries({ whole, pruned, empty }).map(([name, fake]) => [`https://${name}.example`, fake]),
    );
    const pool = nodePool([...fakes.keys(), "https://down.example"]);
    let failing = "";
    const fetch = async (request: Request) => {
      const fake = fakes.get(new URL(request.url).origin);
      if (!fake) throw new TypeError("refused");
      if (failing && request.url.startsWith(failing)) return new Response("Server error", { status: 500 });
      return await fake.fetch(request);
    };
    createClient({ baseUrl: pool, fetch });
    const starts = async (options = {}) => (await pool.check(options)).map(({ historyStart }) => historyStart);
    const all = [times[0], times[150], undefined, undefined];
    expect(await starts({ history: true })).toEqual(all);
    expect(pool.status.map(({ error }) => error === undefined)).toEqual([true, true, true, false]);
    expect(await starts()).toEqual(all);
    failing = "https://pruned.example/api/v2/balance/changes";
    expect(await starts({ history: true })).toEqual([times[0], undefined, undefined, undefined]);
    expect(pool.status[1]).toMatchObject({ state: "ready" });
    failing = "";
    expect(await starts({ history: true })).toEqual(all);
    fakes.delete("https://pruned.example");
    expect(await starts({ history: true })).toEqual([times[0], undefined, undefined, undefined]);
  });

  test.each([
    [2000, true, 4000],
    [3000, false, 5000],
  ])("waits for both requests of a node for `timeout`, at %i ms each", async (latency, isRead, duration) => {
    const net = new PooledNetwork({ data: { nodes: 1 }, latency: [latency] });
    const [status] = await net.run(net.pool.check({ timeout: 5000, history: true }));
    expect([status?.historyStart !== undefined, net.clock.now()]).toEqual([isRead, duration]);
  });

  test("rejects with the reason of the caller's signal", async () => {
    const net = new PooledNetwork({ latency: Array(3).fill(Number.POSITIVE_INFINITY) });
    const controller = new AbortController();
    net.clock.after(100, () => controller.abort("enough"));
    await expect(net.run(net.pool.check({ signal: controller.signal }))).rejects.toBe("enough");
    expect(net.clock.pending).toBe(0);
  });

  test("sends with the first client that was created with the pool, whichever others are created later", async () => {
    const pool = nodePool(["https://a.example"]);
    const { fetch, sent } = recorder(async () => Response.json({ signatures: {} }));
    const client = createClient({ baseUrl: pool, headers: { "X-Key": "first" }, fetch });
    client.withOptions({ headers: { "X-Key": "second" }, validate: () => Promise.reject(new Error("not its own")) });
    createClient({ baseUrl: pool, fetch: () => Promise.reject(new Error("another client")) });
    expect(await pool.check()).toMatchObject([{ state: "ready" }]);
    expect(sent).toMatchObject([{ headers: { "x-key": "first" } }]);
  });

  test("needs a client, and refuses wrong options", async () => {
    const pool = nodePool(["https://a.example"]);
    await expect(pool.check()).rejects.toThrow("`nodes` has no client yet");
    createClient({ baseUrl: pool });
    await expect(pool.check({ timeouts: 1 } as object)).rejects.toThrow("check has no option `timeouts`");
    await expect(pool.check({ timeout: -1 })).rejects.toBeInstanceOf(ArgumentError);
  });
});
