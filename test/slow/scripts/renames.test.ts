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

test.each([
  ["a path", "  /api/v2/votes:", "  /api/v3/votes:", "operations.ts", 'path: "/api/v3/votes"'],
  ["a path parameter", /partyId(?=})|(?<=- name: )partyId(?=\n\s+in: path)/g, "party", "client.ts", "party: string"],
  ["a grouped parameter", "- name: filter.assetId", "- name: filter.asset", "client.ts", "asset?: string"],
  [
    "an envelope",
    /\[votes\]|(?<=\n {8})votes(?=: {\$ref)/g,
    (name: string) => name.replace("votes", "ballots"),
    "operations.ts",
    'envelope: "ballots"',
  ],
  [
    "the body of the check",
    /(?<=\n {8})tx(?=: {\$ref)|(?<=required: \[)tx(?=\])/g,
    "transaction",
    "client.ts",
    "transaction: Transaction",
  ],
] as const)(
  "renaming %s needs no edit in src: the generated files have the new name",
  async (_, before, after, file, line) => {
    const renamed = source.replace(before, after as string);
    expect(renamed).not.toBe(source);
    expect(await compileWith(renamed)).toEqual([]);
    expect((await generate(renamed))[file]).toContain(line);
  },
);

test.each([
  [
    "a paging parameter",
    "name: pagination.newestFirst",
    "name: pagination.oldestLast",
    "request-plan.ts",
    "newestFirst",
  ],
  ["one of two required ids alone", "- name: proposalId", "- name: proposal", "list-operation.ts", "listVotes"],
  ["a member that the fake node sends", /(?<=\n {8})success(?=:)|(?<=\[)success/g, "passed", "check.ts", "success"],
  ["an enumeration that is exported", /AccountType/g, "KindOfAccount", "cursors.ts", "accountTypes"],
] as const)("renaming %s is a compile error in src", async (_, before, after, file, name) => {
  const renamed = source.replace(before, after as string);
  expect(renamed).not.toBe(source);
  const errors = await compileWith(renamed);
  expect(errors).toContainEqual(expect.stringMatching(new RegExp(`^${file}: .*${name}`, "s")));
});
