import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../../../../package.json" with { type: "json" };
import { assistantFiles } from "../../../../scripts/docs/assistants.js";
import { collectSamples, root } from "../../../support/samples/collect.js";

describe.each(Object.entries(await assistantFiles()))("%s", (name, text) => {
  test("is part of the package, and says what the pages say", () => {
    expect(manifest.files).toContain(name);
    expect(readFileSync(join(root, name), "utf8")).toBe(text);
  });

  test("has rules and samples, all of which test/integration/samples.test.ts compiles and runs", () => {
    expect(text).toContain("## Rules");
    expect(collectSamples().filter(({ place }) => place.startsWith(`${name}:`)).length).toBeGreaterThan(8);
  });

  test("has no link to a file that the package does not have", () => {
    expect(text).not.toMatch(/\]\((?!https:)/);
  });
});
