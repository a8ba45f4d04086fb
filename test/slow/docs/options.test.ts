import { expect, test } from "vitest";
import { createRender, outdatedPages, readProgram } from "../../../scripts/docs/options.js";

test("the tables of options on the pages are those of the types", async () => {
  const outdated = await outdatedPages(createRender(readProgram()));
  expect(outdated.map(({ name }) => name)).toEqual([]);
});
