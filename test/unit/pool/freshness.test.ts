import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, type Head } from "../../../src/pool/freshness.js";
import { PoolNode } from "../../../src/pool/node.js";
import { ManualClock } from "../../support/manual-clock.js";

const second = 1000;

/** A head whose block has some second of the chain, and was heard of at some second of the clock. */
const head = (blockTime: number, heardAt = 0): Head => ({
  blockTime: 1_700_000_000_000 + blockTime * second,
  heardAt: heardAt * second,
});

/** The lag in seconds, and the verdict, of one of the heads of a pool with `maxLag` of 10 s. */
function compareOne(one: Head, others: (Head | undefined)[], now = 0) {
  const nodes = [one, ...others].map((each) => ({ head: each, heardAt: each?.heardAt ?? Number.NEGATIVE_INFINITY }));
  const pool = { nodes, settings: { maxLag: 10 * second }, clock: { now: () => now * second } };
  const { lag, verdict } = compare(one, pool);
  return [lag / second, verdict];
}

describe("the lag and the verdict of a node", () => {
  const alike = (seconds: number[]) => seconds.map((second) => head(second));
  test.each<
    [what: string, one: Head, others: (Head | undefined)[], expected: [number, string | undefined], now?: number]
  >([
    ["maxLag behind the other one of two", head(0), alike([10]), [10, undefined]],
    ["more than maxLag behind the other one of two", head(0), alike([11]), [11, "lag"]],
    ["maxLag behind the second highest of three", head(0), alike([1000, 10]), [10, undefined]],
    ["more behind the second highest of three", head(0), alike([1000, 11]), [11, "lag"]],
    ["behind, heard of long ago while the chain moved", head(0), [head(3630, 3600)], [30, "lag"], 3600],
    ["not behind, heard of long ago while the chain moved", head(0), [head(3600, 3600)], [0, undefined], 3600],
    ["behind where the other one stands by now", head(-3, 9), alike([0]), [12, "lag"], 9],
    ["maxLag ahead of both others", head(10), alike([0, -5]), [0, undefined]],
    ["alone more than maxLag ahead of both others", head(11), alike([0, -5]), [0, "suspect"]],
    ["ahead together with another one", head(11), alike([0, 11]), [0, undefined]],
    ["ahead by more than that time", head(3611, 3600), alike([0, 0]), [0, "suspect"], 3600],
    ["ahead of one of two, of which one was not heard of", head(600), [head(0), undefined], [0, "suspect"]],
    ["behind one of two, of which one was not heard of", head(0), [head(600), undefined], [600, "lag"]],
    ["the only one that was heard of", head(600), [undefined, undefined], [0, undefined]],
  ])("%s", (_, one, others, expected, now) => {
    expect(compareOne(one, others, now)).toEqual(expected);
  });

  test.each([5, 60, 3600])("of a chain that stands still, %i seconds after the others were heard of", (now) => {
    expect(compareOne(head(0, now), [head(0, 0)], now)[1]).toBeUndefined();
    expect(compareOne(head(0, now), [head(0, 0), head(0, 0)], now)[1]).toBeUndefined();
    expect(compareOne(head(0, 0), [head(0, now), head(0, now)], now)[1]).toBeUndefined();
  });
});

test("no honest node lags or is suspect, whatever one node of three or more says", () => {
  const seconds = fc.array(fc.integer({ min: 1000, max: 1005 }), { minLength: 2, maxLength: 5 });
  const liar = fc.oneof(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 980, max: 1020 }));
  const property = fc.property(seconds, liar, (seconds, liar) => {
    const honest = seconds.map((each) => head(each));
    for (const each of honest) {
      const others = [head(liar), ...honest.filter((other) => other !== each)];
      expect(compareOne(each, others)[1]).toBeUndefined();
    }
  });
  fc.assert(property);
});

test("the head of a node is the block of the last request, unless an earlier request names a later block", async () => {
  const clock = new ManualClock();
  const node = new PoolNode("https://node.example", clock, () => 1);
  const at = (time: bigint) => ({ height: 0n, timestamp: time * 1_000_000_000n });
  const hear = (time: bigint, sentAt: number) => node.hear(at(time), sentAt, new Headers());
  await clock.run(clock.sleep(100));
  hear(10n, 50);
  hear(9n, 40);
  expect(node.block).toEqual(at(10n));
  hear(11n, 30);
  expect([node.block, node.head]).toEqual([at(11n), { blockTime: 11_000, heardAt: 100 }]);
  await clock.run(clock.sleep(100));
  hear(5n, 150);
  expect(node.block).toEqual(at(5n));
});
