import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { installNode, runNode } from "./sqlite-node.js";

const script = fileURLToPath(new URL("../../../../scripts/docs/sync-chart.ts", import.meta.url));
const tsx = createRequire(import.meta.url).resolve("tsx/cli");

beforeAll(installNode);

test("the chart of the page is drawn from a local database", async () => {
  expect(await runNode([tsx, script, "--check"])).toEqual({ code: 0, stdout: "", stderr: "" });
});
