/**
 * Random networks, each of a seed: `test/slow/worlds` reads more, and others each night.
 *
 *     WORLD_SEED=17 npx vitest run test/integration/worlds.test.ts            # one world; several seeds are divided by commas
 *     WORLD_FIRST=1000 WORLD_COUNT=500 npx vitest run …                       # others
 *     WORLD_READER=votes WORLD_COUNT=5000 npx vitest run …                    # the worlds of one reader
 *
 * A failure says what is wrong, the reader, the world, and the simplest world that fails alike.
 */
import { test } from "vitest";
import { runs } from "../support/runs.js";
import { checkSeeds, checkWorlds } from "../support/worlds/check-worlds.js";

test("random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest", async () => {
  await checkWorlds(1_024_300_200, runs(50).numRuns);
}, 600_000);

// An empty window that a node without its history gave was taken as proved; a node without a block moved a window for ever; windows after
// the oldest record moved the start of the coverage; empty pages of a node without a block showed that nodes keep nothing; a page with
// known records alone ended its window, although the block had more; a loop over single pages of votes never ended; nodes without
// a block were taken for nodes that keep nothing before a start; an empty page without headers showed that nodes keep nothing so early; a
// pool gave up the only node with the next records while the request waited for its rate limit; a year that no response proved was claimed
// if another node took the place of the page.
test("worlds that were once read wrongly are read as they are", async () => {
  await checkSeeds([
    900000296, 900000398, 900000454, 900000516, 910000391, 930000781, 930001624, 950000314, 960000466, 980000932,
    981001246, 997000200, 1000002555, 1000401095, 1000501197, 1000501713, 1013051098, 1013071241, 1024001358,
  ]);
}, 60_000);
