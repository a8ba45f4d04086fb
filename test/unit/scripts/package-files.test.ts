import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };

test("the package has the same pages, whether or not the site was built before", () => {
  const ignored = readFileSync(fileURLToPath(new URL("../../../docs/.gitignore", import.meta.url)), "utf8");
  const generated = [...ignored.matchAll(/^\/(.+\.md)$/gm)].map(([, name]) => `!docs/${name}`);
  expect(generated).not.toEqual([]);
  expect(manifest.files).toEqual(expect.arrayContaining(generated));
});
