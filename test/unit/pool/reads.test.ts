import { describe, expect, test } from "vitest";
import { ApiError, createClient, VegaError } from "../../../src/index.js";
import { nodePool } from "../../../src/pool/index.js";
import { PooledNetwork } from "../../support/pooled-network.js";
import { rejectionOf } from "../../support/recorder.js";

const silent = Number.POSITIVE_INFINITY;
const failovers = ({ events }: PooledNetwork) => events.filter((event) => event.type === "failover");
const partyId = "ab".repeat(32);

describe("a read of a client of several nodes", () => {
  test("goes to one node, also if none was heard before", async () => {
    const net = new PooledNetwork();
    for (let read = 0; read < 5; read++) {
      net.asked.length = 0;
      await net.read();
      expect(net.asked).toHaveLength(1);
      await net.sleep(20_000);
      net.advance(20);
    }
  });

  test("goes to the faster node, whose earlier requests have ended", async () => {
    const net = new PooledNetwork({ data: { nodes: 2 }, latency: [20, 10] });
    await net.run(net.pool.check());
    net.asked.length = 0;
    for (let call = 0; call < 5; call++) await net.read();
    expect(net.asked).toEqual([1, 1, 1, 1, 1]);
  });

  test("never returns the response of a node that lags by more than maxLag, once another one was heard", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ lag: 600 }, {}, {}] }, latency: [1, 50, 60] });
    net.advance(700);
    await net.read({ node: net.urls[1] ?? "" });
    for (let call = 0; call < 200; call++) {
      const { block, stale } = await net.read();
      expect([block?.height, stale]).toEqual([net.network.block.height, false]);
    }
    expect(net.pool.status.map(({ state }) => state)).toEqual(["lagging", "ready", "ready"]);
    // Nodes are taken to go on while they are not asked, which those of the test do not: ten seconds at most.
    expect(Math.abs((net.pool.status[0]?.lag ?? 0) - 600_000)).toBeLessThanOrEqual(12_000);
    // Once after each cool-down, of 1, 2, 4 and so on seconds in about ten seconds.
    expect(net.asked.filter((node) => node === 0).length).toBeLessThan(6);
    expect(failovers(net)[0]).toMatchObject({ cause: "lag", operation: "getSpamStatistics", error: undefined });
    expect(failovers(net).every(({ cause }) => cause === "lag")).toBe(true);
  });

  test("is never older than one before without a mark, also after a sleep in which the clock of the machine stood still", async () => {
    const net = new PooledNetwork({ data: { nodes: 3 }, latency: [10, 20, 30] });
    await net.run(net.pool.check());
    net.advance(3600);
    net.network.nodes[1]?.configure({ lag: 600 });
    let newest = 0n;
    for (let call = 0; call < 100; call++) {
      const { block, stale } = await net.read();
      expect(stale || (block?.height ?? 0n) >= newest).toBe(true);
      if (block && block.height > newest) newest = block.height;
    }
  });

  test("is fresh although a node named a time far ahead while the others were down", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ lag: -1_000_000 }, { down: true }, { down: true }] } });
    net.advance(50);
    await net.read();
    for (const node of net.network.nodes) node.configure({ lag: 0, down: false });
    net.network.nodes[0]?.configure({ down: true });
    const stale: boolean[] = [];
    for (let call = 0; call < 5; call++) {
      await net.sleep(60_000);
      net.advance(60);
      stale.push((await net.read()).stale);
    }
    expect(stale.slice(-3)).toEqual([false, false, false]);
  });

  test("returns the freshest response and says that it is stale if no node gives a fresh one", async () => {
    const net = new PooledNetwork({ pool: { order: "given" }, data: { nodes: 2 } });
    net.advance(20);
    await net.read();
    net.network.nodes[0]?.configure({ lag: 3 });
    net.network.nodes[1]?.configure({ lag: 2 });
    const { response, stale } = await net.read();
    expect([net.nodeOf(response), stale]).toEqual([1, true]);
    expect((await net.run(Promise.resolve(net.client.listVotes({ partyId })))).stale).toBe(true);
  });

  test("keeps its node, and that it is stale, if middleware replaces it", async () => {
    const net = new PooledNetwork({ pool: { order: "given" }, data: { nodes: 2 } });
    net.client.http.use({ onResponse: async ({ response }) => new Response(await response.text(), response) });
    expect(await net.read()).toMatchObject({ node: net.urls[0], stale: false });
    net.advance(20);
    await net.read();
    for (const node of net.network.nodes) node.configure({ lag: 3 });
    expect(await net.read()).toMatchObject({ node: net.urls[0], stale: true });
  });

  test("is compared with what its own client has returned, not with other clients", async () => {
    const net = new PooledNetwork({ data: { nodes: 2 } });
    net.advance(50);
    await net.read();
    for (const node of net.network.nodes) node.configure({ lag: 3 });
    expect((await net.read()).stale).toBe(true);
    const client = createClient({ baseUrl: net.pool, fetch: net.network.fetch });
    expect((await net.run(client.getSpamStatistics({ partyId }).withResponse())).stale).toBe(false);
  });
});

describe("a node that fails", () => {
  test("is asked once after each cool-down, while another node responds to every call at once", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ down: true }, {}, {}] }, latency: [1, 20, 20] });
    for (let call = 0; call < 300; call++) {
      const before = net.clock.now();
      await net.read();
      expect(net.clock.now() - before).toBeLessThanOrEqual(41);
    }
    const coolDowns = Math.ceil(Math.log2(net.clock.now() / 500 + 1));
    expect(net.asked.filter((node) => node === 0).length).toBeLessThanOrEqual(coolDowns + 1);
    const error = expect.stringContaining("node-1.example");
    expect(net.pool.status[0]).toMatchObject({ state: "cooling-down", error });
  });

  test("that bans the client is not asked until the ban ends", async () => {
    const faults = [{ name: "status" as const, status: 403, headers: { "RateLimit-Retry-After": "600" }, request: 1 }];
    const net = new PooledNetwork({ data: { nodes: [{ faults }, {}] }, pool: { order: "given" } });
    await net.read();
    expect(Number(net.pool.status[0]?.until) - net.clock.date()).toBeGreaterThan(590_000);
    for (let call = 0; call < 5; call++) {
      await net.sleep(100_000);
      await net.read();
    }
    expect(net.asked.filter((node) => node === 0)).toHaveLength(1);
    await net.sleep(100_000);
    await net.read();
    await net.read();
    expect(net.asked.filter((node) => node === 0).length).toBeGreaterThan(1);
  });

  test("with a request that is wrong does not cool down, and the call is not repeated", async () => {
    const net = new PooledNetwork();
    await net.read();
    net.asked.length = 0;
    const error = await net.run(rejectionOf(net.client.listNodeSignatures({ id: "aa", pagination: { first: 6000 } })));
    expect(ApiError.is(error) && error.status).toBe(400);
    expect(VegaError.is(error) && error.node).toMatch(/^https:\/\/node-\d\.example$/);
    expect(net.asked).toHaveLength(1);
    expect(net.pool.status.every(({ state }) => state === "ready" || state === "unknown")).toBe(true);
  });

  test.each([301, 404, 407])("by its address is left out: a %i of a proxy does not end the call", async (status) => {
    const proxy = { blockHeaders: false, faults: [{ name: "status" as const, status }] };
    const net = new PooledNetwork({ data: { nodes: [proxy, {}] }, pool: { order: "given" } });
    expect((await net.read()).data).toHaveProperty("statistics");
    expect(net.pool.status[0]?.state).toBe("cooling-down");
  });
});

describe("a call to a pool whose nodes all fail", () => {
  test("rejects with one error that names each node and what it said", async () => {
    const net = new PooledNetwork({ node: { down: true } });
    const error = await rejectionOf(net.read());
    if (!VegaError.is(error)) throw error;
    for (const url of net.urls) expect(error.message).toContain(`${url}: getSpamStatistics received no response`);
    expect(error.failures?.map(({ node }) => node).sort()).toEqual(net.urls);
    expect(error.failures?.[0]).toMatchObject({ name: "ConnectionError" });
    expect(error.toJSON()).toMatchObject({ name: "ConnectionError", node: error.node, attempts: 4 });
  });

  test("says why it does not try again if all of them ask for a long wait", async () => {
    const fault = { name: "status" as const, status: 503, headers: { "Retry-After": "120" } };
    const net = new PooledNetwork({ data: { nodes: 2 }, node: { faults: [fault] } });
    await expect(net.read()).rejects.toThrow(/Not retried: .* 120 s.* · .*Not retried: .* 120 s/);
    expect(net.asked.sort()).toEqual([0, 1]);
    for (const retry of [false, { attempts: 1 }] as const) {
      const error = await net.run(rejectionOf(net.client.getSpamStatistics({ partyId }, { retry })));
      expect(String(error)).not.toContain("Not retried");
    }
    const check = net.client.checkTransaction({ tx: { pubKey: "ab" } }, { node: net.urls[0] });
    expect(String(await net.run(rejectionOf(check)))).not.toContain("Not retried");
  });

  test.each([
    [90, 60],
    [60, 90],
  ])(
    "rejects with the limit that ends first if nodes are limited for %i and %i s and one is down",
    async (...waits) => {
      const net = new PooledNetwork({ data: { nodes: [{}, {}, { down: true }] } });
      for (const [node, wait] of waits.entries()) {
        const headers = { "RateLimit-Retry-After": `${wait}` };
        net.network.nodes[node]?.configure({ faults: [{ name: "status", status: 403, headers }] });
      }
      const error = await rejectionOf(net.read());
      expect(error).toMatchObject({
        name: "RateLimitError",
        banned: true,
        retryAfter: 60,
        node: net.urls[waits.indexOf(60)],
      });
      expect((error as { failures: unknown }).failures).toHaveLength(3);
    },
  );

  test("rejects with the error of the node if there is only one", async () => {
    const error = await rejectionOf(new PooledNetwork({ data: { nodes: [{ down: true }] } }).read());
    expect(error).toMatchObject({ node: "https://node-1.example" });
    expect(error).not.toHaveProperty("failures");
    expect(String(error)).not.toContain("failed on");
  });

  test("rejects with what the caller's own code throws, as it is", async () => {
    const own = new Error("the caller's own");
    const validate = () => {
      throw own;
    };
    expect(await rejectionOf(new PooledNetwork({ client: { validate } }).read())).toBe(own);
    expect(own).not.toHaveProperty("node");
  });

  test("ends after its totalTimeout and leaves nothing in flight", async () => {
    const net = new PooledNetwork({ latency: [silent, silent, silent], client: { totalTimeout: 3000 } });
    await expect(net.read()).rejects.toMatchObject({ name: "TimeoutError", scope: "total" });
    expect(net.clock.now()).toBe(3000);
    expect(net.clock.pending).toBe(0);
  });
});

describe("a call with the option `node`", () => {
  test("goes to that node alone and is retried there, also if it lags or cools down", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ lag: 600 }, {}, {}] } });
    net.advance(700);
    for (let call = 0; call < 3; call++) await net.read();
    net.asked.length = 0;
    net.network.nodes[0]?.configure({ faults: [{ name: "status", status: 503, request: 1 }] });
    const { response, stale } = await net.read({ node: "https://node-1.example/" });
    expect([net.nodeOf(response), stale]).toEqual([0, true]);
    expect(net.asked).toEqual([0, 0]);
  });

  test("rejects with an ArgumentError for an address that is not in the pool", async () => {
    const net = new PooledNetwork();
    const expected = "Expected `node` of getSpamStatistics to be one of the pool: https://node-1";
    const message = expect.stringContaining(expected);
    const call = net.client.getSpamStatistics({ partyId }, { node: "https://other.example" });
    await expect(call).rejects.toMatchObject({ name: "ArgumentError", message });
    expect(net.asked).toEqual([]);
  });

  test("rejects with an ArgumentError for a client of one node", async () => {
    const node = "https://node-1.example";
    const client = createClient({ baseUrl: node, fetch: () => Promise.reject(new Error("sent")) });
    const message = "`node` of listVotes is for clients with a pool; this client has one node. Omit it.";
    await expect(client.listVotes({ partyId }, { node })).rejects.toMatchObject({ name: "ArgumentError", message });
  });
});

test("the events of a client of several nodes name their node, and a failover names both and the error", async () => {
  const net = new PooledNetwork({ data: { nodes: 2 }, pool: { order: "given" } });
  await net.read();
  net.network.nodes[0]?.configure({ down: true });
  net.events.length = 0;
  await net.read();
  const [from, to] = net.urls;
  const error = { name: "ConnectionError" };
  expect(net.events).toMatchObject([
    { type: "attempt", node: from },
    { type: "response", node: from },
    { type: "failover", node: from, from, to, cause: "error", operation: "getSpamStatistics", error },
    { type: "attempt", node: to },
    { type: "response", node: to },
  ]);
});

test("the event of a response has how long the attempt took", async () => {
  const net = new PooledNetwork({ data: { nodes: 1 }, latency: [40] });
  await net.sleep(1000);
  await net.read();
  expect(net.events).toContainEqual(expect.objectContaining({ type: "response", duration: 40, status: 200 }));
});

test("a call waits before it asks a node again, and reports for how long, and why", async () => {
  const faultOf = (status: number) => ({ faults: [{ name: "status" as const, status, request: 1 }] });
  const net = new PooledNetwork({ data: { nodes: [faultOf(503), faultOf(502)] }, pool: { order: "given" } });
  await net.read();
  const { node, delay } = net.events.find(({ type }) => type === "retry") as { node: string; delay: number };
  const status = node === net.urls[0] ? 503 : 502;
  const retry = { type: "retry", operation: "getSpamStatistics", attempt: 2, node, error: { status } };
  expect(net.events.filter(({ type }) => type === "retry")).toMatchObject([retry]);
  expect(delay).toBeGreaterThan(0);
  const attempts = net.events.filter(({ type }) => type === "attempt");
  expect(Number(attempts[2]?.time) - Number(attempts[1]?.time)).toBeGreaterThanOrEqual(delay);
});

test("a response of a node that the caller has named is no reference for other calls", async () => {
  const net = new PooledNetwork({ data: { nodes: [{ lag: 3 }, {}] }, pool: { order: "given" } });
  net.advance(20);
  await net.read({ node: net.urls[1] ?? "" });
  expect((await net.read()).stale).toBe(false);
  expect(net.asked).toEqual([1, 0]);
});

test("a node that rejects a request is not taken for silent by one that waits until it accepts requests", async () => {
  const fault = { name: "status" as const, status: 429, headers: { "Retry-After": "5" }, request: 1 };
  const net = new PooledNetwork({ data: { nodes: [{ faults: [fault] }] } });
  await expect(net.run(net.client.getSpamStatistics({ partyId }, { retry: false }))).rejects.toThrow("429");
  const controller = new AbortController();
  net.clock.after(2000, () => controller.abort(new Error("too late")));
  await net.sleep(1);
  const call = net.client.getSpamStatistics({ partyId }, { signal: controller.signal });
  await expect(net.run(call)).rejects.toThrow("too late");
  expect(net.pool.status[0]?.error).toContain("429");
});

describe("the options of a pool", () => {
  test.each([
    [[], {}, "Expected `urls` to be an array of addresses, got an empty array."],
    ["https://a.example", {}, "Expected `urls` to be an array of addresses"],
    [["https://a.example", "a b"], {}, "Expected `urls[1]` to be an address"],
    [["https://a.example", "https://a.example/"], {}, "Expected `urls[1]` to be an address that is not listed before"],
    [["https://a.example"], { maxLag: -1 }, "Expected `maxLag` to be a number of milliseconds"],
    [["https://a.example"], { order: "slowest" }, 'Expected `order` to be "fastest" or "given"'],
    [["https://a.example"], { staleness: "mark" }, "nodePool has no option `staleness`. Expected `maxLag`, `order`."],
  ])("%j with %j are refused", (urls, options, message) => {
    expect(() => nodePool(urls as string[], options as object)).toThrow(message);
  });

  test("are not asked for: a new pool has sent nothing and knows nothing", () => {
    expect(nodePool(["https://a.example/api/v2/", new URL("https://b.example/node")]).status).toMatchObject([
      { url: "https://a.example", state: "unknown", until: undefined, height: undefined },
      { url: "https://b.example/node", state: "unknown", until: undefined, height: undefined },
    ]);
  });

  test("have a status whose JSON has digits instead of bigints", async () => {
    const net = new PooledNetwork({ data: { nodes: 1 } });
    await net.read();
    const [status] = JSON.parse(JSON.stringify(net.pool.status));
    const { height, timestamp } = net.network.block;
    expect(status).toMatchObject({ state: "ready", height: String(height), timestamp: String(timestamp) });
  });
});

test.each([[[20, 20, 20]], [[5, 50, 100]]])("a cold burst is spread over nodes, latencies %j", async (latency) => {
  const net = new PooledNetwork({ latency, node: { rateLimit: { rate: 20, burst: 100 } } });
  await net.run(Promise.all(Array.from({ length: 600 }, () => net.client.getSpamStatistics({ partyId }))));
  expect(net.clock.now()).toBeLessThanOrEqual(7000);
  expect(net.asked.length).toBeLessThan(620);
});
