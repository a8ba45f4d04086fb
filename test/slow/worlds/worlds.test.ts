import { test } from "vitest";
import { checkWorlds } from "../../support/worlds/check-worlds.js";
import { allEvents } from "../../support/worlds/reach.js";

/** Other worlds each day. */
const firstSeed = Math.floor(Date.now() / 86_400_000) * 40_000;

test("2000 random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest", async () => {
  await checkWorlds(firstSeed, 2000, allEvents);
}, 3_600_000);
