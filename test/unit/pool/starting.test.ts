import { describe, expect, test } from "vitest";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";

/** A network whose first node has no block yet: it was just started, or waits for its restore. */
function networkOf(options: PooledNetworkOptions = {}): PooledNetwork {
  const net = new PooledNetwork({ ...options, pool: { order: "given" } });
  net.starting.add(0);
  return net;
}

describe("a node of a pool that has no block yet", () => {
  test("decides nothing: a reading with an open start has all records of the other nodes", async () => {
    for (const order of ["oldest-first", "newest-first"] as const) {
      const [walked, scanned] = [networkOf(), networkOf()];
      const pagination = { first: 30, newestFirst: order === "newest-first" };
      expect(await walked.run(walked.client.listBalanceChanges({ pagination }).toArray())).toHaveLength(100);
      expect(await scanned.run(scanned.client.scanBalanceChanges({}, { order }).toArray())).toHaveLength(100);
    }
  });

  test("is not ready, gets no transaction, and serves calls as soon as it has a block", async () => {
    const net = networkOf();
    const { response, stale } = await net.read();
    expect([net.nodeOf(response), stale]).toEqual([1, false]);
    await net.run(net.client.checkTransaction({ tx: { version: "TX_VERSION_V3" } as never }));
    expect(net.network.nodes[0]?.requests).toEqual([]);
    const [status] = await net.run(net.pool.check());
    expect(status).toMatchObject({ state: "lagging", height: 0n, lag: undefined });
    net.starting.clear();
    await net.run(net.pool.check());
    expect(net.nodeOf((await net.read()).response)).toBe(0);
  });

  test("that is the only one serves single calls with `stale`, and no list", async () => {
    const net = networkOf({ data: { nodes: 1 } });
    expect((await net.read()).stale).toBe(true);
    const list = net.client.listBalanceChanges({ pagination: { newestFirst: false } });
    await expect(net.run(list.toArray())).rejects.toMatchObject({ reason: "behind", block: { height: 0n } });
  });
});
