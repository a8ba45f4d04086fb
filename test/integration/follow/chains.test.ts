import fc from "fast-check";
import { expect, test } from "vitest";
import { balanceChangesProperty, type Compare, votesProperty } from "../../support/follow-properties.js";

const compare: Compare = (actual, expected) => expect(actual).toEqual(expected);

// `test/slow/follow/chains.test.ts` runs more of them.
const numRuns = Number(process.env["FOLLOW_RUNS"] ?? 30);

test("a follower yields each balance change of a chain exactly once, although nodes lag, restart, fail and show half-written blocks", async () => {
  await fc.assert(balanceChangesProperty(compare), { numRuns });
});

test("a follower yields the last version of each vote of a chain, and again only if it differs", async () => {
  await fc.assert(votesProperty(compare), { numRuns });
});
