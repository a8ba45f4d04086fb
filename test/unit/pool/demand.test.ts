import { describe, expect, test } from "vitest";
import { connect } from "../../../src/client/node-pool.js";
import { defaultSettings } from "../../../src/http/call-options.js";
import { type Demand, NotShown } from "../../../src/http/demand.js";
import { routeOf } from "../../../src/http/route.js";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";

/** A body that has the number of its node. */
interface Body {
  node: number;
}

/** Sends reads with demands to a pool whose nodes are asked in the order in which they were given. */
function setting({ latency = [10, 20, 30], data, ...options }: PooledNetworkOptions = {}) {
  const net = new PooledNetwork({ pool: { order: "given" }, data: { nodes: 3, ...data }, latency, ...options });
  const { http } = net.client;
  const connection = net.pool[connect]({
    fetch: async (request) => {
      const response = await net.send(request);
      return response.ok ? Response.json({ node: net.nodeOf(response) }, response) : response;
    },
    observe: (event) => net.events.push(event),
    session: {},
    routeOf: (id) => routeOf(http, id),
  });
  const route = { ...routeOf(http, "getSpamStatistics"), read: (body: Body) => body };
  const params = { partyId: "ab".repeat(32) };
  const settings = { ...defaultSettings, timeout: 5000 };
  const send = (demand: Demand<Body>) => {
    net.asked.length = 0;
    return net.run(connection.send(route, params, { settings, headers: undefined, signal: undefined, demand }));
  };
  const causes = () => net.events.flatMap((event) => (event.type === "failover" ? event.cause : []));
  return { net, send, causes };
}

describe("a read that demands a block or a place", () => {
  test("turns to the next node if a response lacks it", async () => {
    const { net, send, causes } = setting();
    const { data } = await send({ holdsPlace: ({ node }) => node === 2 });
    expect([data.node, net.asked, causes()]).toEqual([2, [0, 1, 2], ["place", "place"]]);
    await send({ lacksBlock: ({ data }) => data.node !== 1 });
    expect([net.asked, causes()]).toEqual([
      [0, 1],
      ["place", "place", "block"],
    ]);
  });

  test("rejects with the response of the latest block if none shows it, and asks no node twice", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 3 }, { lag: 1 }, { lag: 2 }] } });
    net.advance(10);
    const error = await send({ lacksBlock: () => true }).catch((error: unknown) => error);
    expect(NotShown.is(error) && [error.lack, error.shown?.data]).toEqual(["block", { node: 1 }]);
    expect(net.asked).toEqual([0, 1, 2]);
  });

  test("does not ask nodes that are cooling down, nor wait for one that is silent", async () => {
    const faults = [{ name: "status" as const, status: 429, headers: { "Retry-After": "20" } }];
    const { net, send } = setting({ data: { nodes: [{}, { faults }, {}] } });
    await send({ holdsPlace: ({ node }) => node === 2 });
    expect(net.asked).toEqual([0, 1, 2]);
    const before = net.clock.now();
    net.latency[2] = Number.POSITIVE_INFINITY;
    await expect(send({ holdsPlace: () => false })).rejects.toMatchObject({ lack: "place" });
    expect(net.asked).toEqual([0, 2]);
    expect(net.clock.now() - before).toBe(1010);
  });

  test("is served by a node that lags as by any other: what is past is final", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 600 }, {}, {}] } });
    net.advance(700);
    for (let read = 0; read < 3; read++) await net.read();
    expect(net.pool.status[0]?.state).toBe("lagging");
    const reply = await send({ lacksBlock: () => false });
    expect([reply.data.node, reply.stale, net.asked]).toEqual([0, false, [0]]);
  });

  test("knows whether any node has named a block", async () => {
    const { send } = setting();
    const named: boolean[] = [];
    const lacksBlock = (_: unknown, namesBlocks: boolean) => {
      named.push(namesBlocks);
      return false;
    };
    await send({ lacksBlock });
    expect(named.at(-1)).toBe(true);
  });

  test("returns a response without a block once no node has named one", async () => {
    const { net, send } = setting({ node: { version: "v0.74" } });
    net.withoutBlocks = true;
    const { block } = await send({ lacksBlock: ({ block }, namesBlocks) => block === undefined && namesBlocks });
    expect(block).toBeUndefined();
    expect([...net.asked].sort()).toEqual([0, 1, 2]);
  });

  test("asks the preferred node first, unless that is cooling down", async () => {
    const { net, send } = setting();
    const [, , prefer] = net.urls;
    expect((await send({ prefer })).data.node).toBe(2);
    net.network.nodes[2]?.configure({ down: true });
    expect((await send({ prefer })).data.node).toBe(0);
    expect(net.asked).toEqual([2, 0]);
    await send({ prefer });
    expect(net.asked).toEqual([0]);
  });
});

describe("a read that demands history", () => {
  const from =
    (...times: bigint[]) =>
    ({ data }: { data: Body }) =>
      times[data.node] ?? 0n;

  test("is served by the first node whose response reaches back far enough", async () => {
    const { net, send } = setting();
    const { data } = await send({ historyFrom: 5n, completeFrom: from(5n, 0n, 0n) });
    expect([data.node, net.asked]).toEqual([0, [0]]);
  });

  test("asks all other nodes at once if it does not, and returns the first response that does", async () => {
    const { net, send, causes } = setting({ latency: [10, 100, 40] });
    const { data } = await send({ historyFrom: 5n, completeFrom: from(9n, 5n, 5n) });
    expect([data.node, net.asked, causes()]).toEqual([2, [0, 1, 2], ["history"]]);
    expect(net.clock.now()).toBe(50);
    expect(net.clock.pending).toBe(0);
  });

  test("returns the response that reaches back furthest if none does, once all have responded or failed", async () => {
    const { net, send } = setting({ data: { nodes: 4 }, latency: [10, 1500, 10, 10] });
    net.network.nodes[3]?.configure({ down: true });
    const { data, stale } = await send({ historyFrom: 0n, completeFrom: from(9n, 7n, 8n, 1n) });
    expect([data.node, stale, net.clock.now()]).toEqual([1, false, 1510]);
  });

  test("waits for a silent node until the deadline of its attempt, and then no more while that cools down", async () => {
    const { net, send } = setting({ latency: [10, Number.POSITIVE_INFINITY, 20] });
    const demand = { historyFrom: 0n, completeFrom: from(9n, 1n, 8n) };
    expect((await send(demand)).data.node).toBe(2);
    expect(net.clock.now()).toBe(5010);
    expect((await send(demand)).data.node).toBe(2);
    expect(net.clock.now()).toBe(5040);
  });

  test("asks nodes that cool down because they are slow or lag, but not those that fail", async () => {
    const { net, send } = setting({
      data: { nodes: [{}, {}, { lag: 600 }, { down: true }] },
      latency: [10, 10, 10, 10],
    });
    net.advance(700);
    for (const node of net.urls) await net.read({ node }).catch(() => {});
    net.latency[1] = 1500;
    for (let read = 0; read < 3; read++) await send({ prefer: net.urls[1] });
    expect(net.pool.status.map(({ state }) => state)).toEqual(["ready", "cooling-down", "lagging", "cooling-down"]);
    const { data } = await send({ historyFrom: 0n, completeFrom: from(9n, 8n, 7n, 1n) });
    expect([data.node, net.asked]).toEqual([2, [0, 1, 2]]);
  });

  test("of responses that reach back equally far, returns the latest one", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 600 }, { lag: 1 }, {}] } });
    net.advance(700);
    const reply = await send({ isFresh: true, historyFrom: 0n, completeFrom: from(1n, 1n, 1n) });
    expect([reply.data.node, reply.stale]).toEqual([2, false]);
  });

  test("marks the response of a node that lags if it decides what is newest", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 600 }, {}, {}] } });
    net.advance(700);
    const reply = await send({ isFresh: true, historyFrom: 0n, completeFrom: from(1n, 2n, 2n) });
    expect([reply.data.node, reply.stale]).toEqual([0, true]);
  });
});
