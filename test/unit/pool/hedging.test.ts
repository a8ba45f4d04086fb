import { describe, expect, test } from "vitest";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";

const silent = Number.POSITIVE_INFINITY;
const partyId = "ab".repeat(32);
const hedges = ({ events }: PooledNetwork) => events.filter((event) => event.type === "hedge");

/** A network whose nodes have responded once, in the order in which they were given. */
async function warm(options: PooledNetworkOptions = {}): Promise<PooledNetwork> {
  const net = new PooledNetwork({ ...options, pool: { order: "given", ...options.pool } });
  for (const node of net.urls) await net.read({ node });
  net.asked.length = 0;
  net.events.length = 0;
  return net;
}

/** How long a read takes. */
async function timed(net: PooledNetwork, read: () => Promise<unknown> = () => net.read()): Promise<number> {
  const before = net.clock.now();
  await read();
  return net.clock.now() - before;
}

const readMany = (net: PooledNetwork, count: number) =>
  net.run(Promise.all(Array.from({ length: count }, () => net.client.getSpamStatistics({ partyId }))));

describe("a read whose node does not respond", () => {
  // Three times as long as a response usually takes, or half a second if that is enough for a usual response.
  test.each([
    [100, 300],
    [250, 500],
    [400, 600],
  ])("that usually takes %i ms goes to another node after %i ms, and one response wins", async (latency, delay) => {
    const net = await warm({ latency: [latency, latency, latency] });
    net.latency[0] = silent;
    expect(await timed(net)).toBe(delay + latency);
    expect(net.asked).toEqual([0, 1]);
    const [from, to] = net.urls;
    expect(hedges(net)).toMatchObject([{ from, to, delay, operation: "getSpamStatistics" }]);
    expect(net.clock.pending).toBe(0);
  });

  test("goes to two nodes within a second, to two more within the next one, and leaves none in flight", async () => {
    const net = await warm({ data: { nodes: 6 } });
    net.latency = [silent, silent, silent, silent, silent, 10];
    const before = net.clock.date();
    await net.read();
    const attempts = net.events.filter(({ type }) => type === "attempt");
    expect(attempts.map(({ time }) => time - before)).toEqual([0, 50, 1000, 1050, 2000, 2050]);
    expect([net.open, net.clock.pending]).toEqual([0, 0]);
  });

  test("leaves the node after it was silent twice, which other calls notice that wait for it", async () => {
    const net = await warm({ node: { rateLimit: false } });
    net.latency[0] = silent;
    expect(await timed(net, () => readMany(net, 60))).toBeLessThan(300);
    expect(net.pool.status[0]?.state).toBe("cooling-down");
  });

  test("goes once more to a node that failed, instead of waiting for the silent one", async () => {
    const net = await warm({ data: { nodes: 2 } });
    net.latency[0] = silent;
    net.network.nodes[1]?.configure({ faults: [{ name: "reset", request: 1 }] });
    expect(await timed(net)).toBeLessThan(1500);
    expect(net.asked).toEqual([0, 1, 1]);
    expect([net.open, net.clock.pending]).toEqual([0, 0]);
  });

  test("teaches the pool also if the caller aborts it", async () => {
    const net = await warm({ data: { nodes: 2 } });
    net.latency = [silent, silent];
    const controller = new AbortController();
    net.clock.after(2000, () => controller.abort(new Error("too late")));
    const call = net.client.getSpamStatistics({ partyId }, { signal: controller.signal });
    await expect(net.run(call)).rejects.toThrow("too late");
    expect(net.pool.status.map(({ state }) => state)).toEqual(["cooling-down", "cooling-down"]);
    net.latency[1] = 10;
    expect(await timed(net)).toBeLessThan(200);
  });
});

describe("one silent node", () => {
  const cases = [2, 3].flatMap((nodes) => (["fastest", "given"] as const).map((order) => ({ nodes, order })));
  test.each(cases)("of $nodes, $order, fails no call, and few take longer", async ({ nodes, order }) => {
    const net = new PooledNetwork({ data: { nodes }, pool: { order }, latency: [silent, 40, 40] });
    const durations: number[] = [];
    for (let call = 0; call < 300; call++) {
      durations.push(await timed(net));
      await net.sleep(250);
    }
    durations.sort((a, b) => a - b);
    // The first call, and the calls that find out after a cool-down that it is still silent.
    expect(durations.at(-9)).toBeLessThanOrEqual(41);
    expect(durations.at(-2)).toBeLessThanOrEqual(4 * 40);
    expect(durations.at(-1)).toBeLessThanOrEqual(1040);
  });

  test("is asked again after a cool-down that doubles, with a hedge, and is used again once it responds", async () => {
    const net = await warm({ data: { nodes: 2 }, latency: [60, 20] });
    net.latency[0] = silent;
    for (let call = 0; call < 3; call++) await net.read();
    const durations: number[] = [];
    for (let call = 0; call < 100; call++) {
      await net.sleep(250);
      durations.push(await timed(net));
    }
    expect(Math.max(...durations)).toBeLessThanOrEqual(200);
    expect(durations.filter((duration) => duration > 20).length).toBeLessThanOrEqual(6);
    net.latency[0] = 60;
    for (let call = 0; call < 300; call++) {
      await net.sleep(250);
      await net.read();
    }
    expect(net.pool.status[0]).toMatchObject({ state: "ready", error: undefined });
    expect(net.pool.status[0]?.latency).toBeCloseTo(60);
    net.asked.length = 0;
    await net.read();
    expect(net.asked).toEqual([0]);
  });

  test("of three is asked by one of many calls at once after its cool-down", async () => {
    const net = await warm({ latency: [20, 20, 20] });
    net.latency[0] = silent;
    for (let call = 0; call < 3; call++) await net.read();
    expect(net.pool.status[0]?.state).toBe("cooling-down");
    await net.sleep(1500);
    net.asked.length = 0;
    await readMany(net, 10);
    expect(net.asked.filter((node) => node === 0)).toHaveLength(1);
  });
});

describe("a transaction check", () => {
  const tx = { version: "TX_VERSION_V3" } as never;
  const check = (net: PooledNetwork, options = {}) => net.run(net.client.checkTransaction({ tx }, options));
  const checks = ({ network }: PooledNetwork) =>
    network.nodes.map(({ requests }) => requests.filter((each) => each.operation === "checkTransaction").length);

  test("goes to one fresh node, after a read that compares the nodes if that was not done within maxLag", async () => {
    const net = new PooledNetwork({ data: { nodes: [{ lag: 600 }, {}, {}] }, latency: [1, 30, 40] });
    net.advance(700);
    await check(net);
    expect([
      [0, 1, 0],
      [0, 0, 1],
    ]).toContainEqual(checks(net));
    net.asked.length = 0;
    await check(net);
    expect(net.asked).toHaveLength(1);
  });

  test.each([0, 1])("is sent soon, although one of two nodes is silent: node %i", async (node) => {
    const net = new PooledNetwork({ data: { nodes: 2 }, client: { timeout: 30_000 } });
    net.latency[node] = silent;
    for (let count = 0; count < 6; count++) {
      expect(await timed(net, () => check(net).catch(() => {}))).toBeLessThan(1200);
      await net.sleep(20_000);
    }
    expect(checks(net).reduce((a, b) => a + b)).toBe(6);
  });

  test.each([
    ["after a lost connection", { name: "reset" }, {}],
    ["after an error", { name: "status", status: 503 }, {}],
    ["after a rejection because of the rate", { name: "status", status: 429 }, {}],
    ["to a node that the caller has named", { name: "status", status: 503 }, { node: "https://node-1.example" }],
  ] as const)("is never sent twice: %s", async (_, fault, options) => {
    const net = await warm({ node: { faults: [{ ...fault, operation: "checkTransaction" }] } });
    net.latency = [900, 900, 900];
    await expect(check(net, options)).rejects.toMatchObject({ node: expect.stringMatching(/node-/), attempts: 1 });
    expect(checks(net).reduce((a, b) => a + b)).toBe(1);
  });

  test("sends nothing of the transaction if no node responds", async () => {
    const net = new PooledNetwork({ node: { down: true } });
    await expect(check(net)).rejects.toMatchObject({ name: "ConnectionError" });
    expect(checks(net)).toEqual([0, 0, 0]);
  });
});
