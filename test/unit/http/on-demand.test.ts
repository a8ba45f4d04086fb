import { expect, test } from "vitest";
import { onDemand } from "../../../src/http/on-demand.js";
import { RateLimiter } from "../../../src/http/rate-limiter.js";
import { ConnectionError } from "../../../src/index.js";
import { ManualClock } from "../../support/manual-clock.js";

test("a module that is loaded on demand is there without a promise from the second use on", async () => {
  let loads = 0;
  const load = onDemand(async () => ({ loads: ++loads }));
  const first = load();
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toEqual({ loads: 1 });
  expect(load()).toEqual({ loads: 1 });
});

test("a module that cannot be loaded is a ConnectionError, and is loaded again at the next use", async () => {
  const failures = [new TypeError("Failed to fetch dynamically imported module")];
  const load = onDemand(async () => {
    const failure = failures.pop();
    if (failure) throw failure;
    return "loaded";
  });
  const error = await Promise.resolve(load()).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ message: expect.stringContaining("Failed to fetch"), cause: expect.any(TypeError) });
  expect(await load()).toBe("loaded");
});

test("requests that were sent before the rate limiter was there count as requests in flight", () => {
  const clock = new ManualClock();
  const early = [1, 2].map((number) => ({ sentAt: clock.now(), number, counted: 0 }));
  const limiter = new RateLimiter(clock, early);
  expect(limiter.tryAcquire(0)).toMatchObject({ number: 3 });
  expect(limiter.tryAcquire(0)).toBeUndefined();
  for (const permit of early) limiter.release(permit, { ok: true, rateLimit: undefined });
  expect(limiter.tryAcquire(0)).toMatchObject({ number: 4 });
});
