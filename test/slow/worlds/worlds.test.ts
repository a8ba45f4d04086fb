import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { installNode, runNode } from "../../../cli/test/slow/sync/sqlite-node.js";
import { checkWorlds } from "../../support/worlds/check-worlds.js";

/** Other worlds each day. */
const firstSeed = Math.floor(Date.now() / 86_400_000) * 40_000;

beforeAll(installNode);

test("2000 random worlds are read completely up to the coverage, or end with an error whose `resume` gives exactly the rest", async () => {
  await checkWorlds(firstSeed, 2000);
}, 3_600_000);

test("the databases of random worlds are complete, and a check of them is correct", async () => {
  const script = fileURLToPath(new URL("sync.ts", import.meta.url));
  const tsx = createRequire(import.meta.url).resolve("tsx");
  expect(await runNode(["--import", tsx, script, String(firstSeed)])).toEqual({ code: 0, stdout: "", stderr: "" });
}, 3_600_000);
