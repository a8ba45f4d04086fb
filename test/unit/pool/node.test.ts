import { describe, expect, test } from "vitest";
import { PoolNode } from "../../../src/pool/node.js";
import { ManualClock } from "../../support/manual-clock.js";

const headers = new Headers();

/** A node without jitter, and its clock. */
function setting(random = 1) {
  const clock = new ManualClock();
  const node = new PoolNode("https://node.example", clock, () => random);
  return { clock, node, pass: (milliseconds: number) => clock.run(clock.sleep(milliseconds)) };
}

describe("a cool-down", () => {
  test("takes 1 s, twice as long after each further failure, and at most 60 s", async () => {
    const { clock, node, pass } = setting();
    const coolDowns: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      node.fail("failing", clock.now());
      coolDowns.push(node.coolDown);
      await pass(node.coolDown + 1);
    }
    expect(coolDowns).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test("takes at least as long as the rate limit of the node requires", () => {
    const { node } = setting();
    node.fail("failing", 0, { least: 600_000 });
    expect(node.coolDown).toBe(600_000);
  });
});

describe("the head of a node", () => {
  test("is the block of the request that was sent last, unless an earlier request names a later block", async () => {
    const { node, pass } = setting();
    const at = (time: bigint) => ({ height: 0n, timestamp: time * 1_000_000_000n });
    await pass(100);
    node.hear(at(10n), 50, headers);
    node.hear(at(9n), 40, headers);
    expect(node.block).toEqual(at(10n));
    node.hear(at(11n), 30, headers);
    expect([node.block, node.head]).toEqual([at(11n), { blockTime: 11_000, heardAt: 100 }]);
    await pass(100);
    node.hear(at(5n), 150, headers);
    expect(node.block).toEqual(at(5n));
  });
});
