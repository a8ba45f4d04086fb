import fc from "fast-check";
import { expect, test } from "vitest";
import { balanceChangesProperty, type Compare, votesProperty } from "../../support/follow-properties.js";

const compare: Compare = (actual, expected) => expect(actual).toEqual(expected);

test("a follower yields each balance change of 300 random chains exactly once, on three nodes that lag, restart and fail", async () => {
  await fc.assert(balanceChangesProperty(compare), { numRuns: 300 });
}, 180_000);

test("a follower yields the last version of each vote of 300 random chains, on three nodes that lag, restart and fail", async () => {
  await fc.assert(votesProperty(compare), { numRuns: 300 });
}, 180_000);
