import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../../src/async/clock.js";
import type { ObserverEvent } from "../../../src/index.js";
import { createLimitedNode, type NodeLimits } from "../../support/limited-node.js";
import { ManualClock } from "../../support/manual-clock.js";
import { runs } from "../../support/runs.js";
import { createSend } from "../../support/send.js";

function connect({ latency = 20, tick = 0, early = 0, limits = {} as NodeLimits } = {}) {
  const clock = new ManualClock({ tick, early });
  const node = createLimitedNode(clock, limits);
  const send = createSend({
    clock,
    fetch: async (request) => {
      await clock.sleep(latency / 2);
      const response = await node.fetch(request);
      await clock.sleep(latency / 2);
      return response;
    },
  });
  return { clock, node, send };
}

/** Makes calls at the same time. */
const sendAll = <T>(count: number, send: () => Promise<T>) => Array.from({ length: count }, () => send());

/** Milliseconds that a bucket with 20 tokens a second needs for a number of requests. */
const leastTime = (requests: number, burst = 100) => Math.max(0, requests - burst) * 50;

describe("a paced client, alone on a node", () => {
  test.each([
    [5, 100],
    [20, 100],
    [50, 20],
    [200, 100],
    [1000, 100],
  ])("is never rejected and loses at most a tenth at %s ms latency of %s requests at once", async (latency, burst) => {
    const { clock, node, send } = connect({ latency, limits: { rate: 20, burst } });
    await clock.run(Promise.all(sendAll(500, send)));
    expect(node.count).toMatchObject({ served: 500, rejected: 0, banned: 0 });
    expect(clock.now()).toBeGreaterThanOrEqual(leastTime(500, burst));
    // The first three requests are sent alone: their responses name the limits.
    expect(clock.now()).toBeLessThanOrEqual(leastTime(500, burst) * 1.1 + 3 * latency);
  });

  test("is never left waiting if time passes between two readings of the clock and timers fire early", async () => {
    const parts = fc.double({ min: 0.0001, max: 0.9, noNaN: true });
    const property = fc.asyncProperty(parts, parts, async (tick, early) => {
      const { clock, node, send } = connect({ tick, early });
      await clock.run(Promise.all(sendAll(150, send)));
      expect(node.count).toMatchObject({ served: 150, rejected: 0 });
    });
    await fc.assert(property, runs(10));
  });
});

type Burst = [pause: number, calls: number, isAborted: boolean];
type Example = [bursts: Burst[], latency: number, limits: { rate: number; burst: number }, step: number | undefined];
const calls = [1, 42, 14, 30, 57];
const pauses = [0, 56, 0, 379, 1699].map((pause, index): Burst => [pause, calls[index] ?? 0, false]);
/** The node has counted the first requests although they are aborted. */
const aborted = Array<Burst>(2).fill([0, 1, true]);
const ofPauses: Example = [pauses, 6, { rate: 20, burst: 100 }, undefined];
const ofAborted: Example = [aborted, 2, { rate: 3, burst: 3 }, undefined];

describe("a paced client, alone on a node with a small bucket", () => {
  const cases = [1, 2, 3, 5, 10].flatMap((burst) =>
    [undefined, 0, 333, 999].flatMap((step) => [1, 20, 300, 1500].map((latency) => ({ burst, step, latency }))),
  );

  test.each(cases)("loses three at most: $burst tokens, $step, $latency ms", async ({ burst, step, latency }) => {
    const { clock, node, send } = connect({ latency, limits: { rate: burst, burst, step } });
    await clock.run(Promise.all(sendAll(12 * burst, send)));
    expect(node.count).toMatchObject({ served: 12 * burst, banned: 0 });
    // The first three requests are sent at once.
    expect(node.count.rejected).toBeLessThanOrEqual(Math.max(0, 3 - burst));
    // A second for each bucket and half of that again, since the client does not know when tokens are added.
    if (burst > 2) expect(clock.now()).toBeLessThanOrEqual(1.5 * 12_000 + 3 * latency);
  });

  test("is never rejected, whenever its calls are made and tokens are added, also if it aborts some calls", async () => {
    const bursts = fc.array(fc.tuple(fc.nat(3000), fc.integer({ min: 1, max: 80 }), fc.boolean()), { maxLength: 8 });
    const small = fc.integer({ min: 3, max: 8 }).map((burst) => ({ rate: burst, burst }));
    const limits = fc.oneof(fc.constant({ rate: 20, burst: 100 }), small);
    const step = fc.option(fc.nat(999), { nil: undefined });
    const latencies = fc.integer({ min: 2, max: 1500 });
    const property = fc.asyncProperty(bursts, latencies, limits, step, async (bursts, latency, limits, step) => {
      const { clock, node, send } = connect({ latency, limits: { ...limits, step } });
      const all = async () => {
        const calls: Promise<unknown>[] = [];
        for (const [pause, count, isAborted] of bursts) {
          await clock.sleep(pause);
          calls.push(...sendAll(Math.ceil(count / (limits.burst < 100 ? 4 : 1)), send));
          if (!isAborted) continue;
          const controller = new AbortController();
          calls.push(send(controller.signal).catch(() => {}));
          clock.after(latency / 2, () => controller.abort());
        }
        await Promise.all(calls);
      };
      await clock.run(all());
      expect(node.count).toMatchObject({ rejected: 0, banned: 0 });
    });
    await fc.assert(property, { ...runs(25), examples: [ofPauses, ofAborted] });
  });
});

test("a paced client that is not alone is rejected a few times at most, and never banned", async () => {
  const { clock, node, send } = connect();
  const calls = Promise.all(sendAll(500, send));
  for (const time of [300, 2000, 2500, 7000, 9000]) clock.after(time, () => node.empty());
  await clock.run(calls);
  expect(node.count).toMatchObject({ served: 500, banned: 0 });
  expect(node.count.rejected).toBeLessThanOrEqual(25);
});

test("a paced client is rejected a few times at most after the node holds fewer tokens than before", async () => {
  const { clock, node, send } = connect();
  await clock.run(Promise.all(sendAll(200, send)));
  node.configure({ rateLimit: { rate: 20, burst: 4 } });
  for (let round = 0; round < 20; round++) {
    await clock.run(clock.sleep(10_000));
    await clock.run(Promise.all(sendAll(40, send)));
  }
  expect(node.count.rejected).toBeLessThanOrEqual(40);
});

test("a rejection that arrives during a ban does not replace it", async () => {
  const clock = new ManualClock();
  let requests = 0;
  const send = createSend({
    clock,
    fetch: async () => {
      const banned = ++requests === 1;
      await clock.sleep(banned ? 10 : 20);
      return banned
        ? Response.json({ code: 7 }, { status: 403, headers: { "RateLimit-Retry-After": "600" } })
        : Response.json({ code: 8 }, { status: 429, headers: { "RateLimit-Reset": "1" } });
    },
  });
  const results = await clock.run(Promise.allSettled([send(), send()]));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(clock.run(send())).rejects.toMatchObject({ status: 403, banned: true, attempts: 0 });
});

test("a node without rate limit headers receives all requests without a pause after its first response", async () => {
  const clock = new ManualClock();
  let inFlight = 0;
  let most = 0;
  const send = createSend({
    clock,
    fetch: async () => {
      most = Math.max(most, ++inFlight);
      await clock.sleep(10);
      inFlight--;
      return new Response("{}");
    },
  });
  await clock.run(Promise.all(sendAll(200, send)));
  expect(clock.now()).toBe(20);
  expect(most).toBe(199);
});

test("a node that does not respond as a node makes no call wait longer: refused connections, errors and timeouts do not count", async () => {
  const fail = () => Promise.reject(new TypeError("refused"));
  const hang = () => new Promise<Response>(() => {});
  for (const fetch of [fail, async () => Response.json({}, { status: 502 }), hang]) {
    const clock = new ManualClock();
    const send = createSend({ clock, fetch }, { attempts: 2, baseDelay: 0, timeout: 1 });
    await clock.run(Promise.allSettled(sendAll(50, send)));
    expect(clock.now()).toBeLessThan(100);
  }
});

test("a call that waits reports how long, and an abort of it leaves the other calls their turn", async () => {
  const clock = new ManualClock();
  const node = createLimitedNode(clock, { rate: 1, burst: 3 });
  const pauses: number[] = [];
  const observe = (event: ObserverEvent) => void (event.type === "pause" && pauses.push(event.delay));
  const send = createSend({ clock, fetch: node.fetch, observe });
  const controller = new AbortController();
  const calls = [...sendAll(3, send), send(controller.signal), send()];
  clock.after(500, () => controller.abort("enough"));
  const results = await clock.run(Promise.allSettled(calls));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect([pauses, clock.now()]).toEqual([[1010, 2020], 1010]);
});

test("calls that are aborted as their turn comes take no place of the later ones", async () => {
  const clock = new ManualClock();
  const node = createLimitedNode(clock, { rate: 1, burst: 3 });
  let controller = new AbortController();
  const after: Clock["after"] = (milliseconds, callback) =>
    clock.after(milliseconds, () => {
      callback();
      controller.abort("enough");
    });
  const send = createSend({ clock: { now: () => clock.now(), date: () => clock.date(), after }, fetch: node.fetch });
  await clock.run(Promise.all(sendAll(3, send)));
  // More than are in flight at the same time.
  for (let round = 0; round < 12; round++) {
    controller = new AbortController();
    const [result] = await clock.run(Promise.allSettled([send(controller.signal)]));
    expect(result).toMatchObject({ status: "rejected", reason: "enough" });
  }
  await clock.run(send());
  expect(node.count.served).toBe(4);
});
