import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkDescription } from "../../../scripts/generate/lint.js";
import { source } from "../../support/description.js";

/** Mistakes in the description, by the rule that reports them: the text before, and the text after. */
const rules: Record<string, Record<string, [before: string, after: string]>> = {
  "rule/method-names": {
    "an id that is not the name of a method": ["operationId: listVotes", "operationId: list-votes"],
  },
  "rule/error-responses": {
    "an operation without an error response": [
      "        default: {$ref: '#/components/responses/UnexpectedError'}\n  /api/v2/parties/profiles:",
      "  /api/v2/parties/profiles:",
    ],
  },
  "rule/code-samples": { "an operation without samples": ["      x-codeSamples:\n", "      x-samples:\n"] },
  "rule/parameter-examples": { "a parameter without an example": ["          example: '1707436800000000000'\n", ""] },
  "description/descriptions": {
    "a property without a description": ["          description: The public key of the party that signed.", ""],
  },
  "description/enumerations": {
    "a name of an enumeration without a meaning": ["        VALUE_NO: Against the proposal.\n", ""],
    "an enumeration with too few numbers": ["        [0, 1, 2, 3, 4,", "        [0, 1, 2, 3,"],
  },
  "description/string-formats": {
    "a 64 bit string without a pattern": [
      ", pattern: '^-?[0-9]{1,19}$'}\n          example: '17",
      "}\n          example: '17",
    ],
  },
  "description/named-objects": {
    "an object inside another": [
      "        key:\n          type: string\n          description: The key.\n",
      "        key:\n          type: object\n          description: The key.\n          properties:\n            name: {type: string, description: Its name.}\n",
    ],
  },
  "description/extensions": {
    "an extension that is misspelled": ["x-sentOnce: true", "x-sendOnce: true"],
    "a dotted parameter without a group": ["name: filter.assetId", "name: filters.assetId"],
    "a list without a default page size": ["      x-defaultPageSize: 1000\n", ""],
    "a record without a natural key": ["      x-naturalKey: [partyId]\n", ""],
    "a natural key of an unknown property": ["x-naturalKey: [partyId]", "x-naturalKey: [party]"],
  },
};
const mistakes = Object.entries(rules).flatMap(([rule, named]) =>
  Object.entries(named).map(([name, [before, after]]) => ({ name, before, after, rule })),
);

const folder = mkdtempSync(join(tmpdir(), "description-"));
afterAll(() => rmSync(folder, { recursive: true }));

const found = new Map<string, string[]>();
beforeAll(() => {
  const files = [{ name: "none", before: "", after: "" }, ...mistakes].map(({ name, before, after }) => {
    const file = join(folder, `${name.replaceAll(" ", "-")}.yaml`);
    writeFileSync(file, source.replace(before, after));
    return file;
  });
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  // This format has one line per problem for any number of files.
  const options = ["lint", ...files, "--config", join(root, "redocly.yaml"), "--format", "github-actions"];
  const { stdout } = spawnSync(process.execPath, [cli, ...options], { cwd: folder, encoding: "utf8" });
  for (const [, rule = "", file = ""] of stdout.matchAll(/^::\w+ title=([^,]+),file=([^,]+)\.yaml,/gm)) {
    const name = file.replaceAll("-", " ");
    found.set(name, [...(found.get(name) ?? []), rule]);
  }
}, 60_000);

test("the linter reports no problem in the description", () => {
  expect(found.get("none")).toBeUndefined();
});

test("npm run generate refuses in the linter's words what it cannot generate from, and nothing else", async () => {
  const file = (name: string) => join(folder, `${name.replaceAll(" ", "-")}.yaml`);
  await expect(checkDescription(file("a record without a natural key"))).rejects.toThrow(
    /^\S+-key\.yaml:\d+: The record of a list needs `x-naturalKey`, a list of its properties\. \(description\/extensions\)\n/,
  );
  await expect(checkDescription(file("an object inside another"))).rejects.toThrow(
    /^\S+-another\.yaml:\d+: This object has no name: move it to `components\/schemas` and refer to it with `\$ref`\. \(/,
  );
  await checkDescription(file("none"));
  await checkDescription(file("a parameter without an example"));
  await expect(checkDescription(join(folder, "missing.yaml"))).rejects.toThrow(
    /^The linter cannot read \S+missing\.yaml: ./,
  );
}, 60_000);

test.each(mistakes)("the linter reports $name", ({ name, before, rule }) => {
  expect(source).toContain(before);
  expect(found.get(name)).toContain(rule);
});
