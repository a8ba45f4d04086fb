import { describe, expect, test } from "vitest";
import { createFakeNetwork, createFakeNode } from "../../../src/testing/index.js";
import { ManualClock } from "../../support/manual-clock.js";
import { fetchFrom, fetchPage } from "../../support/raw-requests.js";

const list = "/api/v2/balance/changes?pagination.first=5000";

describe("a half-written block of a fake node", () => {
  test("is the one that the headers name, and has some of its records already", async () => {
    const node = createFakeNode({ balances: 10, votes: 5 });
    const { height, timestamp } = node.block;
    node.addRecords({ balances: 4, votes: 2, profiles: 1 });
    const { headers } = await fetchFrom(node, list);
    expect([headers.get("x-block-height"), headers.get("x-block-timestamp")]).toEqual([`${height}`, `${timestamp}`]);
    expect((await fetchPage(node, list)).edges).toHaveLength(14);
    expect(node.records.balances.slice(10).map((each) => each.timestamp)).toEqual(Array(4).fill(`${timestamp}`));
    expect(node.records.votes.slice(5).map((each) => each.timestamp)).toEqual(Array(2).fill(`${timestamp}`));
    node.nextBlock({ balances: 3 });
    expect(node.records.balances.slice(14).map((each) => each.timestamp)).toEqual(Array(3).fill(`${timestamp}`));
    expect(node.block).toEqual({ height: height + 1n, timestamp: timestamp + 1_000_000_000n });
  });

  test.each([
    [3, 5, 7],
    [299, 1, 20],
    [400, 10, 400],
    [10, 400, 10],
  ])("has changes of different accounts if %i, %i and %i are generated in turn", (first, second, third) => {
    const node = createFakeNode({ balances: 0 });
    node.addRecords({ balances: first });
    node.addRecords({ balances: second });
    node.nextBlock({ balances: third });
    expect(node.records.balances).toHaveLength(first + second + third);
  });

  test("is not seen on a node that is a block behind", async () => {
    const network = createFakeNetwork({ nodes: [{ lag: 1 }, {}], balances: [] });
    network.addRecords({ balances: 4 });
    const counts = async () =>
      Promise.all(network.nodes.map(async (node) => (await fetchPage(node, list)).edges.length));
    expect(await counts()).toEqual([0, 4]);
    network.nextBlock({ balances: 1 });
    expect(await counts()).toEqual([0, 5]);
    network.nextBlock();
    expect(await counts()).toEqual([5, 5]);
    network.addRecords({ balances: 2 });
    expect(await counts()).toEqual([5, 7]);
  });

  test("has neither records of another time nor an end", () => {
    const node = createFakeNode({ balances: [], block: { height: 1n, timestamp: 5000n } });
    const at = (timestamp: `${bigint}`) => ({ balances: [{ timestamp, balance: "1" }] });
    expect(() => node.addRecords(at("4000"))).toThrow("at or after 5000");
    expect(() => node.addRecords(at("6000"))).toThrow("at or before 5000");
    expect(() => node.addRecords({ block: { height: 2n, timestamp: 5n } } as never)).toThrow(
      "`data.block` cannot be given, because the block does not end.",
    );
    node.addRecords(at("5000"));
    expect(node.records.balances).toHaveLength(1);
  });
});

describe("blocks of a fake node that follow each other by themselves", () => {
  test("begin at the interval that is given, until they are cancelled", async () => {
    const clock = new ManualClock();
    const node = createFakeNode({ balances: [] });
    const { height, timestamp } = node.block;
    const cancel = node.advanceEvery(700, {
      records: () => ({ balances: 2 }),
      after: (milliseconds, callback) => clock.after(milliseconds, callback),
    });
    await clock.run(clock.sleep(699));
    expect(node.block.height).toBe(height);
    await clock.run(clock.sleep(1));
    expect(node.block).toEqual({ height: height + 1n, timestamp: timestamp + 700_000_000n });
    await clock.run(clock.sleep(6301));
    expect(node.block).toEqual({ height: height + 10n, timestamp: timestamp + 7_000_000_000n });
    expect(node.records.balances).toHaveLength(20);
    cancel();
    await clock.run(clock.sleep(10_000));
    expect(node.block.height).toBe(height + 10n);
  });

  test("come without records by default, on the timers of the system", async () => {
    const network = createFakeNetwork({ nodes: 2 });
    const { height } = network.block;
    const count = network.records.balances.length;
    const cancel = network.advanceEvery(1);
    while (network.block.height < height + 3n) await new Promise((resolve) => setTimeout(resolve, 1));
    cancel();
    expect(network.records.balances).toHaveLength(count);
  });

  test("continue after invalid records", async () => {
    const callbacks: (() => void)[] = [];
    const node = createFakeNode({});
    const { height } = node.block;
    let given: unknown = { balances: -1 };
    node.advanceEvery(5, {
      records: () => given as object,
      after: (_, callback) => {
        callbacks.push(callback);
        return () => {};
      },
    });
    expect(() => callbacks[0]?.()).toThrow("data.balances");
    given = {};
    callbacks[1]?.();
    expect(node.block.height).toBe(height + 1n);
  });

  test.each<[argument: string, milliseconds: unknown, options: unknown]>([
    ["milliseconds", 0, {}],
    ["milliseconds", 2 ** 31, {}],
    ["milliseconds", "5", {}],
    ["options.after", 5, { after: 5 }],
    ["options.records", 5, { records: { balances: 5 } }],
    ["options.data", 5, { data: () => ({}) }],
  ])("reject an invalid `%s`", (argument, milliseconds, options) => {
    const node = createFakeNode({});
    expect(() => node.advanceEvery(milliseconds as never, options as never)).toThrow(
      expect.objectContaining({ name: "ArgumentError", argument }),
    );
  });
});
