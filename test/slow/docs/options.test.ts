import { expect, test } from "vitest";
import { outdatedPages } from "../../../scripts/docs/options.js";

test("the tables of options on the pages are those of the types", async () => {
  const outdated = await outdatedPages();
  expect(outdated.map(({ name }) => name)).toEqual([]);
});
