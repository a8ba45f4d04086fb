import { describe, expect, test } from "vitest";
import { NodeState } from "../../../src/pool/node-state.js";
import { ManualClock } from "../../support/manual-clock.js";

async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  await clock.run(clock.sleep(milliseconds));
}

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

  test("is tried by one request after its rest", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    node.setAside("failing", 0);
    expect(node.isAvailable).toBe(false);
    await pass(clock, 1000);
    expect(node.isAvailable).toBe(true);
    node.inFlight = 1;
    expect(node.isAvailable).toBe(false);
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
  test("follows its responses slowly, and is measured anew after a timeout", async () => {
    const clock = new ManualClock();
    const node = new NodeState("https://node.example", clock, () => 1);
    expect(node.latency).toBeUndefined();
    await pass(clock, 100);
    node.hear(undefined, 0);
    expect(node.latency).toBe(100);
    await pass(clock, 200);
    node.hear(undefined, 100);
    expect(node.latency).toBe(120);
    node.slowDown(30_000, 300);
    expect(node.latency).toBe(30_000);
    await pass(clock, 1000);
    expect(node.latency).toBeUndefined();
    await pass(clock, 50);
    node.hear(undefined, 1300);
    node.recover(1300);
    expect(node.latency).toBe(50);
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
