import { describe, expect, test } from "vitest";
import { PooledNetwork } from "../../support/pooled-network.js";

const partyId = "ab".repeat(32);

describe("a cold burst of 600 calls on three nodes of 20 requests a second", () => {
  test.each([
    { name: "that are alike", latency: [20, 20, 20] },
    { name: "of different latency", latency: [5, 50, 100] },
  ])("$name is spread over all of them", async ({ latency }) => {
    const net = new PooledNetwork({ latency, node: { rateLimit: { rate: 20, burst: 100 } } });
    const calls = Array.from({ length: 600 }, () => net.client.getSpamStatistics({ partyId }));
    await net.run(Promise.all(calls));
    expect(net.clock.now()).toBeLessThanOrEqual(7000);
    expect(net.asked.length).toBeLessThan(620);
  });
});
