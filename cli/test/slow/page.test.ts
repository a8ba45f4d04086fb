import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { page, renderCommandLine } from "../../../scripts/docs/command-line.js";

test("the output that docs/command-line.md shows is that of its commands", async () => {
  const source = await readFile(page, "utf8");
  expect(await renderCommandLine(source)).toBe(source);
});
