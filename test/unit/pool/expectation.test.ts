import { describe, expect, test } from "vitest";
import { connect } from "../../../src/client/node-pool.js";
import type { ReceivedPage } from "../../../src/evidence/page.js";
import { defaultSettings } from "../../../src/http/call-options.js";
import { type Expectation, NotShown } from "../../../src/http/expectation.js";
import { routeOf } from "../../../src/http/route.js";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";

const day = 86_400_000_000_000n;

/** A page with one record, which has the number of its node and the day from which on that keeps records. */
const pageOf = (node: number, days: readonly number[]): ReceivedPage<Numbered> => ({
  edges: [{ cursor: "", node: { node, timestamp: String(BigInt(days[node] ?? 0) * day) } }],
  pageInfo: null,
  request: { pagination: { first: 1, newestFirst: false } },
});

interface Numbered {
  node: number;
  timestamp: string;
}

const nodeOf = ({ data: { edges } }: { data: ReceivedPage<Numbered> }) => edges[0]?.node?.node;

/** Sends reads with expectations to a pool whose nodes are asked in the order in which they were given. */
function setting({ latency = [10, 20, 30], data, ...options }: PooledNetworkOptions = {}) {
  const net = new PooledNetwork({ pool: { order: "given" }, data: { nodes: 3, ...data }, latency, ...options });
  const { http } = net.client;
  let days: readonly number[] = [];
  const connection = net.pool[connect]({
    fetch: async (request) => {
      const response = await net.send(request);
      return response.ok ? Response.json({ node: net.nodeOf(response) }, response) : response;
    },
    observe: (event) => net.events.push(event),
    session: {},
    routeOf: (id) => routeOf(http, id),
  });
  const route = { ...routeOf(http, "getSpamStatistics"), read: ({ node }: { node: number }) => pageOf(node, days) };
  const params = { partyId: "ab".repeat(32) };
  const settings = { ...defaultSettings, timeout: 5000 };
  const send = (expectation: Expectation, keeps: readonly number[] = []) => {
    net.asked.length = 0;
    days = keeps;
    return net.run(connection.send({ ...route, params, settings, headers: undefined, signal: undefined, expectation }));
  };
  const causes = () => net.events.flatMap((event) => (event.type === "failover" ? event.cause : []));
  return { net, send, causes };
}

/** Only this node has the place. */
const placeOn = (node: number) => ({ continuesFrom: { records: [{ node }] } });

describe("a read that expects a block or a place", () => {
  test("turns to the next node if a response lacks it", async () => {
    const { net, send, causes } = setting({ data: { nodes: [{ lag: 2 }, {}, {}] } });
    net.advance(10);
    const reply = await send(placeOn(2));
    expect([nodeOf(reply), net.asked, causes()]).toEqual([2, [0, 1, 2], ["place", "place"]]);
    await send({ minBlock: net.network.block.timestamp });
    expect([net.asked, causes()]).toEqual([
      [0, 1],
      ["place", "place", "block"],
    ]);
  });

  test("rejects with the response of the latest block if none shows it, and asks no node twice", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 3 }, { lag: 1 }, { lag: 2 }] } });
    net.advance(10);
    const error: unknown = await send({ minBlock: net.network.block.timestamp }).catch((error: unknown) => error);
    expect(NotShown.is(error) && [error.lack, nodeOf(error.shown as never)]).toEqual(["block", 1]);
    expect(net.asked).toEqual([0, 1, 2]);
  });

  test("lacks the block, for which it can wait, if a node that is behind has the place", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 3 }, {}, {}] } });
    net.advance(10);
    const expectation = { minBlock: net.network.block.timestamp, ...placeOn(0) };
    await expect(send(expectation)).rejects.toMatchObject({ lack: "block" });
  });

  test("is served by a node that lags as by any other: what is past is final", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 600 }, {}, {}] } });
    net.advance(700);
    for (let read = 0; read < 3; read++) await net.read();
    expect(net.pool.status[0]?.state).toBe("lagging");
    const reply = await send({});
    expect([nodeOf(reply), reply.stale, net.asked]).toEqual([0, false, [0]]);
  });

  test("lacks a block that is not named, once any node has named one", async () => {
    const { net, send } = setting();
    await send({ needsBlock: true });
    net.withoutBlocks = true;
    await expect(send({ needsBlock: true })).rejects.toMatchObject({ lack: "block" });
  });

  test("asks the preferred node first, unless that is cooling down", async () => {
    const { net, send } = setting();
    const [, , prefer] = net.urls;
    expect(nodeOf(await send({ prefer }))).toBe(2);
    net.network.nodes[2]?.configure({ down: true });
    expect(nodeOf(await send({ prefer }))).toBe(0);
    expect(net.asked).toEqual([2, 0]);
    await send({ prefer });
    expect(net.asked).toEqual([0]);
  });
});

describe("a read that expects history", () => {
  test("asks all other nodes at once if it does not, and returns the first response that does", async () => {
    const { net, send, causes } = setting({ latency: [10, 100, 40] });
    const reply = await send({ historyFrom: 5n * day }, [9, 5, 5]);
    expect([nodeOf(reply), net.asked, causes()]).toEqual([2, [0, 1, 2], ["history"]]);
    expect(net.clock.now()).toBe(50);
    expect(net.clock.pending).toBe(0);
  });

  test("returns the response that reaches back furthest if none does, once all have responded or failed", async () => {
    const { net, send } = setting({ data: { nodes: 4 }, latency: [10, 1500, 10, 10] });
    net.network.nodes[3]?.configure({ down: true });
    const reply = await send({ historyFrom: 0n }, [9, 7, 8, 1]);
    expect([nodeOf(reply), reply.stale, net.clock.now()]).toEqual([1, false, 1510]);
  });

  test("waits for a silent node until the deadline of its attempt, and then no more while that cools down", async () => {
    const { net, send } = setting({ latency: [10, Number.POSITIVE_INFINITY, 20] });
    const keeps = [9, 1, 8];
    expect(nodeOf(await send({ historyFrom: 0n }, keeps))).toBe(2);
    expect(net.clock.now()).toBe(5010);
    expect(nodeOf(await send({ historyFrom: 0n }, keeps))).toBe(2);
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
    const reply = await send({ historyFrom: 0n }, [9, 8, 7, 1]);
    expect([nodeOf(reply), net.asked]).toEqual([2, [0, 1, 2]]);
  });

  test("marks the response of a node that lags if it decides what is newest", async () => {
    const { net, send } = setting({ data: { nodes: [{ lag: 600 }, {}, {}] } });
    net.advance(700);
    const reply = await send({ isFresh: true, historyFrom: 0n }, [1, 2, 2]);
    expect([nodeOf(reply), reply.stale]).toEqual([0, true]);
  });
});
