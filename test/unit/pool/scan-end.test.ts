import { expect, test } from "vitest";
import { PooledNetwork } from "../../support/pooled-network.js";

test("a scan up to a block that one node has reached has its records, although the first node lags by two blocks", async () => {
  const data = { nodes: [{ lag: 2 }, {}], balances: 200 };
  const pooled = new PooledNetwork({ data, pool: { order: "given" } });
  const { client, network } = pooled;
  await pooled.read();
  const endTimestamp = network.block.timestamp;
  const startTimestamp = endTimestamp - 60_000_000_000n;
  const scan = client.scanBalanceChanges({ dateRange: { startTimestamp, endTimestamp } });
  const records = await pooled.run(scan.toArray());
  const isInRange = ({ timestamp }: { timestamp: string }) => BigInt(timestamp) >= startTimestamp;
  expect(records).toHaveLength(network.records.balances.filter(isInRange).length);
});

test("a scan without a start reads what the nodes that respond keep, if one node is down", async () => {
  const pooled = new PooledNetwork({ data: { nodes: [{ down: true }, {}, {}], balances: 200 } });
  const { client, network } = pooled;
  const records = await pooled.run(client.scanBalanceChanges().toArray());
  expect(records).toHaveLength(network.records.balances.length);
});
