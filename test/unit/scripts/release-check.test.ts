import { expect, test } from "vitest";
import { problemsOf, type Release } from "../../../scripts/check/release.js";

const client: Release["client"] = {
  manifest: {
    name: "vegaprotocol-client",
    version: "1.2.3",
    license: "Apache-2.0",
    repository: "github:example/vegaprotocol-client",
    exports: {
      ".": {
        import: { types: "./dist/src/index.d.ts", default: "./dist/src/index.js" },
        require: { types: "./dist/cjs/src/index.d.ts", default: "./dist/cjs/src/index.js" },
      },
      "./openapi.yaml": "./openapi.yaml",
      "./openapi.json": "./generated/openapi.json",
      "./package.json": "./package.json",
    },
  },
  packed: [
    "dist/src/index.js",
    "dist/src/index.d.ts",
    "dist/cjs/src/index.js",
    "dist/cjs/src/index.d.ts",
    "dist/cjs/src/lists.js",
    "dist/cjs/package.json",
    "openapi.yaml",
    "generated/openapi.json",
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
  ],
};

const commandLine: Release["commandLine"] = {
  manifest: {
    name: "vegaprotocol-cli",
    version: "1.2.3",
    license: "Apache-2.0",
    bin: { vegaprotocol: "dist/main.js" },
    exports: { "./gateway.yaml": "./gateway.yaml" },
    dependencies: { "vegaprotocol-client": "1.2.3" },
  },
  packed: ["dist/main.js", "gateway.yaml", "openapi.yaml", "package.json", "README.md", "LICENSE", "CHANGELOG.md"],
};

const complete: Release = {
  client,
  commandLine,
  changelog: "# Changelog\n\n## 1.2.3 (2026-11-21)\n\n- A change.\n",
  described: "1.2.3",
  uncommitted: "",
};

test("the release check reports no problem of a complete release", () => {
  expect(problemsOf(complete)).toEqual([]);
});

const { repository: _, ...withoutRepository } = client.manifest;

const without = (name: string) => ({ client: { ...client, packed: client.packed.filter((file) => file !== name) } });
const withFile = (name: string) => ({ client: { ...client, packed: [...client.packed, name] } });
const withCommandLine = (change: Partial<typeof commandLine.manifest>) => ({
  commandLine: { ...commandLine, manifest: { ...commandLine.manifest, ...change } },
});

test.each<[what: string, change: Partial<Release>, problem: RegExp]>([
  ["lacks an entry's types", without("dist/src/index.d.ts"), /client lacks dist\/src\/index\.d\.ts/],
  [
    "has no repository",
    { client: { ...client, manifest: withoutRepository } },
    /^The address of the repository is unknown: set `repository` in package\.json/,
  ],
  ["lacks the license", without("LICENSE"), /lacks LICENSE/],
  ["has a source map", withFile("dist/src/index.js.map"), /has dist\/src\/index\.js\.map/],
  ["has a test in it", withFile("dist/test/a.js"), /has dist\/test\/a\.js/],
  ["has no entry in the changelog", { changelog: "# Changelog\n" }, /no entry for 1\.2\.3/],
  ["is not dated", { changelog: "## 1.2.3 (unreleased)\n" }, /the date of 1\.2\.3, got "unreleased"/],
  [
    "has a description of another version",
    { described: "1.2.2" },
    /openapi\.yaml has version 1\.2\.2, package\.json 1\.2\.3/,
  ],
  [
    "lacks the program of the command line",
    { commandLine: { ...commandLine, packed: commandLine.packed.filter((file) => file !== "dist/main.js") } },
    /vegaprotocol-cli lacks dist\/main\.js/,
  ],
  [
    "has a command line of another version",
    withCommandLine({ version: "1.2.2" }),
    /cli\/package\.json has version 1\.2\.2/,
  ],
  [
    "has a command line that needs a folder",
    withCommandLine({ dependencies: { "vegaprotocol-client": "file:.." } }),
    /need version 1\.2\.3 of the client, got file:\.\./,
  ],
  ["is not committed", { uncommitted: " M README.md" }, /not committed:\n M README\.md/],
])("the release check reports a release that %s", (_, change, problem) => {
  const problems = problemsOf({ ...complete, ...change });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(problem);
});
