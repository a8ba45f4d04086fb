import { expect, test } from "vitest";
import { problemsOf, type Release } from "../../scripts/release-check.js";

const complete: Release = {
  manifest: {
    version: "1.2.3",
    license: "Apache-2.0",
    exports: {
      ".": { types: "./dist/src/index.d.ts", default: "./dist/src/index.js" },
      "./openapi.yaml": "./openapi.yaml",
      "./package.json": "./package.json",
    },
  },
  packed: [
    "dist/src/index.js",
    "dist/src/index.d.ts",
    "openapi.yaml",
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
  ],
  changelog: "# Changelog\n\n## 1.2.3 (2026-11-21)\n\n- A change.\n",
  described: "1.2.3",
  uncommitted: "",
};

test("a release that is complete has no problem", () => {
  expect(problemsOf(complete)).toEqual([]);
});

test.each<[what: string, change: Partial<Release>, problem: RegExp]>([
  [
    "lacks an entry's types",
    { packed: complete.packed.filter((file) => !file.endsWith(".d.ts")) },
    /lacks dist\/src\/index\.d\.ts/,
  ],
  ["lacks the licence", { packed: complete.packed.filter((file) => file !== "LICENSE") }, /lacks LICENSE/],
  ["has a test in it", { packed: [...complete.packed, "dist/test/a.js"] }, /has dist\/test\/a\.js/],
  ["has no entry in the changelog", { changelog: "# Changelog\n" }, /no entry for 1\.2\.3/],
  ["is not dated", { changelog: "## 1.2.3 (unreleased)\n" }, /calls 1\.2\.3 "unreleased"/],
  ["has a description of another version", { described: "1.2.2" }, /openapi\.yaml says 1\.2\.2, package\.json 1\.2\.3/],
  ["is not committed", { uncommitted: " M README.md" }, /not committed:\n M README\.md/],
])("a release that %s has one", (_, change, problem) => {
  const problems = problemsOf({ ...complete, ...change });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});
