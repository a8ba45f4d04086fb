import { expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { PooledNetwork } from "../../support/pooled-network.js";

const partyId = "ab".repeat(32);
const maxLag = 10_000_000_000n;

/** How far a response is behind the network, in nanoseconds. */
const ageOf = ({ network }: PooledNetwork, timestamp = 0n) => network.block.timestamp - timestamp;

test("a client of two nodes that lag one after the other marks every response of 300 blocks before", async () => {
  const net = new PooledNetwork({ data: { nodes: 2 }, latency: [10, 20] });
  net.advance(1000);
  for (let read = 0; read < 5; read++) await net.read();
  let unmarked = 0;
  const readMany = async (count: number) => {
    for (let read = 0; read < count; read++) {
      net.advance(1);
      await net.sleep(1000);
      const { block, stale } = await net.read();
      if (!stale && ageOf(net, block?.timestamp) > maxLag) unmarked++;
    }
  };
  net.network.nodes[0]?.configure({ lag: 300 });
  await readMany(5);
  net.network.nodes[1]?.configure({ lag: 300 });
  await readMany(60);
  expect(unmarked).toBe(0);
  for (const node of net.network.nodes) node.configure({ lag: 0 });
  expect((await net.read()).stale).toBe(false);
});

test("a response that goes back is compared with what its own client has returned, not with other clients", async () => {
  const net = new PooledNetwork({ data: { nodes: 2 } });
  net.advance(50);
  await net.read();
  for (const node of net.network.nodes) node.configure({ lag: 3 });
  expect((await net.read()).stale).toBe(true);
  const client = createClient({ baseUrl: net.pool, fetch: net.network.fetch });
  expect((await net.run(client.getSpamStatistics({ partyId }).withResponse())).stale).toBe(false);
});

test("heights decide nothing: a network that restarts with small heights has no stale response and no failover", async () => {
  let restarted = false;
  const fetch = async (request: Request) => {
    const response = await net.network.fetch(request);
    const height = Number(response.headers.get("X-Block-Height"));
    if (restarted) response.headers.set("X-Block-Height", String(height - 900));
    return response;
  };
  const net: PooledNetwork = new PooledNetwork({ client: { fetch } });
  net.advance(1000);
  for (let read = 0; read < 20; read++) {
    restarted = read >= 10;
    net.advance(1);
    expect((await net.read()).stale).toBe(false);
    await net.sleep(1000);
  }
  expect(net.events.filter(({ type }) => type === "failover")).toEqual([]);
});
