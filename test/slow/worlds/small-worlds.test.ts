/**
 * Every small world of some families, and each night of all; `test/integration/small-worlds.test.ts` says how to read a failure, and how to
 * run one world again.
 *
 *     npx vitest run --config vitest.slow.config.ts test/slow/worlds/small-worlds.test.ts -t "one party"
 */
import { test } from "vitest";
import { isNightly } from "../../support/runs.js";
import { checkCases, expectNoFailure, summaryOf } from "../../support/small-worlds/check.js";
import { families, points } from "../../support/small-worlds/families.js";

test.each(Object.entries({ ...points, ...(isNightly && families) }))(
  "all small worlds are read as they are: %s",
  { timeout: 7_200_000 },
  async (name, cases) => {
    const report = await checkCases(name, cases());
    console.log(summaryOf(report));
    await expectNoFailure(report);
  },
);
