import { test } from "vitest";
import { checkWorlds } from "../support/worlds/check-worlds.js";

// `test/slow/worlds` reads others each night.
test("400 random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest", async () => {
  await checkWorlds(1, 400);
}, 600_000);
