import { describe, expect, test } from "vitest";
import { NodeState } from "../../../src/pool/node-state.js";
import { ManualClock } from "../../support/manual-clock.js";

async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  await clock.run(clock.sleep(milliseconds));
}

describe("what a node has in flight", () => {
  test("does not count attempts that began a minute ago, however many a runtime has ended without notice", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    const attempt = () => ({ startedAt: clock.now(), sentAt: undefined, isTrial: false });
    for (let ended = 0; ended < 20_000; ended++) node.depart(attempt());
    await pass(clock, 59_999);
    const last = attempt();
    node.depart(last);
    expect(node.inFlight).toBe(20_001);
    await pass(clock, 1);
    expect(node.inFlight).toBe(1);
    node.land(last);
    expect(node.inFlight).toBe(0);
  });
});

describe("a node that fails", () => {
  test("rests for 1 s, twice as long each time that it was tried in vain, and at most 60 s", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    const rests: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      node.setAside("failing", clock.now());
      rests.push(node.rest);
      await pass(clock, node.rest + 1);
    }
    expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test("rests for at least half of that time, by chance", () => {
    const node = new NodeState("https://node.example", new ManualClock(), () => 0);
    node.setAside("failing", 0);
    expect(node.rest).toBe(500);
  });

  test("rests once for requests that were in flight at the same time", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    await pass(clock, 10);
    for (let request = 0; request < 5; request++) node.setAside("failing", 0);
    expect(node.rest).toBe(1000);
  });

  test("rests for as long as its rate limit asks for", () => {
    const node = new NodeState("https://node.example", new ManualClock(), () => 1);
    node.setAside("limited", 0, 600_000);
    expect(node.rest).toBe(600_000);
  });

  test("is due after its rest, and rests on while one request tries it", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    node.setAside("failing", 0);
    expect([node.isAvailable, node.isDue]).toEqual([false, false]);
    await pass(clock, 1000);
    expect([node.isAvailable, node.isDue]).toEqual([false, true]);
    const trial = { startedAt: 1000, sentAt: 1000, isTrial: true };
    node.depart(trial);
    expect([node.isDue, node.rest]).toEqual([false, 2000]);
    // A runtime can end the call without notice: the node is tried again.
    await pass(clock, 2000);
    expect(node.isDue).toBe(true);
    node.land(trial);
    node.recover(1000);
    expect([node.isAvailable, node.rest]).toEqual([true, 0]);
  });

  test("is available at once after a request that was sent since has succeeded, and rests for 1 s again later", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    node.setAside("failing", 0);
    await pass(clock, 1500);
    node.setAside("failing", 1500);
    node.recover(0);
    expect(node.isAvailable).toBe(false);
    await pass(clock, 2000);
    node.recover(3500);
    expect(node.isAvailable).toBe(true);
    node.setAside("failing", 3600);
    expect(node.rest).toBe(1000);
  });
});

describe("the latency of a node", () => {
  test("follows its responses slowly, and is measured anew after a rest because of silence", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    expect(node.recentLatency).toBeUndefined();
    await pass(clock, 100);
    node.hear(undefined, 0);
    expect(node.recentLatency).toBe(100);
    await pass(clock, 200);
    node.hear(undefined, 100);
    expect(node.recentLatency).toBe(120);
    await pass(clock, 1500);
    node.abandon(300, 500);
    expect([node.cause, node.recentLatency]).toEqual(["slow", 1500]);
    await pass(clock, 50);
    node.hear(undefined, 1800);
    node.recover(1850);
    expect(node.recentLatency).toBe(50);
  });

  test("is not taken into account after half a minute without a response", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    await pass(clock, 100);
    node.hear(undefined, 0);
    await pass(clock, 30_000);
    expect(node.recentLatency).toBeUndefined();
    expect(node.latency.typical).toBe(100);
  });
});

describe("a node that is silent", () => {
  const silences = async (elapsed: number, count: number, heard = false) => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    await pass(clock, 100);
    for (let request = 0; request < count; request++) {
      const sentAt = clock.now();
      await pass(clock, elapsed);
      if (heard) node.hear(undefined, clock.now());
      node.abandon(sentAt, 200);
    }
    return node.cause;
  };

  test("rests after two requests that it was late for, or one of a second", async () => {
    expect(await silences(250, 1)).toBeUndefined();
    expect(await silences(250, 2)).toBe("slow");
    expect(await silences(1000, 1)).toBe("slow");
  });

  test("does not rest if its response would not have been late, or if it has responded since", async () => {
    expect(await silences(199, 9)).toBeUndefined();
    expect(await silences(250, 9, true)).toBeUndefined();
  });

  test("has a latency of at least the time that it was silent, and its responses are late as soon as before", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    await pass(clock, 100);
    node.hear(undefined, 0);
    const { bound } = node.latency;
    await pass(clock, 700);
    node.abandon(100, 1000);
    expect([node.recentLatency, node.latency.bound]).toEqual([700, bound]);
  });
});

describe("the block of a node", () => {
  test("is that of the request that was sent last, unless an earlier one names a higher block", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    const at = (height: bigint) => ({ height, timestamp: height * 1_000_000_000n });
    await pass(clock, 100);
    node.hear(at(10n), 50);
    node.hear(at(9n), 40);
    expect(node.sighting?.block.height).toBe(10n);
    node.hear(at(11n), 30);
    expect(node.sighting?.block.height).toBe(11n);
    node.hear(at(5n), 60);
    expect(node.sighting?.block.height).toBe(5n);
  });
});
