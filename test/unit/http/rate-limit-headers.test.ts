import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../support/manual-clock.js";
import { createSend } from "../../support/send.js";

/** A client of a node that responds after 10 ms, with what belongs to the time of the request. */
function connect(respond: (time: number) => Response, maxRetryAfter = 30_000) {
  const clock = new ManualClock();
  const node = { requests: 0 };
  const fetch = async () => {
    node.requests++;
    const response = respond(clock.now());
    await clock.sleep(10);
    return response;
  };
  const send = createSend({ clock, fetch }, { timeout: Number.POSITIVE_INFINITY, maxRetryAfter });
  return { clock, node, send };
}

const ok = () => Response.json({ ok: true });
const headersOf = ([limit = "", remaining = "", reset = ""]: readonly string[]) => ({
  "RateLimit-Limit": limit,
  "RateLimit-Remaining": remaining,
  "RateLimit-Reset": reset,
});

test("rate limit headers of any content do not hold a call back for longer than maxRetryAfter", async () => {
  const value = fc.oneof(
    fc.integer().map(String),
    fc.double().map(String),
    fc.constantFrom("", "0", "1", "20", "-1", "soon", "1e999", "9".repeat(400), "1707497695", "86400"),
    fc.constant("Fri, 09 Feb 2024 16:54:54 GMT"),
  );
  const property = fc.asyncProperty(fc.tuple(value, value, value), fc.nat(40_000), async (values, longest) => {
    const { clock, send } = connect(() => Response.json({ ok: true }, { headers: headersOf(values) }), longest);
    await clock.run(send());
    const start = clock.now();
    await clock.run(send());
    expect(clock.now() - start).toBeLessThanOrEqual(longest + 10);
  });
  await fc.assert(property);
});

const ban = (named: string) => Response.json({ code: 7 }, { status: 403, headers: { "RateLimit-Retry-After": named } });
const limit = (reset: string) =>
  Response.json({}, { status: 429, headers: { ...headersOf(["20", "0", reset]), "Retry-After": "40" } });

test.each<[kind: "a limit" | "a ban", named: string, seconds: number]>([
  ["a limit", "1707497695", 86_400],
  ["a limit", "86400", 86_400],
  ["a limit", "9".repeat(400), 86_400],
  ["a limit", "60", 86_400],
  ["a ban", "600", 600],
  ["a ban", "soon", 60],
  ["a ban", "", 60],
  ["a ban", "-1", 60],
])("%s, %j: a rejection rejects all calls, also those that wait, until it is over", async (kind, named, seconds) => {
  const isBan = kind === "a ban";
  const { clock, node, send } = connect((time) => (time < 10 ? (isBan ? ban : limit)(named) : ok()));
  const error = { name: "RateLimitError", banned: isBan, ...(isBan && { retryAfter: seconds }) };
  const results = await clock.run(Promise.allSettled(Array.from({ length: 30 }, () => send())));
  for (const [index, result] of results.entries())
    expect(result).toMatchObject({ reason: { ...error, attempts: index < 3 ? 1 : 0 } });
  const message = expect.stringMatching(/this call was not sent\. Wait \d+ seconds\./);
  await expect(clock.run(send())).rejects.toMatchObject({ ...error, attempts: 0, message });
  expect([clock.now(), node.requests]).toEqual([10, 3]);
  await clock.run(clock.sleep(seconds * 1000));
  expect(await clock.run(send())).toMatchObject({ data: { ok: true } });
});

test("a ban whose header says 0 is over after a second: its call is retried, and others are not sent until then", async () => {
  const { clock, node, send } = connect((time) => (time < 10 ? ban("0") : ok()));
  const first = send();
  await clock.run(clock.sleep(11));
  await expect(clock.run(send())).rejects.toMatchObject({ banned: true, retryAfter: 1, attempts: 0 });
  expect(node.requests).toBe(1);
  expect(await clock.run(first)).toMatchObject({ data: { ok: true } });
  expect(clock.now()).toBeGreaterThanOrEqual(1000);
});
