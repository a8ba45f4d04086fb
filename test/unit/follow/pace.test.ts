import { describe, expect, test } from "vitest";
import { Pace } from "../../../src/follow/follower.js";

const block = (height: number, milliseconds: number) => ({
  height: BigInt(height),
  timestamp: BigInt(milliseconds) * 1_000_000n,
});

describe("the interval between two polls", () => {
  test("is a second until the time of a block is known", () => {
    const pace = new Pace();
    expect(pace.interval).toBe(1000);
    pace.observe(block(7, 0), true);
    expect(pace.interval).toBe(1000);
  });

  test("is the time of a block while records come, also if a poll spans several blocks", () => {
    const pace = new Pace();
    pace.observe(block(1, 0), true);
    pace.observe(block(2, 700), true);
    expect(pace.interval).toBeCloseTo(700);
    pace.observe(block(6, 700 + 4 * 700), true);
    expect(pace.interval).toBeCloseTo(700);
    for (let height = 7; height < 60; height++) pace.observe(block(height, 3500 + (height - 6) * 2000), true);
    expect(pace.interval).toBeCloseTo(2000, -1);
  });

  test("is half as long again after each poll without records, up to 15 seconds, and short again after a record", () => {
    const pace = new Pace();
    const intervals: number[] = [];
    for (let height = 1; height <= 12; height++) {
      pace.observe(block(height, height * 1000), false);
      intervals.push(pace.interval);
    }
    expect(intervals.slice(0, 4)).toEqual([1500, 2250, 3375, 5062.5]);
    expect(intervals.slice(-3)).toEqual([15_000, 15_000, 15_000]);
    for (let height = 13; height < 3000; height++) pace.observe(block(height, height * 1000), false);
    expect(pace.interval).toBe(15_000);
    pace.observe(block(3000, 3_000_000), true);
    expect(pace.interval).toBe(1000);
  });

  test("is neither 0 on a chain whose time stands still nor longer than 15 seconds after a pause of the chain", () => {
    const still = new Pace();
    still.observe(block(1, 0), true);
    still.observe(block(2, 0), true);
    expect(still.interval).toBe(100);
    const paused = new Pace();
    paused.observe(block(1, 0), true);
    paused.observe(block(2, 86_400_000), true);
    expect(paused.interval).toBe(15_000);
  });

  test("does not depend on responses of earlier blocks", () => {
    const pace = new Pace();
    pace.observe(block(5, 5000), true);
    pace.observe(block(6, 6000), true);
    pace.observe(block(2, 2000), true);
    pace.observe(block(7, 7000), true);
    expect(pace.interval).toBe(1000);
  });
});
