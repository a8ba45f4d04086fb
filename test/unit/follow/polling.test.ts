import { describe, expect, test } from "vitest";
import { type Poll, PollingFollower } from "../../../src/follow/follower.js";
import { type FollowEvent, type FollowOptions, followChecks, StalledError } from "../../../src/follow/options.js";
import {
  ApiError,
  ConnectionError,
  createClient,
  RateLimitError,
  ResponseError,
  TimeoutError,
  VegaError,
} from "../../../src/index.js";
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
  let newest = -1;
  const poll = async ({ signal }: { signal?: AbortSignal | undefined }): Promise<Poll<NumberBatch>> => {
    const step = steps[Math.min(polls.length, steps.length - 1)] as Step;
    polls.push(clock.now());
    signals.push(signal);
    if (step === "hang") return new Promise(() => {});
    if ("error" in step) throw step.error;
    const { height, records = [], hasMore = false, seconds = height } = step;
    const block = { height: BigInt(height), timestamp: BigInt(Math.round(seconds * 1000)) * 1_000_000n };
    const isNew = height > newest || hasMore;
    newest = Math.max(newest, height);
    return { block, ...(isNew && { batch: { records, resume: `${block.timestamp}` } }), hasMore };
  };
  const followed = new PollingFollower<number, NumberBatch>({
    operation: "follow",
    clock,
    random,
    client: createClient({ baseUrl: "https://node.example" }),
    query: {},
    spec: { arguments: {} },
    options: { observe: (event) => events.push(event), ...options },
    checks: followChecks,
    open: () => poll,
  });
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
const apiError = (...args: Parameters<typeof refused>) => new ApiError(refused(...args));
const banned = new RateLimitError({ ...refused(403), retryAfter: 600, banned: true, sent: true });
const responseError = (body: string) => new ResponseError("wrong", { response: new Response(body), body });

describe("a follower", () => {
  test("polls nothing until it is used, and only while the caller waits", async () => {
    const steps = [{ height: 1 }, { height: 2, records: [1, 2] }, { height: 3, records: [3] }];
    const { followed, polls, run } = follow(steps);
    expect(polls).toEqual([]);
    const found: unknown[] = [];
    for (let count = 0; count < 3; count++) found.push((await run(followed.next())).value, polls.length);
    expect(found).toEqual([1, 2, 2, 2, 3, 3]);
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
    ["status 503", apiError(503)],
    ["a truncated response", responseError('{"votes":')],
  ])("repeats a poll after %s, with a wait that doubles up to 30 s, and reports each failure", async (_, error) => {
    const failing = Array.from({ length: 8 }, () => ({ error }));
    const { events, waits } = follow([...failing, { height: 1, records: [1] }, { error }, { height: 2 }]);
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

  test("ends with a StalledError if the node names no new block for 60 seconds", async () => {
    const { fail, clock, polls } = follow([{ height: 1 }, { height: 7, records: [1] }, { height: 7 }]);
    const error = (await fail()) as StalledError;
    expect(StalledError.is(error) && VegaError.is(error)).toBe(true);
    expect(error).toMatchObject({ operation: "follow", block: { height: 7n }, resume: { from: "7000000000" } });
    expect(error.message).toMatch(/has seen no block after 7 for [\d.]+ ms$/);
    expect(error.stalledFor).toBeGreaterThanOrEqual(60_000);
    expect(clock.now()).toBeLessThan(90_000);
    expect(polls.length).toBeGreaterThan(4);
  });

  test("stalls after the time that the caller names, or never", async () => {
    const short = follow([{ height: 1 }], { stalledAfter: 5000, pollInterval: 1000 });
    expect(StalledError.is(await short.fail())).toBe(true);
    expect(short.clock.now()).toBe(5000);
    const still = [...Array(500).fill({ height: 1 }), { height: 2 }];
    const never = follow(still, { stalledAfter: Number.POSITIVE_INFINITY });
    await never.waits();
    expect(never.clock.now()).toBeGreaterThan(3_600_000);
  });

  test("does not stall while it reads a backlog, nor because polls fail", async () => {
    const reading = follow([{ height: 9, records: [1], hasMore: true }]);
    for (let count = 0; count < 100; count++) {
      await reading.run(reading.followed.batches().next());
      await reading.run(reading.clock.sleep(2000));
    }
    const outage = follow([{ height: 1 }, ...Array(50).fill({ error: apiError(503) }), { height: 2 }]);
    await outage.waits();
    expect(outage.clock.now()).toBeGreaterThan(60_000);
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
    const idle = blocks(12, (index) => index);
    const waits = await follow([...idle, { height: 13, seconds: 12, records: [1] }, { height: 14 }]).waits();
    expect(waits.slice(0, 3)).toEqual([1500, 2250, 3375]);
    expect(waits.slice(-4)).toEqual([15_000, 15_000, 15_000, 1000]);
  });
});

const ended = { done: true, value: undefined };

describe("the end of a follower", () => {
  test.each<[phase: string, step: Step]>([
    ["wait", { height: 2 }],
    ["poll in flight", "hang"],
  ])("by return() cancels a %s at once, and leaves no timer", async (_, step) => {
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

  test.each<[phase: string, step: Step]>([
    ["wait", { height: 2 }],
    ["poll", "hang"],
  ])("by an abort during a %s rejects a pending call with its reason", async (phase, step) => {
    const controller = new AbortController();
    const options = { signal: controller.signal, pollInterval: phase === "poll" ? 0 : 1000 };
    const { followed, clock, run, events } = follow([{ height: 1, records: [1] }, step], options);
    await run(followed.next());
    const pending = followed.next();
    await new Promise(setImmediate);
    const reason = new ConnectionError("the caller's own");
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
