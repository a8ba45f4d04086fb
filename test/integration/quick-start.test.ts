import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the example of the quick start reads the votes and the balance changes of the fake node", async () => {
  const program = fileURLToPath(new URL("../../examples/quick-start/main.mjs", import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^Proposal \w{8}…: \d+ parties for it, \d+ against it\n\d+ balance changes from 2024-/);
});
