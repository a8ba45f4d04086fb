import { expect, test } from "vitest";
import { PoolNode } from "../../../src/pool/node.js";
import { ManualClock } from "../../support/manual-clock.js";

test("the head of a node is the block of the last request, unless an earlier request names a later block", async () => {
  const clock = new ManualClock();
  const node = new PoolNode("https://node.example", clock, () => 1);
  const at = (time: bigint) => ({ height: 0n, timestamp: time * 1_000_000_000n });
  const hear = (time: bigint, sentAt: number) => node.hear(at(time), sentAt, new Headers());
  await clock.run(clock.sleep(100));
  hear(10n, 50);
  hear(9n, 40);
  expect(node.block).toEqual(at(10n));
  hear(11n, 30);
  expect([node.block, node.head]).toEqual([at(11n), { blockTime: 11_000, heardAt: 100 }]);
  await clock.run(clock.sleep(100));
  hear(5n, 150);
  expect(node.block).toEqual(at(5n));
});
