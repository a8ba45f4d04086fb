import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readWait } from "../../../src/http/retry.js";
import type { ObserverEvent } from "../../../src/index.js";
import { ManualClock } from "../../support/manual-clock.js";
import { rejectionOf } from "../../support/recorder.js";
import { createSend } from "../../support/send.js";

/** Makes one call on a clock of its own, and returns its outcome and the waits between its attempts. */
async function send(respond: (attempt: number) => Response, options: { settings?: object; random?: number } = {}) {
  const clock = new ManualClock();
  const events: ObserverEvent[] = [];
  const { settings, random = 0.5 } = options;
  let attempt = 0;
  const call = createSend(
    { fetch: async () => respond(++attempt), clock, random: () => random, observe: (event) => events.push(event) },
    settings,
  );
  const result = await clock.run(call()).then(
    () => "response",
    (error: Error) => error.name,
  );
  const attempts = events.filter(({ type }) => type === "attempt").map(({ time }) => time - clock.date() + clock.now());
  return { result, delays: events.flatMap((event) => (event.type === "retry" ? [event.delay] : [])), attempts };
}

const failing =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ code: 14, message: "no", details: [] }, { status, headers });

describe("the waits between attempts", () => {
  test("double, are a random part of their span, and stay below maxDelay", async () => {
    const { delays, attempts, result } = await send(failing(503), { settings: { attempts: 8 } });
    expect(delays).toEqual([125, 250, 500, 1000, 2000, 4000, 4000]);
    expect(attempts).toEqual([0, 125, 375, 875, 1875, 3875, 7875, 11_875]);
    expect(result).toBe("ApiError");
  });

  test("lie anywhere in their span", async () => {
    const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const property = fc.asyncProperty(fc.nat(1000), fc.nat(5000), share, async (baseDelay, maxDelay, random) => {
      const { delays } = await send(failing(500), { settings: { baseDelay, maxDelay }, random });
      expect(delays).toEqual([1, 2, 4].map((factor) => random * Math.min(maxDelay, baseDelay * factor)));
    });
    await fc.assert(property, { numRuns: 20 });
  });
});

describe("the wait that a server requests", () => {
  test.each([
    ["Retry-After in seconds", 503, { "Retry-After": "7" }, 7000],
    ["Retry-After as a date", 503, { "Retry-After": "Fri, 09 Feb 2024 16:54:54 GMT" }, 5000],
    [
      "Retry-After as a date, by the clock of the server",
      503,
      { Date: "Fri, 09 Feb 2024 21:54:52 GMT", "Retry-After": "Fri, 09 Feb 2024 21:54:54 GMT" },
      2000,
    ],
    ["RateLimit-Retry-After of a short ban", 403, { "RateLimit-Retry-After": "9" }, 9000],
    ["the longest of several", 429, { "RateLimit-Reset": "1", "Retry-After": "4" }, 4000],
    ["a Retry-After shorter than the backoff", 503, { "Retry-After": "0" }, 125],
    ["RateLimit-Reset of a rejection", 429, { "RateLimit-Reset": "4" }, 4000],
    ["RateLimit-Reset of another response, which names no wait", 503, { "RateLimit-Reset": "4" }, 125],
    ["RateLimit-Retry-After of a response that is no ban", 503, { "RateLimit-Retry-After": "0" }, 125],
  ] as const)("is observed: %s", async (_, status, headers, delay) => {
    const { delays, attempts, result } = await send((attempt) =>
      attempt === 1 ? failing(status, headers)() : Response.json({ ok: true }),
    );
    expect(delays).toEqual([delay]);
    expect(attempts).toEqual([0, delay]);
    expect(result).toBe("response");
  });

  test("is observed up to maxRetryAfter; above it the call rejects immediately", async () => {
    const headers = { "Retry-After": "5" };
    const patient = await send(failing(503, headers), { settings: { attempts: 2, maxRetryAfter: 5000 } });
    expect(patient.delays).toEqual([5000]);
    const hasty = await send(failing(503, headers), { settings: { attempts: 2, maxRetryAfter: 4999 } });
    expect(hasty).toEqual({ result: "ApiError", delays: [], attempts: [0] });
  });

  test.each([
    [503, ". Not retried: the server asks for a wait of 120 s, longer than `maxRetryAfter`, 30000 ms"],
    // That of a rate limit has it.
    [429, ". Wait 120 seconds."],
  ])("is in the message of a call with status %i that is not retried because of it", async (status, end) => {
    const fetch = async () => failing(status, { "Retry-After": "120" })();
    const request = "GET https://node.example/statistics/spam/aa";
    const message = `test failed with status ${status}: no (${request})${end}`;
    const error = await rejectionOf(createSend({ fetch, clock: new ManualClock() })());
    expect(error).toMatchObject({ attempts: 1, message });
  });
});

describe("the wait that a header names", () => {
  const now = new ManualClock().date();
  test.each<[text: string | null, wait: number | undefined]>([
    [null, undefined],
    ["", undefined],
    ["5", 5000],
    [" 5.25 ", 5250],
    ["-5", undefined],
    ["5 s", undefined],
    ["5.x", undefined],
    ["x5", undefined],
    ["2024-02-09", undefined],
    ["999999999", 86_400_000],
    ["1000000000", 0],
    [String(now / 1000 + 7), 7000],
    [new Date(now + 9000).toUTCString(), 9000],
    [new Date(now + 9000).toISOString(), 9000],
    [new Date(now - 9000).toUTCString(), 0],
    [new Date(now + 100_000_000).toUTCString(), 86_400_000],
  ])("%j", (text, wait) => {
    expect(readWait(text, now)).toBe(wait);
  });
});
