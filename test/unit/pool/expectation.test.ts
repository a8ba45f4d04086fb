import { describe, expect, test } from "vitest";
import { connect } from "../../../src/client/node-pool.js";
import { defaultSettings } from "../../../src/http/call-options.js";
import type { Expectation } from "../../../src/http/expectation.js";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";

/** Sends reads with expectations to three nodes in order. They respond with a page whose record has the number of the node. */
function setting(data: PooledNetworkOptions["data"] = {}) {
  const net = new PooledNetwork({ pool: { order: "given" }, data: { nodes: 3, ...data }, latency: [10, 20, 30] });
  const { http } = net.client;
  const connection = net.pool[connect]({
    fetch: async (request) => {
      const response = await net.send(request);
      return Response.json({ node: net.nodeOf(response) }, response);
    },
    observe: undefined,
    session: {},
    http,
    headers: {},
    pacing: true,
    limiter: undefined,
    validate: undefined,
  });
  const request = { pagination: { first: 1, newestFirst: false } };
  const read = (node: object) => ({ edges: [{ cursor: "", node }], pageInfo: null, request });
  const defaults = { settings: defaultSettings, headers: {} };
  const called = { operation: "getSpamStatistics", described: "getSpamStatistics" } as const;
  const call = { ...called, read, params: { partyId: "a1" }, ...defaults };
  const send = (expectation: Expectation) => net.run(connection.send({ ...call, expectation }));
  return { net, send };
}

describe("a read that expects a block or a place", () => {
  test("rejects with the response of the latest block if none shows it, and asks no node twice", async () => {
    const { net, send } = setting({ nodes: [{ lag: 3 }, { lag: 1 }, { lag: 2 }] });
    net.advance(10);
    const shown = { data: { edges: [{ node: { node: 1 } }] } };
    const expectation = { minBlock: net.network.block.timestamp };
    await expect(send(expectation)).rejects.toMatchObject({ lack: "block", shown });
    expect(net.asked).toEqual([0, 1, 2]);
  });

  test("lacks a block that is not named, once any node has named one", async () => {
    const { net, send } = setting();
    await send({ needsBlock: true });
    net.withoutBlocks = true;
    await expect(send({ needsBlock: true })).rejects.toMatchObject({ lack: "block" });
  });
});
