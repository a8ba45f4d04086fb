import { describe, expect, test } from "vitest";
import type { Poll } from "../../../src/follow/follower.js";
import { follower } from "../../../src/follow/follower.js";
import type { FollowEvent } from "../../../src/follow/options.js";
import { type FollowOptions, followChecks, StalledError } from "../../../src/follow/options.js";
import {
  ApiError,
  ArgumentError,
  ConnectionError,
  createClient,
  RateLimitError,
  ResponseError,
  TimeoutError,
  VegaError,
} from "../../../src/index.js";
import { ManualClock } from "../../support/manual-clock.js";

interface NumberBatch {
  records: number[];
  resume: `${bigint}`;
}

/** What a poll does: finds records in a block, fails, or never ends. */
type Step = { height: number; records?: number[]; hasMore?: boolean } | { error: unknown } | "hang";

/** A follower over polls that are given, and the times at which they begin. The last step is repeated. */
function follow(steps: readonly Step[], options: FollowOptions = {}) {
  const clock = new ManualClock();
  const polls: number[] = [];
  const signals: AbortSignal[] = [];
  const events: FollowEvent[] = [];
  let newest = -1;
  const poll = async (signal: AbortSignal): Promise<Poll<NumberBatch>> => {
    const step = steps[Math.min(polls.length, steps.length - 1)] as Step;
    polls.push(clock.now());
    signals.push(signal);
    if (step === "hang") return new Promise(() => {});
    if ("error" in step) throw step.error;
    const { height, records = [], hasMore = false } = step;
    const block = { height: BigInt(height), timestamp: BigInt(height) * 1_000_000_000n };
    const isNew = height > newest || hasMore;
    newest = Math.max(newest, height);
    return { block, ...(isNew && { batch: { records, resume: `${block.timestamp}` } }), hasMore };
  };
  const followed = follower<number, NumberBatch>({
    operation: "follow",
    clock,
    client: createClient({ baseUrl: "https://node.example" }),
    query: {},
    spec: { arguments: {} },
    options: { observe: (event) => events.push(event), ...options },
    checks: followChecks,
    open: () => poll,
  });
  const run = <T>(promise: Promise<T>) => clock.run(promise);
  const fail = () =>
    run(
      (async () => {
        for await (const _ of followed.batches());
      })().catch((reason: unknown) => reason),
    );
  return { followed, clock, polls, signals, events, run, fail };
}

const request = { method: "GET", url: "https://node.example/" };
const apiError = (status: number, headers: Record<string, string> = {}) =>
  new ApiError({ request, response: new Response("", { status, headers }), body: "" });
const banned = new RateLimitError({
  request,
  response: new Response("", { status: 403 }),
  body: "",
  retryAfter: 600,
  banned: true,
  sent: true,
});
const responseError = (body: string) => new ResponseError("wrong", { response: new Response(body), body });

describe("a follower", () => {
  test("polls nothing until it is used, and only while the caller waits", async () => {
    const { followed, polls, run } = follow([
      { height: 1 },
      { height: 2, records: [1, 2] },
      { height: 3, records: [3] },
    ]);
    expect(polls).toEqual([]);
    expect(await run(followed.next())).toEqual({ done: false, value: 1 });
    expect(await run(followed.next())).toEqual({ done: false, value: 2 });
    expect(polls).toHaveLength(2);
    expect(await run(followed.next())).toEqual({ done: false, value: 3 });
    expect(polls).toHaveLength(3);
  });

  test("polls at once if more records can be read, and else after the interval, counted from the start of the last poll", async () => {
    const { followed, polls, clock, run } = follow(
      [
        { height: 1, records: [1], hasMore: true },
        { height: 2, records: [2] },
        { height: 3, records: [3] },
        { height: 4 },
      ],
      { pollInterval: 500 },
    );
    const batches = followed.batches();
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
    const { followed, polls, run } = follow([{ height: 1 }, { height: 1 }, { height: 1 }, { height: 2 }]);
    const batches = followed.batches();
    expect(await run(batches.next())).toMatchObject({ value: { records: [], resume: "1000000000" } });
    expect(await run(batches.next())).toMatchObject({ value: { records: [], resume: "2000000000" } });
    expect(polls).toHaveLength(4);
  });

  test.each([
    ["a connection that fails", new ConnectionError("reset")],
    ["a deadline of an attempt", new TimeoutError("late", { scope: "attempt" })],
    ["a deadline of a call", new TimeoutError("late", { scope: "total" })],
    ["status 408", apiError(408)],
    ["status 503", apiError(503)],
    ["a truncated response", responseError('{"votes":')],
  ])(
    "repeats a poll that ends with %s, with a wait that doubles up to 30 seconds, and reports each failure",
    async (_, error) => {
      const failing = Array.from({ length: 8 }, () => ({ error }));
      const { followed, polls, events, run } = follow([
        ...failing,
        { height: 1, records: [1] },
        { error },
        { height: 2 },
      ]);
      const batches = followed.batches();
      expect(await run(batches.next())).toMatchObject({ value: { records: [1] } });
      const waits = polls.map((time, index) => time - (polls[index - 1] ?? 0)).slice(1);
      expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
      expect(events).toHaveLength(8);
      expect(events[2]).toEqual({
        type: "retry",
        operation: "follow",
        failures: 3,
        delay: 4000,
        error: expect.objectContaining({ name: error.name, message: error.message }),
        time: expect.any(Number),
      });
      // After a success, the waits begin anew.
      await run(batches.next());
      expect(events.at(-1)).toMatchObject({ failures: 1, delay: 1000 });
    },
  );

  test("waits until a ban has ended, and as long as a server asks for", async () => {
    const { followed, polls, run } = follow([
      { error: banned },
      { error: apiError(503, { "Retry-After": "120" }) },
      { height: 1 },
    ]);
    await run(followed.batches().next());
    expect(polls).toEqual([0, 600_000, 720_000]);
  });

  test.each([
    ["status 400", apiError(400)],
    ["status 501", apiError(501)],
    ["a request that is too large", apiError(429)],
    ["a response of another kind", responseError("<html>")],
    ["an invalid argument", new ArgumentError("wrong", { argument: "filter" })],
  ])("ends with an error after %s, which has the position to continue from", async (_, error) => {
    for (const from of ["start", new Date("2024-01-01"), undefined] as const) {
      expect(await follow([{ error }], { from }).fail()).toBe(error);
      expect(error.resume).toEqual({ from: from ?? "now" });
    }
    const after = follow([{ height: 1 }, { height: 2, records: [1] }, { error }, { height: 3 }]);
    expect(await after.fail()).toBe(error);
    expect(error.resume).toEqual({ from: "2000000000" });
    expect(error.toJSON()).toMatchObject({ resume: { from: "2000000000" } });
    expect(after.polls).toHaveLength(3);
    expect(await after.followed.next()).toEqual({ done: true, value: undefined });
  });

  test("ends with the error of middleware as it is", async () => {
    const error = new Error("middleware");
    expect(await follow([{ error }]).fail()).toBe(error);
  });

  test("ends with a StalledError if the node names no new block for 60 seconds", async () => {
    const { fail, clock, polls } = follow([{ height: 1 }, { height: 7, records: [1] }, { height: 7 }]);
    const error = (await fail()) as StalledError;
    expect(StalledError.is(error) && VegaError.is(error)).toBe(true);
    expect(error).toMatchObject({
      name: "StalledError",
      operation: "follow",
      block: { height: 7n },
      resume: { from: "7000000000" },
    });
    expect(error.message).toMatch(/has seen no block after 7 for [\d.]+ ms$/);
    expect(error.stalledFor).toBeGreaterThanOrEqual(60_000);
    expect(clock.now()).toBeLessThan(90_000);
    expect(polls.length).toBeGreaterThan(4);
    expect(JSON.parse(JSON.stringify({ ...error.toJSON(), block: undefined }))).toMatchObject({ name: "StalledError" });
  });

  test("stalls after the time that the caller names, or never", async () => {
    const short = follow([{ height: 1 }], { stalledAfter: 5000, pollInterval: 1000 });
    expect(StalledError.is(await short.fail())).toBe(true);
    expect(short.clock.now()).toBe(5000);
    const never = follow([...Array.from({ length: 500 }, () => ({ height: 1 })), { height: 2 }], {
      stalledAfter: Number.POSITIVE_INFINITY,
    });
    const batches = never.followed.batches();
    await never.run(batches.next());
    await never.run(batches.next());
    expect(never.clock.now()).toBeGreaterThan(3_600_000);
  });

  test("does not stall while it reads a backlog, nor because polls fail", async () => {
    const backlog = Array.from({ length: 100 }, () => ({ height: 9, records: [1], hasMore: true }));
    const reading = follow([...backlog, { height: 10 }]);
    const batches = reading.followed.batches();
    for (let count = 0; count < 100; count++) {
      await reading.run(batches.next());
      await reading.run(reading.clock.sleep(2000));
    }
    const failing = Array.from({ length: 50 }, () => ({ error: apiError(503) }));
    const outage = follow([{ height: 1 }, ...failing, { height: 2 }]);
    const after = outage.followed.batches();
    await outage.run(after.next());
    await outage.run(after.next());
    expect(outage.clock.now()).toBeGreaterThan(60_000);
  });

  test("reports responses of earlier blocks, which are no progress", async () => {
    const { fail, events } = follow([{ height: 9 }, { height: 3 }], { pollInterval: 10_000 });
    expect(StalledError.is(await fail())).toBe(true);
    expect(events[0]).toMatchObject({
      type: "behind",
      operation: "follow",
      block: { height: 3n },
      newest: { height: 9n },
    });
  });

  test("cancels a poll that does not end within five minutes, and repeats it", async () => {
    const { followed, polls, signals, events, run } = follow(["hang", { height: 1, records: [1] }]);
    expect(await run(followed.next())).toEqual({ done: false, value: 1 });
    expect(polls).toEqual([0, 301_000]);
    expect(signals[0]?.aborted).toBe(true);
    expect(events).toMatchObject([{ type: "retry", error: { name: "TimeoutError" } }]);
  });

  test("is not changed by what its observer throws or rejects with", async () => {
    for (const observe of [
      () => {
        throw new Error("observer");
      },
      async () => Promise.reject(new Error("observer")),
    ]) {
      const { followed, run } = follow([{ error: apiError(503) }, { height: 1, records: [1] }], { observe });
      expect(await run(followed.next())).toEqual({ done: false, value: 1 });
    }
  });
});

/** What ends a follower, and what its pending call then does. */
const endings = [
  [
    "return()",
    ({ followed }: ReturnType<typeof follow>) => followed.return(undefined),
    { done: true, value: undefined },
  ],
  [
    "return() of its batches",
    ({ followed }: ReturnType<typeof follow>) => followed.batches().return(undefined),
    { done: true, value: undefined },
  ],
  [
    "await using",
    ({ followed }: ReturnType<typeof follow>) => {
      const { asyncDispose } = Symbol as { asyncDispose?: symbol };
      if (asyncDispose === undefined) return followed.return(undefined);
      const dispose: unknown = Reflect.get(followed, asyncDispose);
      return typeof dispose === "function" ? dispose.call(followed) : undefined;
    },
    { done: true, value: undefined },
  ],
] as const;

describe("the end of a follower", () => {
  test.each(endings)("by %s cancels a wait at once and leaves no timer", async (_, end, outcome) => {
    const following = follow([
      { height: 1, records: [1] },
      { height: 2, records: [2] },
    ]);
    const { followed, clock, run, polls } = following;
    await run(followed.next());
    const pending = followed.next();
    await new Promise(setImmediate);
    expect(clock.pending).toBe(1);
    await end(following);
    expect(await pending).toEqual(outcome);
    expect(clock.pending).toBe(0);
    expect(clock.now()).toBe(0);
    expect(polls).toHaveLength(1);
    expect(await followed.next()).toEqual({ done: true, value: undefined });
    expect(await followed.batches().next()).toEqual({ done: true, value: undefined });
  });

  test.each(endings)("by %s cancels the poll in flight", async (_, end, outcome) => {
    const following = follow(["hang"]);
    const { followed, clock, signals } = following;
    const pending = followed.next();
    await new Promise(setImmediate);
    expect(signals[0]?.aborted).toBe(false);
    await end(following);
    expect(await pending).toEqual(outcome);
    expect(signals[0]?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("by break ends the batches and the records, and leaves no timer", async () => {
    const { followed, clock, polls, run } = follow([
      { height: 1, records: [1, 2] },
      { height: 2, records: [3] },
    ]);
    await run(
      (async () => {
        for await (const record of followed) if (record === 1) break;
      })(),
    );
    expect(await followed.next()).toEqual({ done: true, value: undefined });
    expect(polls).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test.each(["wait", "poll"])(
    "by an abort rejects a pending call with the signal's reason during a %s",
    async (phase) => {
      const controller = new AbortController();
      const { followed, clock, run, events } = follow(
        [{ height: 1, records: [1] }, phase === "poll" ? "hang" : { height: 2 }],
        { signal: controller.signal, ...(phase === "poll" && { pollInterval: 0 }) },
      );
      await run(followed.next());
      const pending = followed.next();
      await new Promise(setImmediate);
      const reason = new ConnectionError("the caller's own");
      controller.abort(reason);
      await expect(pending).rejects.toBe(reason);
      expect(clock.pending).toBe(0);
      expect(events).toEqual([]);
    },
  );

  test("by an abort rejects the next call, although records of the last batch are left", async () => {
    const controller = new AbortController();
    const { followed, run } = follow([{ height: 1, records: [1, 2] }], { signal: controller.signal });
    expect(await run(followed.next())).toEqual({ done: false, value: 1 });
    controller.abort(new Error("enough"));
    await expect(followed.next()).rejects.toThrow("enough");
  });

  test("with a signal that was aborted before polls nothing", async () => {
    const { followed, polls } = follow([{ height: 1 }], { signal: AbortSignal.abort(new Error("early")) });
    await expect(followed.next()).rejects.toThrow("early");
    expect(polls).toEqual([]);
  });
});
