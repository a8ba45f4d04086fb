import { expect, test } from "vitest";
import { PooledNetwork } from "../../support/pooled-network.js";

test("of 10 000 responses none is stale if the fastest of three nodes is 600 blocks behind", {
  timeout: 300_000,
}, async () => {
  const net = new PooledNetwork({ data: { nodes: [{ lag: 600 }, {}, {}] }, latency: [1, 30, 40] });
  net.advance(700);
  let stale = 0;
  for (let call = 0; call < 10_000; call++) {
    if (call % 30 === 0) net.advance(1);
    const { block, stale: isMarked } = await net.read();
    if (isMarked || block?.height !== net.network.block.height) stale++;
  }
  expect(stale).toBe(0);
});
