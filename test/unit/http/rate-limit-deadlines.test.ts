import { describe, expect, test } from "vitest";
import type { TimeoutError } from "../../../src/index.js";
import { createLimitedNode } from "../../support/limited-node.js";
import { ManualClock } from "../../support/manual-clock.js";
import { PooledNetwork } from "../../support/pooled-network.js";
import { json } from "../../support/recorder.js";
import { createSend } from "../../support/send.js";

const body = { chainId: "c", statistics: null };
const once = { timeout: 300, attempts: 1 };

/** A node that is silent until a time, and a client of it. */
function connect(settings: Parameters<typeof createSend>[1], silentUntil = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const sentAt: number[] = [];
  const send = createSend(
    {
      clock,
      fetch: async () => {
        sentAt.push(clock.now());
        if (clock.now() < silentUntil) return new Promise<Response>(() => {});
        await clock.sleep(20);
        return json(body);
      },
    },
    settings,
  );
  return { clock, sentAt, send };
}

const errorsOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === "rejected" ? [result.reason as TimeoutError] : []));

describe("the deadline of an attempt", () => {
  test("covers the wait for the rate limit: 200 calls to a silent node end together, few are sent, and each says why", async () => {
    const { clock, sentAt, send } = connect(once);
    const errors = errorsOf(await clock.run(Promise.allSettled(Array.from({ length: 200 }, () => send()))));
    expect([clock.now(), clock.pending, errors.length]).toEqual([300, 0, 200]);
    expect(sentAt).toEqual([0, 0, 0]);
    const common = { name: "TimeoutError", scope: "attempt" };
    const message = "Attempt 1 of test took longer than 300 ms (GET https://node.example/statistics/spam/a)";
    for (const error of errors.slice(0, 3))
      expect(error).toMatchObject({ ...common, message, waitedFor: undefined, attempts: 1 });
    const waiting =
      "Attempt 1 of test took longer than 300 ms because it waited for the rate limit. Make fewer calls at once, or raise `timeout`.";
    for (const error of errors.slice(3))
      expect(error.toJSON()).toMatchObject({ ...common, message: waiting, waitedFor: "rate-limit", attempts: 0 });
  });

  test("frees the place of its request: calls to a silent node, one after the other, are all sent", async () => {
    const { clock, sentAt, send } = connect(once, 2500);
    const calls = async () => {
      for (let call = 0; call < 9; call++) await expect(send()).rejects.toMatchObject({ waitedFor: undefined });
      return send();
    };
    expect(await clock.run(calls())).toMatchObject({ data: body });
    expect(sentAt).toEqual(Array.from({ length: 10 }, (_, call) => call * 300));
  });

  test("is retried: more calls at once than the rate permits within a deadline are all served", async () => {
    const clock = new ManualClock();
    const node = createLimitedNode(clock, { rate: 20, burst: 20 });
    const send = createSend({ clock, fetch: node.fetch }, { timeout: 5000 });
    await clock.run(Promise.all(Array.from({ length: 250 }, () => send())));
    expect(node.count).toMatchObject({ served: 250, rejected: 0 });
  });
});

test("the deadline of a call that passes while it waits for the rate limit says so", async () => {
  const { clock, send } = connect({ totalTimeout: 700 });
  const errors = errorsOf(await clock.run(Promise.allSettled(Array.from({ length: 5 }, () => send()))));
  expect(errors.map(({ scope, waitedFor, attempts }) => [scope, waitedFor, attempts])).toEqual([
    ...Array(3).fill(["total", undefined, 1]),
    ...Array(2).fill(["total", "rate-limit", 0]),
  ]);
  expect(errors[0]?.message).toBe("test took longer than 700 ms in total, with 1 attempt");
  expect(errors[4]?.message).toContain("with 0 attempts, because it waited for the rate limit.");
});

test("a client of several nodes turns to another node if the rate limit of one takes too long, and does not take that one for slow", async () => {
  const net = new PooledNetwork({
    data: { nodes: 2 },
    node: { rateLimit: { rate: 2, burst: 4 } },
    client: { timeout: 2000, retry: { attempts: 20 } },
  });
  await net.run(Promise.all(Array.from({ length: 40 }, () => net.client.getSpamStatistics({ partyId: "a1" }))));
  expect(net.events.filter(({ type }) => type === "retry" || type === "failover").length).toBeGreaterThan(0);
  expect(net.pool.status.map(({ state }) => state)).toEqual(["ready", "ready"]);
  // One was sent with 3 ms left.
  const late = net.events.flatMap((event) => (event.type === "response" && event.status !== 200 ? event : []));
  expect(late.every(({ error }) => error?.message.includes("because it waited for the rate limit"))).toBe(true);
});
