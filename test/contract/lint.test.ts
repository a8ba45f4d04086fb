import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { source } from "../description.js";

/** A mistake in the description: the text before, the text after, and the rule that has to notice. */
const mistakes: Record<string, [before: string, after: string, rule: string]> = {
  "an operation without an id": ["      operationId: listVotes\n", "", "operation-operationId"],
  "an operation without a summary": ["      summary: List votes\n", "", "operation-summary"],
  "an id that no method can have": [
    "operationId: listVotes",
    "operationId: list-votes",
    "description/operation-id-is-method-name",
  ],
  "an operation without an answer for failures": [
    "        default: {$ref: '#/components/responses/UnexpectedError'}\n  /api/v2/parties/profiles:",
    "  /api/v2/parties/profiles:",
    "description/operation-errors",
  ],
  "a property without words": [
    "        pubKey:\n          type: string\n          description: The public key of the party that signed.",
    "        pubKey:\n          type: string",
    "description/property-description",
  ],
  "a schema without words": [
    "      description: A signature that a node of the network made for a resource.\n",
    "",
    "description/schema-description",
  ],
  "a component that nothing uses": [
    "    ProofOfWork:\n",
    "    Forgotten:\n      type: object\n      description: Nobody asks for it.\n    ProofOfWork:\n",
    "no-unused-components",
  ],
  "a parameter without an example": ["          example: '1707436800000000000'\n", "", "description/parameter-example"],
  "an example that is not what the schema says": [
    "timestamp: '1707497694001002000'",
    "timestamp: 1707497694001002000",
    "no-invalid-media-type-examples",
  ],
  "a body without an example": [
    `            examples:
              signed:`,
    `            x-examples:
              signed:`,
    "description/media-type-examples",
  ],
  "a name of an enumeration without its meaning": [
    "        VALUE_NO: Against the proposal.\n",
    "",
    "description/enum-descriptions",
  ],
  "a meaning without its name": [
    "VALUE_NO: Against",
    "VALUE_NO: Against\n        VALUE_NEVER: Against",
    "description/enum-descriptions",
  ],
  "a string of 64 bits that no validator looks at": [
    "          schema: {type: string, format: int64, pattern: '^-?[0-9]{1,19}$'}\n          example: '1707436800000000000'",
    "          schema: {type: string, format: int64}\n          example: '1707436800000000000'",
    "description/string-format-pattern",
  ],
  "a required property that does not exist": [
    "      required: [key, value]",
    "      required: [key, value, extra]",
    "no-required-schema-properties-undefined",
  ],
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
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  // Of its formats, this one keeps to a line for each problem, however many files there are.
  const options = ["lint", ...files, "--config", join(root, "redocly.yaml"), "--format", "github-actions"];
  const { stdout } = spawnSync(process.execPath, [cli, ...options], { cwd: folder, encoding: "utf8" });
  for (const [, rule = "", file = ""] of stdout.matchAll(/^::\w+ title=([^,]+),file=([^,]+)\.yaml,/gm)) {
    const name = file.replaceAll("-", " ");
    found.set(name, [...(found.get(name) ?? []), rule]);
  }
}, 60_000);

test("the description has no problem", () => {
  expect(found.get("none")).toBeUndefined();
});

test.each(Object.entries(mistakes))("%s is noticed", (name, [before, , rule]) => {
  expect(source).toContain(before);
  expect(found.get(name)).toContain(rule);
});
