import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readPublished } from "../../../scripts/stage-command-line.js";
import { run } from "../../support/run.js";

const cli = fileURLToPath(new URL("../../../cli", import.meta.url));

test("the folder of the command line refuses to be packed, because its client is a link that no other machine has", async () => {
  const packing = run("npm", ["pack", "--dry-run"], { cwd: cli });
  await expect(packing).rejects.toThrow("npx tsx scripts/stage-command-line.ts FOLDER");
});

test("the published package has neither that script nor that link", () => {
  const { scripts, dependencies, version } = readPublished();
  expect([scripts, dependencies["vegaprotocol-client"]]).toEqual([undefined, version]);
});
