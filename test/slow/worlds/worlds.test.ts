import { test } from "vitest";
import { isNightly, runs } from "../../support/runs.js";
import { checkWorlds } from "../../support/worlds/check-worlds.js";
import { allEvents } from "../../support/worlds/reach.js";

/** Other worlds each night. A run in which one of the listed events has happened in no world fails as well. */
const firstSeed = isNightly ? 1_100_000_000 + Math.floor(Date.now() / 86_400_000) * 40_000 : 1_024_300_200;

test("random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest", async () => {
  // Each event happens in some of the first hundred.
  await checkWorlds(firstSeed, runs(200).numRuns, allEvents);
}, 3_600_000);
