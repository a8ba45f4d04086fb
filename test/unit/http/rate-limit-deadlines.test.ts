import { describe, expect, test } from "vitest";
import type { ObserverEvent, TimeoutError } from "../../../src/index.js";
import { createLimitedNode } from "../../support/limited-node.js";
import { ManualClock } from "../../support/manual-clock.js";
import { PooledNetwork } from "../../support/pooled-network.js";
import { createSend } from "../../support/send.js";

const body = { chainId: "c", statistics: null };
const once = { timeout: 300, attempts: 1 };

/** A node that is silent until a time, and a client of it. */
function connect(settings: Parameters<typeof createSend>[1], silentUntil = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const sentAt: number[] = [];
  const fetch = async () => {
    sentAt.push(clock.now());
    if (clock.now() < silentUntil) return new Promise<Response>(() => {});
    await clock.sleep(20);
    return Response.json(body);
  };
  return { clock, sentAt, send: createSend({ clock, fetch }, settings) };
}

const errorsOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === "rejected" ? [result.reason as TimeoutError] : []));

describe("the deadline of an attempt", () => {
  test("starts when the request is sent: a healthy node serves 400 reads at once, however long they wait in the queue", async () => {
    const clock = new ManualClock();
    const node = createLimitedNode(clock, { rate: 50, burst: 50 });
    const fetch = async (request: Request) => {
      await clock.sleep(20);
      return node.fetch(request);
    };
    const events: string[] = [];
    const observe = ({ type }: ObserverEvent) => void events.push(type);
    const send = createSend({ clock, fetch, observe }, { timeout: 1000, totalTimeout: 60_000 });
    const results = await clock.run(Promise.allSettled(Array.from({ length: 400 }, () => send())));
    expect(errorsOf(results)).toEqual([]);
    expect(events.filter((type) => type === "retry")).toEqual([]);
    expect(node.count).toMatchObject({ served: 400, rejected: 0 });
  });

  test("ends requests to a silent node, and the queue moves on", async () => {
    const { clock, sentAt, send } = connect(once, 2500);
    const results = await clock.run(Promise.allSettled(Array.from({ length: 20 }, () => send())));
    const errors = errorsOf(results);
    const message = "Attempt 1 of test took longer than 300 ms (GET https://node.example/statistics/spam/aa)";
    const late = { name: "TimeoutError", scope: "attempt", waitedFor: undefined, attempts: 1, message };
    for (const error of errors) expect(error).toMatchObject(late);
    expect([results.length, clock.pending]).toEqual([20, 0]);
    expect(sentAt.slice(0, 3)).toEqual([0, 0, 0]);
    expect(sentAt.filter((time) => time < 2500).length).toBe(errors.length);
  });
});

test("the deadline of a call that passes while it waits for the rate limit says so", async () => {
  const { clock, send } = connect({ totalTimeout: 1500 });
  const errors = errorsOf(await clock.run(Promise.allSettled(Array.from({ length: 5 }, () => send()))));
  expect(errors.map(({ scope, waitedFor, attempts }) => [scope, waitedFor, attempts])).toEqual([
    ...Array(4).fill(["total", undefined, 1]),
    ["total", "rate-limit", 0],
  ]);
  expect(errors[0]?.message).toBe("test took longer than 1500 ms in total, with 1 attempt");
  expect(errors[4]?.message).toContain("with 0 attempts, because it waited for the rate limit.");
});

test("a client of several nodes waits for their rate limits, and takes none for slow", async () => {
  const client = { timeout: 2000, retry: { attempts: 20 } };
  const net = new PooledNetwork({ data: { nodes: 2 }, node: { rateLimit: { rate: 2, burst: 4 } }, client });
  await net.run(Promise.all(Array.from({ length: 40 }, () => net.client.getSpamStatistics({ partyId: "a1" }))));
  expect(net.pool.status.map(({ state }) => state)).toEqual(["ready", "ready"]);
  expect(net.events.filter(({ type }) => type === "retry" || type === "failover")).toEqual([]);
});
