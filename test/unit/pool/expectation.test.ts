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
    http,
    pacing: true,
    limiter: undefined,
    validate: undefined,
  });
  const route = { ...routeOf(http, "getSpamStatistics"), read: ({ node }: { node: number }) => pageOf(node, days) };
  const params = { partyId: "ab".repeat(32) };
  const settings = { ...defaultSettings, timeout: 5000 };
  const send = (expectation: Expectation, keeps: readonly number[] = []) => {
    net.asked.length = 0;
    days = keeps;
    return net.run(connection.send({ ...route, params, settings, expectation }));
  };
  const causes = () => net.events.flatMap((event) => (event.type === "failover" ? event.cause : []));
  return { net, send, causes };
}

/** Only this node has the place. */
const placeOn = (node: number) => ({ continuesFrom: { records: [{ node }] } });

describe("a read that expects a block or a place", () => {
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
