import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { PooledNetwork, seeded } from "../../support/pooled-network.js";

const partyId = "ab".repeat(32);

describe("a response that goes back", () => {
  test("is always stale: 150 reads of nodes with changing lags, some at once", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = seeded(seed);
      const net = new PooledNetwork({ random, latency: [10, 25, 40], data: { nodes: 1 + (seed % 3) } });
      net.advance(50);
      let newest = 0n;
      for (let turn = 0; turn < 50; turn++) {
        if (random() < 0.5) net.advance(1);
        for (const node of net.network.nodes) if (random() < 0.3) node.configure({ lag: Math.floor(random() * 3) });
        const reads = Array.from({ length: 3 }, async () => {
          const { block, stale } = await net.client.getSpamStatistics({ partyId }).withResponse();
          if (stale) return;
          expect(block?.height).toBeGreaterThanOrEqual(newest);
          newest = block?.height ?? newest;
        });
        await net.run(Promise.all(reads));
      }
    }
  });

  test("is stale also if the caller has named its node", async () => {
    const net = new PooledNetwork({ data: { nodes: [{}, { lag: 2 }] } });
    net.advance(5);
    await net.read();
    expect((await net.read({ node: net.urls[1] as string })).stale).toBe(true);
    expect((await net.read({ node: net.urls[0] as string })).stale).toBe(false);
  });
});

describe("a block that was believed", () => {
  const trusting = async (nodes: number) => {
    // All others are down, so that nothing contradicts the first one.
    const net = new PooledNetwork({
      data: { nodes: [{ lag: -1_000_000_000 }, ...Array.from({ length: nodes - 1 }, () => ({ down: true }))] },
    });
    await net.read();
    for (const [index, node] of net.network.nodes.entries()) node.configure({ lag: 0, down: index === 0 });
    await net.sleep(60_000);
    return net;
  };

  test.each([3, 4])(
    "of one of %i nodes makes no response stale for good, once two others have a lower one",
    async (nodes) => {
      const net = await trusting(nodes);
      const marks: boolean[] = [];
      for (let call = 0; call < 20; call++) {
        marks.push((await net.read()).stale);
        await net.sleep(1000);
      }
      expect(marks.slice(5)).toEqual(Array.from({ length: 15 }, () => false));
    },
  );

  test("is forgotten if the chain of all nodes was reset, after the first response that goes back", async () => {
    const net = new PooledNetwork({ data: { nodes: 3 } });
    net.advance(5000);
    for (let call = 0; call < 5; call++) await net.read();
    for (const node of net.network.nodes) node.configure({ lag: 5000 });
    const marks: boolean[] = [];
    for (let call = 0; call < 10; call++) {
      marks.push((await net.read()).stale);
      await net.sleep(1000);
    }
    expect(marks[0]).toBe(true);
    expect(marks.slice(3)).toEqual(Array.from({ length: 7 }, () => false));
  });

  test("is kept while the nodes are a few blocks behind", async () => {
    const net = new PooledNetwork({ data: { nodes: 3 } });
    net.advance(50);
    for (let call = 0; call < 5; call++) await net.read();
    for (const node of net.network.nodes) node.configure({ lag: 3 });
    for (let call = 0; call < 30; call++) {
      expect((await net.read()).stale).toBe(true);
      await net.sleep(1000);
    }
    net.advance(3);
    expect((await net.read()).stale).toBe(false);
  });

  test("is not shared by clients that were created anew", async () => {
    const net = new PooledNetwork({ data: { nodes: 2 } });
    net.advance(50);
    await net.read();
    for (const node of net.network.nodes) node.configure({ lag: 3 });
    expect((await net.read()).stale).toBe(true);
    const client = createClient({ baseUrl: net.pool, fetch: net.network.fetch });
    expect((await net.run(client.getSpamStatistics({ partyId }).withResponse())).stale).toBe(false);
  });
});
