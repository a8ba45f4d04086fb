import { describe, expect, test } from "vitest";
import { CallerLimits } from "../../../../src/cli/serve/caller-limits.js";
import type { Reply } from "../../../../src/cli/serve/replies.js";
import { ReplyCache } from "../../../../src/cli/serve/reply-cache.js";
import { SharedReads } from "../../../../src/cli/serve/shared-reads.js";

const reply = (size: number): Reply => ({ status: 200, headers: {}, body: Buffer.alloc(size) });

describe("the memory of final pages", () => {
  test("stays within its bytes, and drops the page that was not used for the longest time", () => {
    const cache = new ReplyCache(10_000, 1000, () => 0);
    for (const key of ["a", "b", "c"]) cache.set(key, reply(2500));
    cache.get("a");
    cache.set("d", reply(2500));
    expect(["a", "b", "c", "d"].filter((key) => cache.get(key))).toEqual(["a", "c", "d"]);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
    for (let index = 0; index < 100; index++) cache.set(`key ${index}`, reply(index * 100));
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  });

  test("has no page that is larger than it is, and counts a page that is set again once", () => {
    const cache = new ReplyCache(10_000, 1000, () => 0);
    cache.set("large", reply(20_000));
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
    cache.set("a", reply(1000));
    const { bytes } = cache;
    cache.set("a", reply(1000));
    expect([cache.size, cache.bytes]).toEqual([1, bytes]);
  });

  test("forgets a page after its lifetime", () => {
    let now = 0;
    const cache = new ReplyCache(10_000, 1000, () => now);
    cache.set("a", reply(10));
    now = 999;
    expect(cache.get("a")).toBeDefined();
    now = 1000;
    expect(cache.get("a")).toBeUndefined();
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });
});

describe("the limit of a caller", () => {
  test("allows a burst, and then the rate", () => {
    let now = 0;
    const limits = new CallerLimits(2, 4, () => now);
    const takes = (count: number) => Array.from({ length: count }, () => limits.take("a"));
    expect(takes(5)).toEqual([0, 0, 0, 0, 0.5]);
    expect(limits.take("b")).toBe(0);
    now = 500;
    expect(takes(2)).toEqual([0, 0.5]);
    now = 60_000;
    expect(takes(5)).toEqual([0, 0, 0, 0, 0.5]);
  });

  test("is remembered for ten thousand callers at most, of which those who came last stay", () => {
    const limits = new CallerLimits(1, 1, () => 0);
    limits.take("first");
    for (let index = 0; index < 10_000; index++) limits.take(String(index));
    expect(limits.take("9999")).toBeGreaterThan(0);
    expect(limits.take("first")).toBe(0);
  });
});

describe("a shared read", () => {
  const caller = () => new AbortController();

  test("is started once, and again after its end", async () => {
    const reads = new SharedReads<number>();
    let started = 0;
    const read = async () => ++started;
    const { signal } = caller();
    expect(await Promise.all([reads.join("a", signal, read), reads.join("a", signal, read)])).toEqual([1, 1]);
    expect(await reads.join("a", signal, read)).toBe(2);
    expect(reads.size).toBe(0);
  });

  test("continues if one caller goes, and is aborted if all do", async () => {
    const reads = new SharedReads<void>();
    let aborted = false;
    const read = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason);
        });
      });
    const [one, other] = [caller(), caller()];
    const joined = [reads.join("a", one.signal, read), reads.join("a", other.signal, read)];
    one.abort(new Error("gone"));
    expect(aborted).toBe(false);
    other.abort(new Error("gone"));
    expect(aborted).toBe(true);
    for (const each of joined) await expect(each).rejects.toThrow("gone");
    expect(reads.has("a")).toBe(false);
  });

  test("that fails, fails for all who wait, and not for those who come later", async () => {
    const reads = new SharedReads<string>();
    const { signal } = caller();
    const failing = () => Promise.reject(new Error("broken"));
    const joined = [reads.join("a", signal, failing), reads.join("a", signal, failing)];
    for (const each of joined) await expect(each).rejects.toThrow("broken");
    expect(await reads.join("a", signal, async () => "fine")).toBe("fine");
  });
});
