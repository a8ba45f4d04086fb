import { describe, expect, test } from "vitest";
import { type BalanceChange, PaginationError } from "../../../src/index.js";
import { PooledNetwork, type PooledNetworkOptions } from "../../support/pooled-network.js";

const hex = (number: number) => number.toString(16).padStart(64, "0");
const start = 1_707_486_400_000_000_000n;
const minute = 60_000_000_000n;
const day = 24n * 60n * minute;

/** Three balance changes in each of 600 blocks. */
const balancesOf = (first: bigint, blockTime: bigint): BalanceChange[] =>
  Array.from({ length: 1800 }, (_, account) => ({
    timestamp: `${first + BigInt(Math.floor(account / 3)) * blockTime}`,
    assetId: hex(1),
    partyId: hex(account),
    marketId: "",
    accountType: "ACCOUNT_TYPE_GENERAL",
    balance: String(account),
  }));

/** Ten hours. */
const balances = balancesOf(start, minute);

/** 25 days. */
const firstDay = start - (start % day);
const hourly = balancesOf(firstDay, 60n * minute);

const networkOf = ({ data, ...options }: PooledNetworkOptions = {}) =>
  new PooledNetwork({ ...options, data: { balances, ...data } });

const scan = (net: PooledNetwork, startTimestamp?: bigint, options: object = {}) =>
  net.run(
    net.client
      .scanBalanceChanges(startTimestamp === undefined ? {} : { dateRange: { startTimestamp } }, {
        pageSize: 50,
        ...options,
      })
      .toArray(),
  );

const countOf = (net: PooledNetwork, node: number) => net.asked.filter((each) => each === node).length;

describe("a scan of a client of several nodes", () => {
  test("uses all nodes at once, and is as much faster", async () => {
    const durations: number[] = [];
    for (const nodes of [1, 3]) {
      const net = networkOf({ data: { nodes, balances: balances.slice(0, 600) }, latency: [100, 100, 100] });
      expect(await scan(net, undefined, { pageSize: 5 })).toHaveLength(600);
      durations.push(net.clock.now());
      for (let node = 0; node < nodes; node++) expect(countOf(net, node)).toBeGreaterThan(5);
    }
    expect((durations[0] ?? 0) / (durations[1] ?? 1)).toBeGreaterThan(1.5);
  });

  test("yields the same records in the same order as over one node", async () => {
    const single = networkOf({ data: { nodes: 1 } });
    for (const order of ["oldest-first", "newest-first"] as const) {
      const net = networkOf({ latency: [5, 90, 20] });
      expect(await scan(net, undefined, { order })).toEqual(await scan(single, undefined, { order }));
    }
  });

  test("is complete if one node keeps the whole range", async () => {
    const nodes = [{ history: firstDay + 12n * day }, {}, { history: firstDay + 20n * day }];
    for (const from of [firstDay, firstDay + day, undefined]) {
      const net = networkOf({ data: { balances: hourly, nodes } });
      expect(await scan(net, from)).toHaveLength(from === firstDay + day ? 1728 : 1800);
    }
  });

  test("is complete if nodes without any record respond first", async () => {
    // No record came for two days, which is all that these nodes keep.
    const block = { height: 900n, timestamp: start + 3n * day };
    const nodes = [{ history: start + day }, {}, { history: start + day }];
    expect(await scan(networkOf({ data: { nodes, block }, latency: [5, 50, 5] }))).toHaveLength(1800);
  });

  test("does not ask a node for records of blocks that it has not reached", async () => {
    const net = networkOf({ data: { nodes: [{ lag: 0 }, { lag: 3 }, { lag: 6 }] }, latency: [200, 5, 5] });
    for (let block = 0; block < 40; block++) net.network.nextBlock({ balances: 20 });
    const changes = net.client.scanBalanceChanges({}, { pageSize: 50 });
    const count = (await net.run(changes.toArray())).length;
    const { end = 0n } = await changes.coverage;
    const { block, records } = net.network;
    expect(Number(block.timestamp - end) / 1e9).toBeLessThanOrEqual(6);
    expect(count).toBe(records.balances.filter(({ timestamp }) => BigInt(timestamp) < end).length);
  });

  test("without a start waits for a slow node that keeps more, also if that has cooled down because it was slow", async () => {
    for (const reads of [0, 20]) {
      const nodes = [{ history: firstDay + 12n * day }, {}, { history: firstDay + 20n * day }];
      const net = networkOf({ data: { balances: hourly, nodes }, latency: [10, 1500, 10] });
      for (let read = 0; read < reads; read++) await net.read();
      const changes = net.client.scanBalanceChanges({}, { pageSize: 50 });
      expect(await net.run(changes.toArray())).toHaveLength(1800);
      expect((await changes.coverage).start).toBe(firstDay);
    }
  });

  test("with a start hardly waits for a silent node, and without one for the deadline of one attempt, once", async () => {
    const latency = [Number.POSITIVE_INFINITY, 10, 10];
    const closed = networkOf({ latency });
    expect(await scan(closed, start)).toHaveLength(1800);
    expect(closed.clock.now()).toBeLessThan(1200);
    const open = networkOf({ latency, client: { timeout: 5000 } });
    expect(await scan(open)).toHaveLength(1800);
    expect(open.clock.now()).toBeLessThan(5600);
    const before = open.clock.now();
    expect(await scan(open)).toHaveLength(1800);
    expect(open.clock.now() - before).toBeLessThan(600);
  });

  test("rejects with the earliest time that any node keeps, if none reaches back far enough", async () => {
    const nodes = [5n, 3n, 9n].map((days) => ({ history: firstDay + days * day }));
    const net = networkOf({ data: { balances: hourly, nodes } });
    const error = await scan(net, firstDay).catch((error: unknown) => error);
    if (!PaginationError.is(error)) throw error;
    expect([error.reason, error.availableFrom]).toEqual(["pruned", firstDay + 3n * day]);
    const { startTimestamp } = error.resume ?? {};
    const kept = 1800 - 3 * 72;
    expect(await scan(net, BigInt(String(startTimestamp)))).toHaveLength(kept);
    expect(await scan(net, firstDay, { missingHistory: "ignore" })).toHaveLength(kept);
    expect(await scan(net)).toHaveLength(kept);
  });

  test("continues on the other nodes if one dies, lags or bans the client", async () => {
    for (const trouble of [
      { down: true },
      { lag: 500 },
      { faults: [{ name: "status" as const, status: 403, headers: { "RateLimit-Retry-After": "600" } }] },
    ]) {
      const net: PooledNetwork = networkOf({
        onRequest: (_, request) => {
          if (request === 8) net.network.nodes[1]?.configure(trouble);
        },
      });
      expect(await scan(net, start)).toHaveLength(1800);
    }
  });

  test("with the option `node` reads from that node alone, and judges its history alone", async () => {
    const net = networkOf({ data: { balances: hourly, nodes: [{ history: firstDay + 5n * day }, {}] } });
    expect(await scan(net, firstDay)).toHaveLength(1800);
    net.asked.length = 0;
    const pruned = { reason: "pruned", availableFrom: firstDay + 5n * day };
    await expect(scan(net, firstDay, { node: net.urls[0] })).rejects.toMatchObject(pruned);
    expect(net.asked.filter((each) => each !== 0)).toEqual([]);
    expect(await scan(net, firstDay, { node: net.urls[1] })).toHaveLength(1800);
  });

  test("up to a block that one node has reached has its records, although the first node lags by two blocks", async () => {
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

  test("without a start reads what the nodes that respond keep, if one node is down", async () => {
    const pooled = new PooledNetwork({ data: { nodes: [{ down: true }, {}, {}], balances: 200 } });
    const { client, network } = pooled;
    const records = await pooled.run(client.scanBalanceChanges().toArray());
    expect(records).toHaveLength(network.records.balances.length);
  });
});
