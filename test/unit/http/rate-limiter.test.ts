import { expect, test } from "vitest";
import { RateLimitError } from "../../../src/errors/index.js";
import { defaultSettings } from "../../../src/http/call-options.js";
import { RateLimiter } from "../../../src/http/rate-limiter.js";
import type { ActiveCall } from "../../../src/http/request.js";
import { ManualClock } from "../../support/manual-clock.js";

const call = (maxRetryAfter: number): ActiveCall => ({
  operation: "test",
  settings: { ...defaultSettings, maxRetryAfter },
  headers: {},
  endsAt: Number.POSITIVE_INFINITY,
  progress: { attempts: 0, cause: undefined, isQueued: false },
  first: new AbortController(),
});
const rejected = new RateLimitError({
  operation: "test",
  attempts: 1,
  request: { method: "GET", url: "" },
  response: new Response("", { status: 429, headers: { "retry-after": "20" } }),
  body: {},
  banned: false,
  retryAfter: 20,
  sent: true,
});

test.each([
  ["made after the rejection, behind a call like it", true, 1000],
  ["made after the rejection, behind a call that waits", true, 30_000],
  ["that waits behind another one when the rejection comes", false, 30_000],
])("a call rejects at once if it does not wait as long as the node asks for: %s", async (_, isAfter, first) => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock);
  const permit = await limiter.acquire(call(30_000), 1, undefined);
  await limiter.acquire(call(30_000), 1, undefined);
  await limiter.acquire(call(30_000), 1, undefined);
  if (isAfter) limiter.release(permit, rejected);
  limiter.acquire(call(first), 1, undefined).catch(() => {});
  const ended: number[] = [];
  limiter.acquire(call(1000), 1, undefined).catch((error) => ended.push(clock.now(), error.retryAfter));
  if (!isAfter) limiter.release(permit, rejected);
  await clock.run(clock.sleep(60_000));
  expect(ended).toEqual([0, 20]);
});

test("a call that waited behind one that is aborted takes its place at once", async () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock);
  const [permit] = await Promise.all([1, 2, 3].map(() => limiter.acquire(call(30_000), 1, undefined)));
  if (permit) limiter.release(permit, { response: new Response("", { headers: { "ratelimit-remaining": "0" } }) });
  const controller = new AbortController();
  const patient = limiter.acquire({ ...call(30_000), signal: controller.signal }, 1, undefined);
  const hasty = limiter.acquire(call(100), 1, undefined).then(() => clock.now());
  clock.after(50, () => controller.abort("enough"));
  await expect(clock.run(patient)).rejects.toBe("enough");
  expect(await clock.run(hasty)).toBe(50);
});

test("calls that are aborted before they are sent, such as while middleware runs, take nothing of the rate limit", () => {
  const limiter = new RateLimiter(new ManualClock());
  for (let count = 0; count < 5; count++)
    limiter.acquire({ ...call(30_000), signal: AbortSignal.abort("enough") }, 1, undefined).catch(() => {});
  expect(limiter.expectedDelay()).toBe(0);
});

test("a call that waits is compared with a pause once, however many others come", async () => {
  const limiter = new RateLimiter(new ManualClock());
  limiter.release(await limiter.acquire(call(30_000), 1, undefined), rejected);
  let compared = 0;
  const settings = {
    ...defaultSettings,
    get maxRetryAfter() {
      compared++;
      return 30_000;
    },
  };
  for (let count = 0; count < 100; count++)
    limiter.acquire({ ...call(30_000), settings }, 1, undefined).catch(() => {});
  // The first one in line is compared again whenever another one may be sent.
  expect(compared).toBeLessThanOrEqual(200);
});

test("the expected wait is for a call behind those that wait", async () => {
  const limiter = new RateLimiter(new ManualClock());
  const permit = await limiter.acquire(call(30_000), 1, undefined);
  const headers = { "ratelimit-limit": "2", "ratelimit-remaining": "0" };
  limiter.release(permit, { response: new Response("", { headers }) });
  const delays = [0, 1, 2, 3].map(() => {
    const delay = limiter.expectedDelay();
    limiter.acquire(call(30_000), 1, undefined);
    return delay;
  });
  // Two tokens in each period of 1010 ms.
  expect(delays).toEqual([1010, 1010, 2020, 2020]);
});
