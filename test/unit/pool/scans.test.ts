import { describe, expect, test } from "vitest";
import type { PaginationError, ScanOptions } from "../../../src/index.js";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";
import { rejectionOf } from "../../support/recorder.js";
import { changesAt } from "../../support/records.js";

const start = 1_707_486_400_000_000_000n;
const minute = 60_000_000_000n;
const day = 24n * 60n * minute;
const firstDay = start - (start % day);
const silent = Number.POSITIVE_INFINITY;

/** Three balance changes in each of 600 blocks. */
const balancesOf = (first: bigint, blockTime: bigint) =>
  changesAt(Array.from({ length: 1800 }, (_, index) => first + BigInt(Math.floor(index / 3)) * blockTime));

/** Ten hours. */
const balances = balancesOf(start, minute);
/** 25 days. */
const hourly = balancesOf(firstDay, 60n * minute);

const networkOf = ({ data, ...options }: PooledNetworkOptions = {}) =>
  new PooledNetwork({ ...options, data: { balances, ...data } });

/** Three nodes of which only the second one keeps everything. */
const nodes = [{ history: firstDay + 12n * day }, {}, { history: firstDay + 20n * day }];

const scanOf = ({ client }: PooledNetwork, startTimestamp?: bigint, options: ScanOptions = {}) =>
  client.scanBalanceChanges({ dateRange: { startTimestamp } }, { pageSize: 50, ...options });
const scan = (net: PooledNetwork, startTimestamp?: bigint, options?: ScanOptions) =>
  net.run(scanOf(net, startTimestamp, options).toArray());

const forTenMinutes = { "RateLimit-Retry-After": "600" };

describe("a scan of a client of several nodes", () => {
  test("uses all nodes at once, and is as much faster", async () => {
    const durations: number[] = [];
    for (const nodes of [1, 3]) {
      const net = networkOf({ data: { nodes }, latency: [100, 100, 100] });
      expect(await scan(net, undefined, { pageSize: 10 })).toHaveLength(1800);
      durations.push(net.clock.now());
      for (let node = 0; node < nodes; node++)
        expect(net.asked.filter((each) => each === node).length).toBeGreaterThan(5);
    }
    expect((durations[0] ?? 0) / (durations[1] ?? 1)).toBeGreaterThan(1.5);
  });

  test("does not end with a page from before the end of its range, which middleware has kept", async () => {
    const net = networkOf();
    const kept = new Map<string, Response>();
    net.client.http.use({
      onRequest: ({ request: { url } }) => kept.get(url)?.clone(),
      onResponse: ({ request: { url }, response }) => void kept.set(url, response.clone()),
    });
    const { timestamp: end } = net.network.block;
    const dateRange = { startTimestamp: start, endTimestamp: end + minute };
    await net.run(
      net.client.listBalanceChanges({ dateRange, pagination: { first: 5000, newestFirst: false } }).toArray(),
    );
    while (net.network.block.timestamp <= end + minute) net.network.nextBlock({ balances: 1 });
    const rest = net.client.scanBalanceChanges({ dateRange });
    expect(await net.run(rejectionOf(rest.toArray()))).toMatchObject({ reason: "behind" });
  });

  test.each([0, 20])("without a start waits for a slow node that keeps more, after %i slow reads", async (reads) => {
    const net = networkOf({ data: { balances: hourly, nodes }, latency: [10, 1500, 10] });
    for (let read = 0; read < reads; read++) await net.read();
    const changes = scanOf(net);
    expect(await net.run(changes.toArray())).toHaveLength(1800);
    expect((await changes.coverage).start).toBe(firstDay);
  });

  test("with a start hardly waits for a silent node, and without one five seconds, once", async () => {
    const net = networkOf({ latency: [silent, 10, 10] });
    const durationOf = async (start?: bigint) => {
      const before = net.clock.now();
      expect(await scan(net, start)).toHaveLength(1800);
      return net.clock.now() - before;
    };
    expect(await durationOf(start)).toBeLessThan(1200);
    await net.sleep(60_000);
    expect(await durationOf()).toBeLessThan(5600);
    expect(await durationOf()).toBeLessThan(600);
  });

  test("rejects with the earliest time that any node keeps, if none reaches back far enough", async () => {
    const nodes = [5n, 3n, 9n].map((days) => ({ history: firstDay + days * day }));
    const net = networkOf({ data: { balances: hourly, nodes } });
    const error = (await rejectionOf(scan(net, firstDay))) as PaginationError;
    expect(error).toMatchObject({ reason: "pruned", availableFrom: firstDay + 3n * day });
    const kept = 1800 - 3 * 72;
    const { startTimestamp = "" } = error.resume?.dateRange ?? {};
    expect(await scan(net, BigInt(startTimestamp as string))).toHaveLength(kept);
    expect(await scan(net, firstDay, { missingHistory: "ignore" })).toHaveLength(kept);
    expect(await scan(net)).toHaveLength(kept);
  });

  test("reads each page once if it ignores missing history", async () => {
    const net = networkOf();
    const options = { order: "newest-first", concurrency: 1, node: net.urls[0], missingHistory: "ignore" } as const;
    expect(await scan(net, start, options)).toHaveLength(1800);
    expect(net.asked.length).toBeLessThan(45);
  });

  test.each([
    ["dies", { down: true }],
    ["lags", { lag: 500 }],
    ["bans the client", { faults: [{ name: "status" as const, status: 403, headers: forTenMinutes }] }],
  ])("continues on the other nodes if one %s", async (_, trouble) => {
    const net: PooledNetwork = networkOf({
      onRequest: (_, request) => {
        if (request === 8) net.network.nodes[1]?.configure(trouble);
      },
    });
    expect(await scan(net, start)).toHaveLength(1800);
  });

  test("with the option `node` reads from that node alone, and judges its history alone", async () => {
    const net = networkOf({ data: { balances: hourly, nodes: [{ history: firstDay + 5n * day }, {}] } });
    expect(await scan(net, firstDay)).toHaveLength(1800);
    net.asked.length = 0;
    const pruned = { reason: "pruned", availableFrom: firstDay + 5n * day };
    await expect(scan(net, firstDay, { node: net.urls[0] })).rejects.toMatchObject(pruned);
    expect(new Set(net.asked)).toEqual(new Set([0]));
    expect(await scan(net, firstDay, { node: net.urls[1] })).toHaveLength(1800);
  });
});
