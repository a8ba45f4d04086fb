import { expect, test } from "vitest";
import { describeOutcome, readWorlds } from "../support/world-readers.js";

// `test/slow/worlds` reads many more.
test("100 random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest", async () => {
  const { failures, count } = await readWorlds(1, 100);
  const texts: string[] = [];
  for (const failure of failures.slice(0, 3)) texts.push(await describeOutcome(failure));
  if (texts.length > 0) throw new Error(`${failures.length} of ${count} worlds fail.\n\n${texts.join("\n\n")}`);
  expect(failures).toEqual([]);
}, 600_000);
