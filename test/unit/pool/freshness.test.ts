import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../../../src/index.js";
import {
  isDisputed,
  isImplausible,
  isSuspect,
  lagOf,
  referenceOf,
  type Sighting,
} from "../../../src/pool/freshness.js";

/** A block of a chain with a block each second, seen at some millisecond. */
const sighting = (height: number, time = 0, timestamp = BigInt(height) * 1_000_000_000n): Sighting => ({
  block: { height: BigInt(height), timestamp },
  time,
});
const blockOf = (height: number): Block => sighting(height).block;

describe("the block that others are compared with", () => {
  test("is the highest that two nodes have reached, of three or more nodes", () => {
    expect(referenceOf([sighting(100), sighting(90), sighting(95)], 3)?.block.height).toBe(95n);
  });

  test("is unknown while one of three nodes was heard", () => {
    expect(referenceOf([sighting(100)], 3)).toBeUndefined();
  });

  test("is the lower one of the first two of three nodes that were heard", () => {
    expect(referenceOf([sighting(1_000_100), sighting(100)], 3)?.block.height).toBe(100n);
  });

  test("is the higher one of two nodes", () => {
    expect(referenceOf([sighting(90), sighting(100)], 2)?.block.height).toBe(100n);
  });

  test("is the lower one of two nodes if the higher one is more than a minute for each block ahead", () => {
    const ahead = sighting(101, 0, blockOf(100).timestamp + 60_000_000_001n);
    expect(referenceOf([ahead, sighting(100)], 2)?.block.height).toBe(100n);
  });

  test("is the lower one of two nodes if the higher one has an earlier time", () => {
    const earlier = sighting(101, 0, blockOf(100).timestamp - 1n);
    expect(referenceOf([earlier, sighting(100)], 2)?.block.height).toBe(100n);
  });

  test("is the only one of a pool of one node", () => {
    expect(referenceOf([sighting(7)], 1)?.block.height).toBe(7n);
  });

  test("makes no honest node lag or suspect, whatever one node of three or more names", () => {
    const heights = fc.array(fc.integer({ min: 1000, max: 1005 }), { minLength: 2, maxLength: 5 });
    const liar = fc.record({
      height: fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 995, max: 1010 })),
      timestamp: fc.oneof(
        fc.bigInt({ min: 0n, max: 10n ** 19n }),
        fc.bigInt({ min: 990_000_000_000n, max: 1_010_000_000_000n }),
      ),
    });
    fc.assert(
      fc.property(heights, liar, (heights, { height, timestamp }) => {
        const honest = heights.map((each) => sighting(each));
        const reference = referenceOf([sighting(height, 0, timestamp), ...honest], honest.length + 1);
        for (const each of honest) {
          expect(lagOf(each.block, reference)).toBeLessThanOrEqual(5000);
          const others = [sighting(height, 0, timestamp), ...honest.filter((other) => other !== each)];
          expect(isSuspect(each.block, others, honest.length + 1, 10_000, 0)).toBe(false);
        }
      }),
    );
  });
});

describe("the lag of a node", () => {
  test("is the block time between it and the reference, in milliseconds", () => {
    expect(lagOf(blockOf(40), sighting(100))).toBe(60_000);
  });

  test("is 0 for a node that is ahead, and for all nodes of a halted chain", () => {
    expect(lagOf(blockOf(101), sighting(100))).toBe(0);
    expect(lagOf(blockOf(100), sighting(100, -1e9))).toBe(0);
  });
});

describe("a node that is ahead of all others", () => {
  test("is suspect if it is ahead by more than maxLag", () => {
    expect(isSuspect(blockOf(110), [sighting(100)], 3, 10_000, 0)).toBe(false);
    expect(isSuspect(blockOf(111), [sighting(100)], 3, 10_000, 0)).toBe(true);
  });

  test("is not suspect if as much time has passed since the others were seen", () => {
    expect(isSuspect(blockOf(160), [sighting(100, 0)], 3, 10_000, 50_000)).toBe(false);
    expect(isSuspect(blockOf(161), [sighting(100, 0)], 3, 10_000, 50_000)).toBe(true);
  });

  test("is suspect if it names more than ten blocks for each second", () => {
    const timestamp = blockOf(101).timestamp;
    expect(isSuspect({ height: 200n, timestamp }, [sighting(100)], 3, 10_000, 0)).toBe(false);
    expect(isSuspect({ height: 201n, timestamp }, [sighting(100)], 3, 10_000, 0)).toBe(true);
  });

  test("is suspect if its time is before that of a lower block", () => {
    expect(isImplausible(blockOf(100), { height: 101n, timestamp: 99_000_000_000n })).toBe(true);
    expect(isSuspect({ height: 101n, timestamp: 99_000_000_000n }, [sighting(100)], 3, 10_000, 0)).toBe(true);
  });
});

describe("one of two nodes", () => {
  test("is not suspect however far ahead it is, unless that is implausible", () => {
    expect(isSuspect(blockOf(1000), [sighting(100)], 2, 10_000, 0)).toBe(false);
    expect(isSuspect({ height: 101n, timestamp: 10n ** 15n }, [sighting(100)], 2, 10_000, 0)).toBe(true);
  });
});

describe("two nodes far apart", () => {
  test("are in dispute until a third one supports one of them", () => {
    expect(isDisputed([sighting(1000), sighting(400)], 3, 10_000, 0)).toBe(true);
    expect(isDisputed([sighting(1000), sighting(400), sighting(999)], 3, 10_000, 0)).toBe(false);
    expect(isDisputed([sighting(1000), sighting(400), sighting(401)], 3, 10_000, 0)).toBe(false);
  });

  test("are not in dispute if there are only two: the higher one is the reference", () => {
    expect(isDisputed([sighting(1000), sighting(400)], 2, 10_000, 0)).toBe(false);
  });
});
