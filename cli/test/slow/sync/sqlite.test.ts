import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { run } from "../../../../test/support/run.js";
import { installNode, node } from "./sqlite-node.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

beforeAll(installNode);

test.each([
  ["sync.test.ts", "vega.db"],
  ["sqlite.test.ts", "SQLite"],
])(
  "a database keeps the promises of %s",
  async (file, name) => {
    const argv = ["node_modules/vitest/vitest.mjs", "run", "--reporter", "default", `cli/test/integration/${file}`];
    const env = { ...process.env, NO_COLOR: "1" };
    const { stdout } = await run(node, [...argv, "-t", name], { cwd: root, env });
    expect(stdout).toMatch(/Tests +\d+ passed/);
  },
  240_000,
);
