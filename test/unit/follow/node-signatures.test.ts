import { describe, expect, test } from "vitest";
import { nodeSignatures as kind } from "../../../src/follow/node-signatures.js";
import type { FollowOptions } from "../../../src/follow/options.js";
import type { NodeSignature } from "../../../src/index.js";
import type { FakeNode } from "../../../src/testing/index.js";
import { endBlock, followerOf, nodeAt, take, timeAt } from "../../support/follow-setting.js";

const id = "a".padStart(64, "0");
const kindOf = { kind: "NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL" } as const;
const signature = (byte: number): NodeSignature => ({ id, sig: btoa(String.fromCharCode(byte)), ...kindOf });

const follow = (node: FakeNode, options?: FollowOptions, pageSize = 1000) =>
  followerOf(kind, node, { id }, options, pageSize);

describe("a follower of node signatures", () => {
  test("has batches, beginning with the signatures that are there: new ones, each once, all of them, and their block", async () => {
    const node = nodeAt(1, { signatures: [signature(2)] });
    const { follower, run, clock } = follow(node, {}, 2);
    const next = async () => (await run(take(follower.batches(), 1)))[0];
    const first = [signature(2)];
    expect(await next()).toEqual({ records: first, signatures: first, upTo: timeAt(1) });
    // No batch comes while the block is the same.
    clock.after(10_000, () => endBlock(node, 2, { signatures: [1, 2, 3, 4, 7].map(signature) }));
    const batch = await next();
    expect(batch?.records).toHaveLength(4);
    expect(batch).toMatchObject({ signatures: [...first, ...(batch?.records ?? [])], upTo: timeAt(2) });
    endBlock(node, 3);
    expect(await next()).toEqual({ records: [], signatures: batch?.signatures, upTo: timeAt(3) });
  });

  test("resolves to all signatures once there are enough, and ends", async () => {
    const node = nodeAt(1, { signatures: [signature(1)] });
    const { follower, run, clock } = follow(node);
    const enough = follower.until(async (all) => all.length >= 3);
    for (const byte of [2, 3, 4])
      clock.after(5000 * byte, () => endBlock(node, byte, { signatures: [signature(byte)] }));
    expect((await run(enough)).length).toBeGreaterThanOrEqual(3);
    expect(await follower.next()).toEqual({ done: true, value: undefined });
  });
});
