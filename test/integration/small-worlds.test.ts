/**
 * Some small worlds of each family; `test/slow/worlds` reads all of them.
 *
 *     npx vitest run test/integration/small-worlds.test.ts --maxWorkers=1           # a few seconds of one core
 *     npx vitest run test/integration/small-worlds.test.ts -t "a pool"              # one family
 *     SMALL_REQUESTS=20000 npx vitest run test/integration/small-worlds.test.ts     # more of each family
 *     SMALL_WORLD='{"world":…}' npx vitest run test/integration/small-worlds.test.ts  # one run again: the line `again` of a report
 *
 * A failure is a short script: the world, each request with what happened before it and who responded, what was yielded with which
 * coverage, and what is wrong. `a1` is a record of party a in block 1, `aa1` one of another account of it.
 */
import { test } from "vitest";
import { checkCases, expectNoFailure, readAgain, summaryOf } from "../support/small-worlds/check.js";
import { families, points } from "../support/small-worlds/families.js";

const { SMALL_WORLD: again, SMALL_REQUESTS: most = "200" } = process.env;

test.runIf(again)("one run again", async () => {
  console.log(await readAgain(again ?? ""));
});

test.skipIf(again).each(Object.entries({ ...points, ...families }))(
  "some small worlds are read as they are: %s",
  async (name, cases) => {
    const report = await checkCases(name, cases(), Number(most));
    if (process.env["SMALL_REQUESTS"]) console.log(summaryOf(report));
    await expectNoFailure(report);
  },
);
