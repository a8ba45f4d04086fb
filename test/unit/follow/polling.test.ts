import { describe, expect, test } from "vitest";
import type { FollowerKind, PollContext } from "../../../src/follow/follower.js";
import { type FollowEvent, type FollowOptions, followChecks, StalledError } from "../../../src/follow/options.js";
import { PollingFollower } from "../../../src/follow/polling-follower.js";
import * as vega from "../../../src/index.js";
import { ManualClock } from "../../support/manual-clock.js";
import { readUntilError } from "../../support/page-source.js";

interface NumberBatch {
  records: number[];
  resume: `${bigint}`;
}

/** What a poll does: finds records in a block, fails, or never ends. */
type Step = { height: number; records?: number[]; hasMore?: boolean; seconds?: number } | { error: unknown } | "hang";

/** A follower over polls that are given, and the times at which they begin. The last step is repeated. */
function follow(steps: readonly Step[], options: FollowOptions = {}, random = () => 1) {
  const clock = new ManualClock();
  const polls: number[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const events: FollowEvent[] = [];
  const kind: FollowerKind<object, number, NumberBatch, number> = {
    operation: "follow",
    spec: { arguments: {} },
    checks: followChecks,
    pageSize: 1,
    begin: () => -1,
    poll: async (newest: number, { call }: PollContext<object>) => {
      const step = steps[Math.min(polls.length, steps.length - 1)] as Step;
      polls.push(clock.now());
      signals.push(call.signal);
      if (step === "hang") return new Promise(() => {});
      if ("error" in step) throw step.error;
      const { height, records = [], hasMore = false, seconds = height } = step;
      const block = { height: BigInt(height), timestamp: BigInt(Math.round(seconds * 1000)) * 1_000_000n };
      const isNew = height > newest || hasMore;
      const batch = { records, resume: `${block.timestamp}` as const };
      return { state: Math.max(newest, height), block, ...(isNew && { batch }), hasMore };
    },
    valuesOf: ({ records }) => records,
  };
  const client = vega.createClient({ baseUrl: "https://node.example" });
  const observed = { observe: (event: FollowEvent) => events.push(event), ...options };
  const followed = new PollingFollower(kind, client, {}, observed, { clock, random });
  const run = <T>(promise: Promise<T>) => clock.run(promise);
  const fail = async () => (await run(readUntilError(followed.batches()))).error;
  /** The waits between the polls of all steps but the last. */
  const waits = async () => {
    while (polls.length < steps.length) await run(followed.batches().next());
    return polls.slice(1).map((time, index) => time - (polls[index] ?? 0));
  };
  return { followed, clock, polls, signals, events, run, fail, waits };
}

const request = { method: "GET", url: "https://node.example/" };
const refused = (status: number, headers: Record<string, string> = {}) => {
  return { request, response: new Response("", { status, headers }), body: "" };
};
const apiError = (...args: Parameters<typeof refused>) => new vega.ApiError(refused(...args));
const banned = new vega.RateLimitError({ ...refused(403), retryAfter: 600, banned: true, sent: true });
const responseError = (body: string) => new vega.ResponseError("wrong", { response: new Response(body), body });

const ended = { done: true, value: undefined };

describe("a follower", () => {
  test("polls only while the caller waits: at once if more records can be read, else after the interval", async () => {
    const steps = [{ height: 1, hasMore: true }, { height: 2 }, { height: 3 }, { height: 4 }];
    const { followed, polls, clock, run } = follow(steps, { pollInterval: 500 });
    const batches = followed.batches();
    await run(clock.sleep(0));
    expect(polls).toEqual([]);
    for (let count = 0; count < 2; count++) await run(batches.next());
    expect(polls).toEqual([0, 0]);
    await run(clock.sleep(200));
    await run(batches.next());
    expect(polls).toEqual([0, 0, 500]);
    await run(clock.sleep(9000));
    await run(batches.next());
    expect(polls).toEqual([0, 0, 500, 9500]);
  });

  test("yields batches without records, and no batch if no block has ended", async () => {
    const { followed, polls, events, run } = follow([{ height: 1 }, { height: 1 }, { height: 1 }, { height: 2 }]);
    const batches = followed.batches();
    expect(await run(batches.next())).toMatchObject({ value: { records: [], resume: "1000000000" } });
    expect(await run(batches.next())).toMatchObject({ value: { records: [], resume: "2000000000" } });
    expect(polls).toHaveLength(4);
    expect(events).toEqual([]);
  });

  test.each([
    ["a connection that fails", new vega.ConnectionError("reset")],
    ["a deadline of an attempt", new vega.TimeoutError("late", { scope: "attempt" })],
    ["status 503", apiError(503)],
    ["a truncated response", responseError('{"votes":')],
  ])("repeats a poll after %s, with a wait that doubles up to 30 s, and reports each failure", async (_, error) => {
    const failing = Array.from({ length: 8 }, () => ({ error }));
    const steps = [...failing, { height: 1, records: [1] }, { error }, { height: 2 }];
    const { events, waits } = follow(steps, { stalledAfter: Number.POSITIVE_INFINITY });
    expect((await waits()).slice(0, 8)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(events).toHaveLength(9);
    expect(events[2]).toEqual({
      type: "retry",
      operation: "follow",
      failures: 3,
      delay: 4000,
      error: expect.objectContaining({ name: error.name, message: error.message }),
      time: expect.any(Number),
    });
    // After a success, the waits begin anew.
    expect(events.at(-1)).toMatchObject({ failures: 1, delay: 1000 });
  });

  test("repeats a poll after a random part of the wait, so that followers that lose a node do not return at once", async () => {
    const random = [0.5, 0, 0.25, 1].values();
    const failing = Array.from({ length: 4 }, () => ({ error: apiError(503) }));
    const { waits } = follow([...failing, { height: 1 }], {}, () => random.next().value ?? 0);
    expect(await waits()).toEqual([500, 0, 1000, 8000]);
  });

  test("waits until a ban has ended, and as long as a server asks for", async () => {
    const { waits } = follow([{ error: banned }, { error: apiError(503, { "Retry-After": "120" }) }, { height: 1 }]);
    expect(await waits()).toEqual([600_000, 120_000]);
  });

  test.each([
    ["status 400", apiError(400)],
    ["a request that is too large", apiError(429)],
    ["a response of another kind", responseError("<html>")],
  ])("ends with an error after %s, which has the position to continue from", async (_, error) => {
    const time = 1_704_067_200_000_000_000n;
    const times = [time, new Date("2024-01-01"), { epochNanoseconds: time }].map((from) => [from, `${time}`] as const);
    for (const [from, position] of [["start", "start"], [undefined, "now"], ...times] as const) {
      expect(await follow([{ error }], { from }).fail()).toBe(error);
      expect(JSON.parse(JSON.stringify(error)).resume).toEqual({ from: position });
    }
    const after = follow([{ height: 1 }, { height: 2, records: [1] }, { error }, { height: 3 }]);
    expect(await after.fail()).toBe(error);
    expect(error.resume).toEqual({ from: "2000000000" });
    expect(error.toJSON()).toMatchObject({ resume: { from: "2000000000" } });
    expect(after.polls).toHaveLength(3);
    expect(await after.followed.next()).toEqual({ done: true, value: undefined });
  });

  test.each<[what: string, steps: readonly Step[], message: RegExp, height: bigint | undefined]>([
    ["no new block comes", [{ height: 1 }, { height: 7 }], / after block 7 for [\d.]+ s$/, 7n],
    ["no poll succeeds", [{ height: 7 }, { error: apiError(503) }], / after block 7 for 60 s: .*503/, 7n],
    ["no poll ever succeeds", [{ error: apiError(503) }], / for 60 s: .*503/, undefined],
  ])("ends with a StalledError if for 60 seconds %s", async (_, steps, message, height) => {
    const { fail, clock, polls } = follow(steps);
    const error = (await fail()) as StalledError;
    expect(StalledError.is(error) && vega.VegaError.is(error)).toBe(true);
    expect(error).toMatchObject({ operation: "follow", resume: { from: height ? `${height}000000000` : "now" } });
    const words = expect.stringMatching(`received no new block${message.source}`);
    expect([error.block?.height, error.message]).toEqual([height, words]);
    expect(error.stalledFor).toBeGreaterThanOrEqual(60_000);
    expect(clock.now()).toBeLessThan(90_000);
    expect(polls.length).toBeGreaterThan(4);
  });

  test("stalls after the time that the caller names, or never", async () => {
    const short = follow([{ height: 1 }], { stalledAfter: 5000, pollInterval: 1000 });
    expect(await short.fail()).toMatchObject({ name: "StalledError", stalledFor: 5000 });
    const fraction = follow([{ height: 1 }], { stalledAfter: 5000, pollInterval: 1000.3 });
    expect(await fraction.fail()).toMatchObject({ stalledFor: 5002 });
    const still = [...Array(500).fill({ height: 1 }), { height: 2 }];
    const never = follow(still, { stalledAfter: Number.POSITIVE_INFINITY });
    await never.waits();
    expect(never.clock.now()).toBeGreaterThan(3_600_000);
  });

  test("does not count a wait that a server asks for as silence, but what was before it", async () => {
    const plain = Array.from({ length: 5 }, () => ({ error: apiError(503) }));
    const { fail, clock } = follow([...plain, { error: apiError(503, { "Retry-After": "120" }) }, ...plain]);
    expect(await fail()).toMatchObject({ name: "StalledError", stalledFor: 60_000 });
    expect(clock.now()).toBe(180_000);
  });

  test("does not count time in which the machine was suspended as silence", async () => {
    const hour = 3_600_000;
    const failures = Array.from({ length: 5 }, () => ({ error: new vega.ConnectionError("no network") }));
    const { followed, clock, run, polls } = follow([{ height: 1 }, ...failures, { height: 2 }]);
    await run(followed.batches().next());
    clock.after(10_000, () => clock.suspend(hour));
    await run(followed.batches().next());
    expect(polls).toHaveLength(7);
    const still = follow([{ height: 1 }]);
    still.clock.after(30_000, () => still.clock.suspend(hour));
    expect(await still.fail()).toMatchObject({ name: "StalledError" });
    expect(still.clock.now()).toBeLessThan(hour + 80_000);
  });

  test("does not stall while it reads a backlog, the caller is busy, or new blocks without records come", async () => {
    const { followed, run, clock } = follow([{ height: 9, records: [1], hasMore: true }]);
    for (let count = 0; count < 100; count++) {
      await run(followed.batches().next());
      await run(clock.sleep(2000));
    }
    const steps = [{ height: 1 }, { error: apiError(503) }, { height: 1 }, { height: 2 }];
    expect(await follow(steps, { pollInterval: 300_000 }).waits()).toEqual([300_000, 1000, 300_000]);
  });

  test("knows when a node responded last", async () => {
    const steps = [{ error: apiError(503) }, { height: 1, records: [2] }, { error: apiError(503) }, { height: 2 }];
    const { followed, run, clock } = follow(steps);
    const start = clock.date();
    expect(followed.lastHeard).toBeUndefined();
    expect(await run(followed.next())).toEqual({ done: false, value: 2 });
    expect(followed.lastHeard).toEqual(new Date(start + 1000));
    await run(followed.batches().next());
    expect(followed.lastHeard).toEqual(new Date(start + 3000));
  });

  test("reports responses of earlier blocks, which are no progress", async () => {
    const { fail, events } = follow([{ height: 9 }, { height: 3 }], { pollInterval: 10_000 });
    expect(StalledError.is(await fail())).toBe(true);
    const behind = { type: "behind", operation: "follow", block: { height: 3n }, newest: { height: 9n } };
    expect(events[0]).toMatchObject(behind);
  });
});

describe("the interval between two polls", () => {
  const blocks = (count: number, seconds: (index: number) => number, records?: number[]) =>
    Array.from({ length: count }, (_, index) => ({ height: index + 1, seconds: seconds(index), records }) as Step);

  test("is a second while records come, whatever the time of a block is", async () => {
    for (const seconds of [0.7, 2, 86_400])
      expect(await follow(blocks(4, (index) => index * seconds, [1])).waits()).toEqual([1000, 1000, 1000]);
  });

  test("is half as long again after each poll without records, up to 15 seconds, and short again after a record", async () => {
    const idle = blocks(12, (index) => index + 1);
    const waits = await follow([...idle, { height: 13, seconds: 13, records: [1] }, { height: 14 }]).waits();
    expect(waits.slice(0, 3)).toEqual([1500, 2250, 3375]);
    expect(waits.slice(-4)).toEqual([15_000, 15_000, 15_000, 1000]);
  });
});

describe("until", () => {
  const steps = [
    { height: 1, records: [1, 2] },
    { height: 2, records: [3] },
  ];

  test("resolves to the first record for which the predicate returns true, and ends the follower", async () => {
    const { followed, run, polls } = follow(steps);
    expect(await run(followed.until(async (value) => value > 2, { timeout: 60_000 }))).toBe(3);
    expect([polls, await followed.next()]).toEqual([[0, 1000], ended]);
  });

  const begun: Step = { height: 1, records: [1, 2] };
  const resume = { from: expect.stringMatching(/^\d+$/) };
  const never = () => new Promise<boolean>(() => {});
  test.each<[when: string, steps: Step[], where?: object, predicate?: typeof never]>([
    ["during a wait, with where to continue", [begun, { height: 2 }], { resume }],
    ["during a poll, with where to continue", [begun, "hang"], { resume }],
    ["while a predicate does not resolve", [begun], {}, never],
  ])(
    "rejects with a TimeoutError %s, and ends the follower",
    async (_, steps, where, predicate = async () => false) => {
      const { followed, run, clock } = follow(steps, { stalledAfter: Number.POSITIVE_INFINITY });
      const error: unknown = await run(followed.until(predicate, { timeout: 5000 }).catch((reason: unknown) => reason));
      expect(error).toMatchObject({ name: "TimeoutError", operation: "follow", ...where });
      expect([clock.now(), clock.pending, await followed.next()]).toEqual([5000, 0, ended]);
    },
  );

  test("rejects with the reason of the signal while a predicate does not resolve, and ends the follower", async () => {
    const controller = new AbortController();
    const { followed, run, clock } = follow(steps, { signal: controller.signal });
    const found = followed.until(() => new Promise(() => controller.abort(new Error("stop"))));
    await expect(run(found)).rejects.toThrow("stop");
    expect([clock.pending, await followed.next()]).toEqual([0, ended]);
  });

  test("rejects with the reason of the signal that a predicate aborts before it rejects itself", async () => {
    const controller = new AbortController();
    const { followed, run } = follow(steps, { signal: controller.signal });
    const predicate = () => {
      controller.abort(new Error("stop"));
      return Promise.reject(new Error("own"));
    };
    await expect(run(followed.until(predicate))).rejects.toThrow("stop");
    // An unhandled rejection of the predicate would fail the run.
    await new Promise(setImmediate);
  });

  test("rejects with wrong arguments, with what the predicate throws or what ends the follower, and if it is ended", async () => {
    const { followed, run, clock } = follow(steps);
    const predicate = () => {
      throw new Error("no");
    };
    await expect(run(followed.until(predicate))).rejects.toThrow("no");
    expect(clock.pending).toBe(0);
    const wrong = follow(steps).followed.until(3 as never);
    await expect(wrong).rejects.toThrow("Expected `predicate` of follow to be a function");
    const misspelled = follow(steps).followed.until(() => true, { timeouts: 5 } as object);
    await expect(misspelled).rejects.toThrow("until has no option `timeouts`. Did you mean `timeout`?");
    await expect(run(follow([{ error: apiError(400) }]).followed.until(() => true))).rejects.toThrow("400");
    const waiting = follow([{ height: 1 }, "hang"]);
    const pending = waiting.followed.until(() => false);
    await waiting.run(waiting.clock.sleep(10));
    await waiting.followed.return();
    await expect(pending).rejects.toMatchObject({ name: "VegaError", operation: "follow" });
  });
});

describe("the end of a follower", () => {
  const phases: [phase: string, step: Step][] = [
    ["wait", { height: 2 }],
    ["poll in flight", "hang"],
  ];

  test.each(phases)("by return() cancels a %s at once, and leaves no timer", async (_, step) => {
    const pollInterval = step === "hang" ? 0 : 1000;
    const { followed, clock, run, signals } = follow([{ height: 1, records: [1] }, step], { pollInterval });
    await run(followed.next());
    const pending = followed.next();
    await new Promise(setImmediate);
    await followed.return();
    expect(await pending).toEqual(ended);
    expect([clock.pending, clock.now(), signals[1]?.aborted]).toEqual([0, 0, step === "hang" || undefined]);
    expect([await followed.next(), await followed.batches().next()]).toEqual([ended, ended]);
  });

  test.each(phases)("by an abort during a %s rejects a pending call with its reason", async (_, step) => {
    const controller = new AbortController();
    const options = { signal: controller.signal, pollInterval: step === "hang" ? 0 : 1000 };
    const { followed, clock, run, events } = follow([{ height: 1, records: [1] }, step], options);
    await run(followed.next());
    const pending = followed.next();
    await new Promise(setImmediate);
    const reason = new vega.ConnectionError("the caller's own");
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect([clock.pending, events]).toEqual([0, []]);
  });

  test("with a signal that was aborted before polls nothing", async () => {
    const { followed, polls } = follow([{ height: 1 }], { signal: AbortSignal.abort(new Error("early")) });
    await expect(followed.next()).rejects.toThrow("early");
    expect(polls).toEqual([]);
  });
});
