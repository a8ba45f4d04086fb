import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/index.js";
import { PooledNetwork, seeded } from "../../support/pooled-network.js";
import { runs } from "../../support/runs.js";

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
  const net = new PooledNetwork({ data: { nodes: 3 } });
  net.advance(1000);
  let restarted = false;
  const client = createClient({
    baseUrl: net.pool,
    observe: (event) => net.events.push(event),
    fetch: async (request) => {
      const response = await net.network.fetch(request);
      const height = Number(response.headers.get("X-Block-Height"));
      if (restarted) response.headers.set("X-Block-Height", String(height - 900));
      return response;
    },
  });
  for (let read = 0; read < 20; read++) {
    restarted = read >= 10;
    net.advance(1);
    expect((await net.run(client.getSpamStatistics({ partyId }).withResponse())).stale).toBe(false);
    await net.sleep(1000);
  }
  expect(net.events.filter(({ type }) => type === "failover")).toEqual([]);
});

describe("in random histories of the health of nodes", () => {
  const second = 1_000_000_000n;
  const turn = fc.record({
    node: fc.nat({ max: 3 }),
    event: fc.constantFrom("lags", "catches up", "leaps", "dies", "revives", "hangs", "responds", "nothing"),
    lag: fc.constantFrom(1, 3, 30, 600),
    seconds: fc.constantFrom(0, 1, 4, 15),
    reads: fc.integer({ min: 1, max: 4 }),
  });
  const history = fc.record({
    seed: fc.nat(),
    nodes: fc.integer({ min: 2, max: 4 }),
    order: fc.constantFrom("fastest" as const, "given" as const),
    turns: fc.array(turn, { minLength: 1, maxLength: 25 }),
  });
  type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

  function apply(net: PooledNetwork, { node, event, lag }: Turn): void {
    const changes = {
      lags: { lag },
      leaps: { lag: -lag },
      "catches up": { lag: 0 },
      dies: { down: true },
      revives: { down: false },
    } as const;
    if (event in changes) net.network.nodes[node]?.configure(changes[event as keyof typeof changes]);
    if (event === "hangs") net.latency[node] = Number.POSITIVE_INFINITY;
    if (event === "responds") net.latency[node] = 20;
  }

  /** The earliest block time that an unmarked response may have, of what the nodes have said by now. */
  function earliest(net: PooledNetwork): bigint {
    const times = net.pool.status.flatMap(({ timestamp }) => timestamp ?? []).sort((a, b) => (a < b ? 1 : -1));
    return (times[times.length > 2 ? 1 : 0] ?? 0n) - maxLag;
  }

  test("a response that goes back or lags is marked, and no timer is left", async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ seed, nodes, order, turns }) => {
        const random = seeded(seed);
        const net: PooledNetwork = new PooledNetwork({
          data: { nodes },
          pool: { order },
          client: { timeout: 2000, retry: { baseDelay: 10 } },
          random,
          onRequest: (node) => {
            if (Number.isFinite(net.latency[node])) net.latency[node] = 5 + 40 * random();
          },
        });
        net.advance(1000);
        let returned = 0n;
        for (const turn of turns) {
          apply(net, turn);
          await net.sleep(turn.seconds * 1000);
          net.advance(turn.seconds);
          const read = async () => {
            const { block, stale } = await net.client.getSpamStatistics({ partyId }).withResponse();
            const time = block?.timestamp ?? 0n;
            if (!stale) {
              expect(time).toBeGreaterThanOrEqual(returned);
              // Reads take a while, in which the chain of the test stands still and the pool takes it to go on.
              expect(time).toBeGreaterThanOrEqual(earliest(net) - 5n * second);
            }
            if (time > returned && !stale) returned = time;
          };
          for (const result of await net.run(Promise.allSettled(Array.from({ length: turn.reads }, read)))) {
            // A call may fail if no node responds. What is expected of it may not.
            if (result.status === "rejected" && !("operation" in result.reason)) throw result.reason;
          }
          expect(net.clock.pending).toBe(0);
        }
      }),
      runs(50),
    );
  });
});
