import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, type Head } from "../../../src/pool/freshness.js";

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

describe("a node that lags", () => {
  test("is more than maxLag behind the higher one of two nodes", () => {
    expect(compareOne(head(0), [head(10)])).toEqual([10, undefined]);
    expect(compareOne(head(0), [head(11)])).toEqual([11, "lag"]);
    expect(compareOne(head(11), [head(0)])).toEqual([0, undefined]);
  });

  test("is more than maxLag behind the second highest of three or more nodes", () => {
    expect(compareOne(head(0), [head(1000), head(10)])).toEqual([10, undefined]);
    expect(compareOne(head(0), [head(1000), head(11)])).toEqual([11, "lag"]);
    expect(compareOne(head(0), [head(1000), head(11), head(5), head(3)])).toEqual([11, "lag"]);
  });

  test("lags as much however long ago it was heard of, while the chain moves", () => {
    for (const now of [30, 3600]) {
      expect(compareOne(head(0, 0), [head(now + 30, now)], now)).toEqual([30, "lag"]);
      expect(compareOne(head(0, 0), [head(now, now)], now)).toEqual([0, undefined]);
    }
  });

  test("is none of a chain that stands still, however long ago the others were heard of", () => {
    for (const now of [5, 60, 3600]) {
      expect(compareOne(head(0, now), [head(0, 0)], now)[1]).toBeUndefined();
      expect(compareOne(head(0, now), [head(0, 0), head(0, 0)], now)[1]).toBeUndefined();
      expect(compareOne(head(0, 0), [head(0, now), head(0, now)], now)[1]).toBeUndefined();
    }
  });

  test("is compared with where another node stands by now, not where it stood", () => {
    expect(compareOne(head(-3, 9), [head(0, 0)], 9)).toEqual([12, "lag"]);
  });
});

describe("a node that is ahead", () => {
  test("is suspect if it alone is more than maxLag ahead of three or more nodes", () => {
    expect(compareOne(head(10), [head(0), head(-5)])).toEqual([0, undefined]);
    expect(compareOne(head(11), [head(0), head(-5)])).toEqual([0, "suspect"]);
    expect(compareOne(head(11), [head(0), head(11)])).toEqual([0, undefined]);
  });

  test("is not suspect if as much time has passed since the others were heard of", () => {
    expect(compareOne(head(3600, 3600), [head(0, 0), head(0, 0)], 3600)).toEqual([0, undefined]);
    expect(compareOne(head(3611, 3600), [head(0, 0), head(0, 0)], 3600)).toEqual([0, "suspect"]);
  });

  test("is one of two nodes of a larger pool that are far apart: neither is trusted before a third one was heard of", () => {
    expect(compareOne(head(600), [head(0), undefined])).toEqual([0, "suspect"]);
    expect(compareOne(head(0), [head(600), undefined])).toEqual([600, "lag"]);
    expect(compareOne(head(600), [undefined, undefined])).toEqual([0, undefined]);
  });
});

test("no honest node lags or is suspect, whatever one node of three or more says", () => {
  const seconds = fc.array(fc.integer({ min: 1000, max: 1005 }), { minLength: 2, maxLength: 5 });
  const liar = fc.oneof(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 980, max: 1020 }));
  fc.assert(
    fc.property(seconds, liar, (seconds, liar) => {
      const honest = seconds.map((each) => head(each));
      for (const each of honest) {
        const others = [head(liar), ...honest.filter((other) => other !== each)];
        expect(compareOne(each, others)[1]).toBeUndefined();
      }
    }),
  );
});
