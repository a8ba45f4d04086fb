import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Head, headOf, isContradicted, isLagging, lagOf } from "../../../src/pool/freshness.js";

const second = 1000;
const maxLag = 10 * second;
const block = (seconds: number) => ({ height: 1n, timestamp: BigInt(1_700_000_000 + seconds) * 1_000_000_000n });

/** A head whose block has some second of the chain, and was heard at some second of the clock. */
const head = (seconds: number, respondedAt = 0) => headOf(block(seconds), respondedAt * second) as Head;
const alike = (seconds: number[]) => seconds.map((each) => head(each));
const poolOf = (heads: (Head | undefined)[], now = 0) => ({
  nodes: heads.map((each) => ({ head: each, latest: each?.blockTime })),
  maxLag,
  now: now * second,
});

describe("the lag of a node", () => {
  test.each<[what: string, one: Head, others: (Head | undefined)[], lag: number, now?: number]>([
    ["behind the other one of two", head(0), alike([11]), 11],
    ["behind the second highest of three", head(0), alike([1000, 11]), 11],
    ["behind, heard long ago while the chain moved", head(0), [head(3630, 3600)], 30, 3600],
    ["not behind, heard long ago while the chain moved", head(0), [head(3600, 3600)], 0, 3600],
    ["behind where the other one is by now", head(-3, 9), alike([0]), 12, 9],
    ["alone ahead of both others", head(11), alike([0, -5]), 0],
    ["ahead of one of two, of which one was not heard", head(600), [head(0), undefined], 0],
    ["behind one of two, of which one was not heard", head(0), [head(600), undefined], 600],
    ["the only one that was heard", head(600), [undefined, undefined], 0],
    ["of a chain that stands still, heard last", head(0, 3600), alike([0, 0]), 10, 3600],
    ["of a chain that stands still, heard first", head(0), [head(0, 60), head(0, 60)], 0, 60],
  ])("%s", (_, one, others, lag, now) => {
    expect(lagOf(one, poolOf([one, ...others], now)) / second).toBe(lag);
  });

  test("is too long from `maxLag` on, and always for a node that has no block yet", () => {
    const pool = poolOf(alike([0, 11]));
    expect([0, 1].map((seconds) => isLagging(block(seconds), 0, pool))).toEqual([true, false]);
    expect(isLagging({ height: 0n, timestamp: 0n }, 0, pool)).toBe(true);
    expect(isLagging(undefined, 0, pool)).toBe(false);
  });

  test("of no honest node is too long, whatever one node of three or more says", () => {
    const seconds = fc.array(fc.integer({ min: 1000, max: 1005 }), { minLength: 2, maxLength: 5 });
    const liar = fc.oneof(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 980, max: 1020 }));
    const property = fc.property(seconds, liar, (seconds, liar) => {
      const pool = poolOf(alike([liar, ...seconds]));
      for (const each of seconds) expect(isLagging(block(each), 0, pool)).toBe(false);
    });
    fc.assert(property);
  });
});

test.each<[what: string, heads: (Head | undefined)[], expected: boolean, now?: number]>([
  ["two others contradict", alike([600, 0, 0]), true],
  ["one other contradicts", [head(600), head(0), undefined], false],
  ["another one has shown as well", alike([600, 600, 0, 0]), false],
  ["others contradict by `maxLag` at most", alike([600, 590, 590]), false],
  ["others may have reached by now, within `maxLag`", [head(600, 60), head(530), head(530)], false, 60],
  ["others have not reached by now", [head(600, 60), head(529), head(529)], true, 60],
])("a time that %s is a reference or not", (_, heads, expected, now) => {
  expect(isContradicted(head(600).blockTime, poolOf(heads, now))).toBe(expected);
});
