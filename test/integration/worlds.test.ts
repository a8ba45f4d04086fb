import { test } from "vitest";
import { checkWorlds, isChosen } from "../support/world-readers.js";

// `test/slow/worlds` reads others each night.
const run = isChosen ? test : test.fails;

run(
  "300 random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest",
  async () => {
    await checkWorlds(1, 300);
  },
  600_000,
);
