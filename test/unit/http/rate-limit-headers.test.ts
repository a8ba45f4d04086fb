import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../support/manual-clock.js";
import { json } from "../../support/recorder.js";
import { createSend } from "../../support/send.js";

/** A client of a node that gives the same response to every request. */
function connect(respond: (request: number) => Response, maxRetryAfter = 30_000) {
  const clock = new ManualClock();
  const node = { requests: 0 };
  const fetch = async () => {
    await clock.sleep(10);
    return respond(++node.requests);
  };
  const send = createSend({ clock, fetch }, { timeout: Number.POSITIVE_INFINITY, maxRetryAfter });
  return { clock, node, send };
}

const names = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
const headersOf = (values: readonly string[]) => Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));

describe("rate limit headers", () => {
  test("of any content do not hold a call back for longer than maxRetryAfter", async () => {
    const value = fc.oneof(
      fc.integer().map(String),
      fc.double().map(String),
      fc.constantFrom("", "0", "1", "20", "-1", "soon", "1e999", "9".repeat(400), "1707497695", "86400"),
      fc.constant("Fri, 09 Feb 2024 16:54:54 GMT"),
    );
    const maxRetryAfter = fc.nat(40_000);
    await fc.assert(
      fc.asyncProperty(value, value, value, maxRetryAfter, async (limit, remaining, reset, longest) => {
        const headers = headersOf([limit, remaining, reset]);
        const { clock, send } = connect(() => json({ ok: true }, { headers }), longest);
        await clock.run(send());
        const start = clock.now();
        await clock.run(send());
        expect(clock.now() - start).toBeLessThanOrEqual(longest + 10);
      }),
    );
  });

  test.each(["1707497695", "86400", "9999999999999", `${"9".repeat(400)}`, "60"])(
    "that make a rejected call wait until %s reject it at once, and those after it for a day at most",
    async (reset) => {
      const headers = { ...headersOf(["20", "0", reset]), "Retry-After": "40" };
      const { clock, node, send } = connect((request) =>
        request === 1 ? json({ code: 8 }, { status: 429, headers }) : json({ ok: true }),
      );
      await expect(clock.run(send())).rejects.toMatchObject({ name: "RateLimitError", banned: false, attempts: 1 });
      await expect(clock.run(send())).rejects.toMatchObject({ name: "RateLimitError", banned: false, attempts: 0 });
      expect(clock.now()).toBe(10);
      expect(node.requests).toBe(1);
      await clock.run(clock.sleep(86_400_000));
      expect(await clock.run(send())).toMatchObject({ data: { ok: true } });
    },
  );
});

describe("a ban", () => {
  const ban = (named: string) => json({ code: 7 }, { status: 403, headers: { "RateLimit-Retry-After": named } });

  test.each([
    ["600", 600],
    ["soon", 60],
    ["", 60],
    ["-1", 60],
  ])("whose header says %j rejects calls for its time", async (named, seconds) => {
    const { clock, node, send } = connect((request) => (request === 1 ? ban(named) : json({ ok: true })));
    const banned = { name: "RateLimitError", banned: true, retryAfter: seconds };
    await expect(clock.run(send())).rejects.toMatchObject({ ...banned, attempts: 1 });
    await expect(clock.run(send())).rejects.toMatchObject({ ...banned, attempts: 0 });
    expect(node.requests).toBe(1);
    await clock.run(clock.sleep(seconds * 1000));
    expect(await clock.run(send())).toMatchObject({ data: { ok: true } });
  });

  test("whose header says 0 is over after a second: the call is retried then, and others are not sent until then", async () => {
    const { clock, node, send } = connect((request) => (request === 1 ? ban("0") : json({ ok: true })));
    const first = send();
    await clock.run(clock.sleep(11));
    await expect(clock.run(send())).rejects.toMatchObject({ banned: true, retryAfter: 1, attempts: 0 });
    expect(node.requests).toBe(1);
    expect(await clock.run(first)).toMatchObject({ data: { ok: true } });
    expect(clock.now()).toBeGreaterThanOrEqual(1000);
  });
});
