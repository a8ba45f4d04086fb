import { afterEach, expect, test } from "vitest";
import { generate } from "../../scripts/generate/main.js";
import { source } from "../description.js";
import { Editor } from "./editor.js";

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
  ["a path", "  /api/v2/votes:", "  /api/v3/votes:", "client.ts", "/api/v2/votes"],
  ["a path parameter", /partyId(?=})|(?<=- name: )partyId(?=\n\s+in: path)/g, "party", "query.ts", "partyId"],
  ["a query parameter", "- name: proposalId", "- name: proposal", "query.ts", "proposalId"],
  ["a grouped parameter", "- name: filter.assetId", "- name: filter.asset", "query.ts", "assetId"],
  ["a group of parameters", /(?<=- name: |\n {8})dateRange(?=[.:])/g, "range", "query.ts", "dateRange"],
  ["a paging parameter", "name: pagination.newestFirst", "name: pagination.oldestLast", "query.ts", "newestFirst"],
  [
    "an envelope",
    /\[votes\]|(?<=\n {8})votes(?=: {\$ref)/g,
    (name: string) => name.replace("votes", "ballots"),
    "client.ts",
    "votes",
  ],
  ["a member that the client reads", /(?<=\n {8})success(?=:)|(?<=\[)success/g, "passed", "client.ts", "success"],
  ["the body of the check", /(?<=\n {8})tx(?=: {\$ref)|(?<=required: \[)tx(?=\])/g, "transaction", "query.ts", "tx"],
  ["an account type", /AccountType/g, "KindOfAccount", "query.ts", "accountTypes"],
] as const)("renaming %s is a compile error in src", async (_, before, after, file, name) => {
  const renamed = source.replace(before, after as string);
  expect(renamed).not.toBe(source);
  const errors = await compileWith(renamed);
  expect(errors).toContainEqual(expect.stringMatching(new RegExp(`^${file}: .*${name.replaceAll("/", "\\/")}`, "s")));
});

test("an operation that the client lacks is a compile error in src", async () => {
  const added = source.replace(
    "  /transaction/check:",
    "  /api/v2/assets:\n    get:\n      operationId: listAssets\n      summary: List assets\n      responses:\n        '200':\n          description: Assets.\n          content:\n            application/json:\n              schema: {$ref: '#/components/schemas/PartyProfileList'}\n  /transaction/check:",
  );
  const errors = await compileWith(added);
  expect(errors).toContainEqual(expect.stringMatching(/^client\.ts: .*listAssets/s));
});
