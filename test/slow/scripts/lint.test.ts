import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkDescription } from "../../../scripts/generate/lint.js";
import { source } from "../../support/description.js";

/** A mistake in the description: the text before, the text after, and the rule that reports it. */
const mistakes: Record<string, [before: string, after: string, rule: string]> = {
  "an operation without an id": ["      operationId: listVotes\n", "", "operation-operationId"],
  "an operation without a summary": ["      summary: List votes\n", "", "operation-summary"],
  "an id that is not the name of a method": ["operationId: listVotes", "operationId: list-votes", "rule/method-names"],
  "an operation without an error response": [
    "        default: {$ref: '#/components/responses/UnexpectedError'}\n  /api/v2/parties/profiles:",
    "  /api/v2/parties/profiles:",
    "rule/error-responses",
  ],
  "an operation without samples": ["      x-codeSamples:\n", "      x-samples:\n", "rule/code-samples"],
  "a sample that is empty": ["        - lang: TypeScript\n", "        - lang: JavaScript\n", "description/extensions"],
  "a property without a description": [
    "        pubKey:\n          type: string\n          description: The public key of the party that signed.",
    "        pubKey:\n          type: string",
    "description/descriptions",
  ],
  "a schema without a description": [
    "      description: A signature that a node of the network made for a resource.\n",
    "",
    "description/descriptions",
  ],
  "a component that is not used": [
    "    ProofOfWork:\n",
    "    Forgotten:\n      type: object\n      description: Not used.\n    ProofOfWork:\n",
    "no-unused-components",
  ],
  "a parameter without an example": ["          example: '1707436800000000000'\n", "", "rule/parameter-examples"],
  "an example that does not match its schema": [
    "timestamp: '1707497694001002000'",
    "timestamp: 1707497694001002000",
    "no-invalid-media-type-examples",
  ],
  "a body without an example": [
    `            examples:
              signed:`,
    `            x-examples:
              signed:`,
    "rule/body-examples",
  ],
  "a name of an enumeration without a meaning": [
    "        VALUE_NO: Against the proposal.\n",
    "",
    "description/enumerations",
  ],
  "a meaning without a name": [
    "VALUE_NO: Against",
    "VALUE_NO: Against\n        VALUE_NEVER: Against",
    "description/enumerations",
  ],
  "a 64 bit string without a pattern": [
    "          schema: {type: string, format: int64, pattern: '^-?[0-9]{1,19}$'}\n          example: '1707436800000000000'",
    "          schema: {type: string, format: int64}\n          example: '1707436800000000000'",
    "description/string-formats",
  ],
  "a required property that does not exist": [
    "      required: [key, value]",
    "      required: [key, value, extra]",
    "no-required-schema-properties-undefined",
  ],
  "an extension that is misspelled": ["x-sentOnce: true", "x-sendOnce: true", "description/extensions"],
  "an extension in the wrong place": [
    "      required: [key, value]",
    "      required: [key, value]\n      x-sentOnce: true",
    "description/extensions",
  ],
  "a dotted parameter without a group": ["name: filter.assetId", "name: filters.assetId", "description/extensions"],
  "a parameter with two dots": ["name: filter.assetId", "name: filter.asset.id", "description/extensions"],
  "a group that no parameter uses": [
    "\nx-parameterGroups:\n",
    "\nx-parameterGroups:\n  sorting: {name: Sorting, description: Not used.}\n",
    "description/extensions",
  ],
  "a variant without a parameter of its group": [
    "without: [last, before]",
    "without: [last, previous]",
    "description/extensions",
  ],
  "at least one of an unknown parameter": [
    "        - parameter: partyId\n",
    "        - parameter: party\n",
    "description/extensions",
  ],
  "a range without times": [
    "        end: dateRange.endTimestamp\n",
    "        end: filter.assetId\n",
    "description/extensions",
  ],
  "rejected names of an unknown parameter": [
    "        parameter: filter.accountTypes\n",
    "        parameter: filter.types\n",
    "description/extensions",
  ],
  "a list without a default page size": ["      x-defaultPageSize: 1000\n", "", "description/extensions"],
  "a default page size of zero": ["x-defaultPageSize: 1000", "x-defaultPageSize: 0", "description/extensions"],
  "a default page size beside no list": [
    "      x-sentOnce: true\n",
    "      x-sentOnce: true\n      x-defaultPageSize: 10\n",
    "description/extensions",
  ],
  "a cursor made of unknown members": ["sha256Of: [assetId,", "sha256Of: [asset,", "description/extensions"],
  "a hint for an unknown case": ["        repeatedCursor: >-", "        lostCursor: >-", "description/extensions"],
  "a hint about cursors that are not rejected": [
    "      x-cursors:\n        rejectedWith: 500\n",
    "",
    "description/extensions",
  ],
  "a read that is sent once": [
    "      operationId: listNodeSignatures\n",
    "      operationId: listNodeSignatures\n      x-sentOnce: true\n",
    "description/extensions",
  ],
  "client notes that are empty": [
    "      operationId: listNodeSignatures\n",
    "      operationId: listNodeSignatures\n      x-clientNotes: ''\n",
    "description/extensions",
  ],
  "a record without a natural key": ["      x-naturalKey: [partyId]\n", "", "description/extensions"],
  "a natural key of an unknown property": [
    "x-naturalKey: [partyId]",
    "x-naturalKey: [party]",
    "description/extensions",
  ],
  "an enumeration with too few numbers": [
    "        [0, 1, 2, 3, 4,",
    "        [0, 1, 2, 3,",
    "description/enumerations",
  ],
  "an enumeration with a number twice": [
    "        [0, 1, 2, 3, 4,",
    "        [0, 1, 2, 3, 3,",
    "description/extensions",
  ],
  "an unknown unit": ["x-unit: unix-nanoseconds", "x-unit: seconds", "description/extensions"],
};

const folder = mkdtempSync(join(tmpdir(), "description-"));
afterAll(() => rmSync(folder, { recursive: true }));

const found = new Map<string, string[]>();
beforeAll(() => {
  const files = Object.entries({ none: ["", "", ""], ...mistakes }).map(([name, [before, after]]) => {
    const file = join(folder, `${name.replaceAll(" ", "-")}.yaml`);
    writeFileSync(file, source.replace(before ?? "", after ?? ""));
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
  await checkDescription(file("none"));
  await checkDescription(file("a parameter without an example"));
  await expect(checkDescription(join(folder, "missing.yaml"))).rejects.toThrow(
    /^The linter cannot read \S+missing\.yaml: ./,
  );
}, 60_000);

test.each(Object.entries(mistakes))("the linter reports %s", (name, [before, , rule]) => {
  expect(source).toContain(before);
  expect(found.get(name)).toContain(rule);
});
