import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { source } from "../../support/description.js";
import { folderOfFile } from "../../support/folder.js";

const property = "        key:\n          type: string\n          description: The key.\n";
const inner = "          properties:\n            name: {type: string}\n";
const signer = "          description: The public key of the party that signed.";
const meaning = "        VALUE_NO: Against the proposal.\n";
const list = "      required: [votes]\n      properties:\n";
const total = "        total: {type: integer, description: How many votes there are.}\n";
/** Mistakes in the description: the text before, the text after, and the rule that reports them. */
const mistakes: Record<string, [before: string, after: string, rule: string]> = {
  "a property without a description": [signer, "", "description/descriptions"],
  "a name of an enumeration without a meaning": [meaning, "", "description/enumerations"],
  "an enumeration with too few numbers": ["[0, 1, 2, 3, 4,", "[0, 1, 2, 3,", "description/enumerations"],
  "an object inside another": [property, `${property}${inner}`, "description/named-objects"],
  "an extension that is misspelled": ["x-sentOnce: true", "x-sendOnce: true", "rule/operation-extensions"],
  "a method that the client does not send": ["votes:\n    get:", "votes:\n    put:", "description/requests"],
  "a parameter in a header": [
    "name: proposalId\n          in: query",
    "name: p\n          in: header",
    "description/requests",
  ],
  "a choice of a parameter that does not exist": ["- parameter: partyId", "- parameter: party", "description/requests"],
  "a range of a parameter that does not exist": ["start: dateRange.", "start: range.", "description/requests"],
  "a range without a start": ["start: dateRange.", "begin: dateRange.", "description/requests"],
  "rejected names of a parameter that does not exist": ["parameter: filter.", "parameter: ", "description/requests"],
  "a list without a page size": ["x-defaultPageSize: 5000", "", "description/lists"],
  "a list whose records have no key": ["x-naturalKey: [partyId, proposalId, timestamp]", "", "description/lists"],
  "a key with a member that does not exist": ["x-naturalKey: [partyId]", "x-naturalKey: [party]", "description/lists"],
  "a page that is not alone in its response": [list, `${list}${total}`, "description/lists"],
  "a dotted parameter without a group": ["name: filter.assetId", "name: filters.assetId", "description/groups"],
};

const path = await folderOfFile();
const fileOf = (name: string) => path(`${name.replaceAll(" ", "-")}.yaml`);

let output: string;
beforeAll(() => {
  writeFileSync(fileOf("none"), source);
  for (const [name, [before, after]] of Object.entries(mistakes))
    writeFileSync(fileOf(name), source.replace(before, after));
  const config = fileURLToPath(new URL("../../../redocly.yaml", import.meta.url));
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  // This format has one line per problem for any number of files.
  const options = ["lint", ...["none", ...Object.keys(mistakes)].map(fileOf), "--config", config];
  ({ stdout: output } = spawnSync(process.execPath, [cli, ...options, "--format", "github-actions"], {
    cwd: path(),
    encoding: "utf8",
  }));
}, 60_000);

test("the linter reports no problem in the description", () => {
  expect(output).not.toContain("file=none.yaml");
});

test.each(Object.entries(mistakes))("the linter reports %s", (name, [before, , rule]) => {
  expect(source).toContain(before);
  expect(output).toContain(`title=${rule},file=${name.replaceAll(" ", "-")}.yaml,`);
});
