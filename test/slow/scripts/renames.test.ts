import { afterEach, expect, test } from "vitest";
import { generate } from "../../../scripts/generate/main.js";
import { source } from "../../support/description.js";
import { Editor } from "../../support/editor.js";

const editor = new Editor();
const files = ["openapi.ts", "enums.ts", "types.ts", "client.ts", "operations.ts"];

afterEach(() => {
  for (const file of files) editor.replace(`generated/${file}`, undefined);
});

async function compileWith(description: string): Promise<string[]> {
  const generated = await generate(description);
  for (const file of files) editor.replace(`generated/${file}`, generated[file]);
  return editor.errors();
}

test("the current description compiles", async () => {
  expect(await compileWith(source)).toEqual([]);
});

type Rename = readonly [before: string | RegExp, after: string | ((name: string) => string), ...expected: string[]];

/** The description with all of the renames: compiling takes seconds. */
function rename(renames: Readonly<Record<string, Rename>>): string {
  let description = source;
  for (const [name, [before, after]] of Object.entries(renames)) {
    const renamed = description.replace(before, after as string);
    expect(renamed, name).not.toBe(description);
    description = renamed;
  }
  return description;
}

test("these renames need no edit in src: the generated files have the new name", async () => {
  const renames: Record<string, Rename> = {
    "a path": ["  /api/v2/votes:", "  /api/v3/votes:", "operations.ts", 'path: "/api/v3/votes"'],
    "a path parameter": [/partyId(?=})|(?<=- name: )partyId(?=\n\s+in: path)/g, "party", "client.ts", "party: string"],
    "a grouped parameter": ["- name: filter.assetId", "- name: filter.asset", "client.ts", "asset?: string"],
    "an envelope": [
      /\[votes\]|(?<=\n {8})votes(?=: {\$ref)/g,
      (name) => name.replace("votes", "ballots"),
      "operations.ts",
      'envelope: "ballots"',
    ],
    "the body of the check": [
      /(?<=\n {8})tx(?=: {\$ref)|(?<=required: \[)tx(?=\])/g,
      "transaction",
      "client.ts",
      "transaction: Transaction",
    ],
  };
  const renamed = rename(renames);
  expect(await compileWith(renamed)).toEqual([]);
  const generated = await generate(renamed);
  for (const [name, [, , file = "", line = ""]] of Object.entries(renames)) {
    expect(generated[file], name).toContain(line);
  }
});

test("these renames are compile errors in src", async () => {
  const renames: Record<string, Rename> = {
    "a paging parameter": [
      "name: pagination.newestFirst",
      "name: pagination.oldestLast",
      "request-plan.ts",
      "newestFirst",
    ],
    "one of two required ids alone": ["- name: proposalId", "- name: proposal", "list-operation.ts", "listVotes"],
    "a member that the fake node sends": [/(?<=\n {8})success(?=:)|(?<=\[)success/g, "passed", "check.ts", "success"],
    "an enumeration that is exported": [/AccountType/g, "KindOfAccount", "records.ts", "accountTypes"],
  };
  const errors = await compileWith(rename(renames));
  for (const [name, [, , file, place]] of Object.entries(renames)) {
    expect(errors, name).toContainEqual(expect.stringMatching(new RegExp(`^${file}: .*${place}`, "s")));
  }
});
