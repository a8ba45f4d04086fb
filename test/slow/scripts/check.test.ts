import { expect, test } from "vitest";
import { runNpm } from "../../support/run-npm.js";

test("npm run check fails for a check that does not exist, and names the checks", async () => {
  const { status, stderr } = await runNpm(["run", "--silent", "check", "--", "structure", "speed"]);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^There is no check "speed"\. The checks are lint, generated, version, types, code, words, /);
});
