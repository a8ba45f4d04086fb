import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse, parseDocument } from "yaml";
import { listen } from "../../../src/testing/node/index.js";
import { copyProject, type ProjectCopy } from "../../support/project-copy.js";

// What openapi.yaml can say reaches callers without an edit in src: in a copy of the project, the description gets a query
// parameter, a list, a single operation and a member of a record, and a program uses them.
const here = fileURLToPath(new URL(".", import.meta.url));
const consumer = "test/slow/description-change/consumer";
vi.setConfig({ testTimeout: 170_000, hookTimeout: 170_000 });

const asset = { id: "a", symbol: "USDT", decimals: 6 };
const pageInfo = { startCursor: "a", endCursor: "a", hasNextPage: false, hasPreviousPage: false };

interface Outcome {
  reason: unknown;
  pages: unknown;
  filtered: unknown;
  requests: Record<"votes" | "pages" | "asset", [operation: string, path: string][]>;
  errors: Record<string, { name: string; message: string; argument?: string; status?: number }>;
}

let copy: ProjectCopy;
beforeAll(async () => {
  copy = await copyProject();
  const file = join(copy.folder, "openapi.yaml");
  const description = parseDocument(await readFile(file, "utf8"));
  const { parameter, member, paths, schemas } = parse(await readFile(join(here, "additions.yaml"), "utf8"));
  description.addIn(["paths", "/api/v2/votes", "get", "parameters"], description.createNode(parameter));
  const additions: [path: string[], added: object][] = [
    [["components", "schemas", "Vote", "properties"], member],
    [["components", "schemas"], schemas],
    [["paths"], paths],
  ];
  for (const [path, added] of additions) {
    for (const [name, value] of Object.entries(added))
      description.setIn([...path, name], description.createNode(value));
  }
  await writeFile(file, String(description));
  await copy.run("npm", "run", "--silent", "generate");
});
afterAll(() => copy.remove());

test("npm run generate writes generated/ and cli/generated/ alone, and sources are not edited", async () => {
  const changed = (await copy.run("git", "status", "--porcelain")).trimEnd().split("\n");
  expect(
    changed.every((line) => /^ M (?:openapi\.yaml|(?:cli\/)?generated\/\S+)$/.test(line)),
    changed.join("\n"),
  ).toBe(true);
  expect(changed).toContain(" M generated/operations.ts");
});

describe("with a new parameter, a new list, a new operation and a new member", () => {
  let outcome: Outcome;

  beforeAll(async () => {
    await copy.run("npm", "run", "--silent", "build");
    outcome = JSON.parse(await copy.run("npx", "tsx", `${consumer}/main.ts`));
  });

  test("a program that uses them compiles, and wrong types do not", async () => {
    await copy.run("npx", "tsc", "--project", consumer);
  });

  test("the client sends the parameter, the filter of the list and the parameter of the path", () => {
    expect(outcome.requests.votes).toEqual([
      ["listVotes", "/api/v2/votes?proposalId=cd&value=VALUE_YES&pagination.first=2"],
    ]);
    const [first, second, ...others] = outcome.requests.pages;
    const path = "/api/v2/assets?filter.ids=a&filter.ids=b&filter.ids=e&pagination.first=2";
    expect(first).toEqual(["listAssets", path]);
    expect(second).toEqual(["listAssets", expect.stringContaining(`${path}&pagination.after=`)]);
    expect(others).toEqual([]);
    expect(outcome.requests.asset).toEqual([["getAsset", "/api/v2/assets/a b"]]);
  });

  test("the arguments are checked at run time", () => {
    const { value, ids, misspelled } = outcome.errors;
    expect(value).toMatchObject({ name: "ArgumentError", argument: "value" });
    expect(ids).toMatchObject({ name: "ArgumentError", argument: "filter.ids" });
    expect(misspelled).toMatchObject({ name: "ArgumentError", argument: "fliter" });
  });

  test("the validator knows the member and the records of the list", () => {
    const { member, record } = outcome.errors;
    expect(member?.message).toContain("expected `votes.edges[0].node.reason` to be a string, got 7");
    expect(record?.message).toContain("expected `assets.edges[0].node.decimals` to be a whole number, got nothing");
  });

  test("the fake node responds with the records of its data, in pages", () => {
    expect(outcome.reason).toBe("because");
    expect(outcome.pages).toEqual([["a", "b", "c"], ["d"]]);
    expect(outcome.filtered).toEqual(["e", "c"]);
    expect(outcome.errors["data"]).toMatchObject({ name: "ArgumentError", argument: "data.assets[0]" });
  });

  test("the fake node responds to a new operation that is not a list with status 501", () => {
    expect(outcome.errors["asset"]).toMatchObject({ name: "ApiError", status: 501 });
    expect(outcome.errors["asset"]?.message).toContain("The fake node does not implement getAsset.");
  });

  test("the command line has a command for the list, with flags and columns, and one for the operation", async () => {
    const program = (...argv: string[]) => copy.run("node", "cli/dist/main.js", ...argv);
    const help = await program("help");
    expect(help).toMatch(/^ {2}assets +List assets\.$/m);
    expect(help).toMatch(/^ {2}asset +Get an asset\.$/m);
    const flags = await program("help", "assets");
    expect(flags).toMatch(/--id <ID> +List only these assets\. Can be\s+repeated\./);
    expect(flags).toMatch(/--symbol <ID> +List only assets with this symbol\./);
    expect(await program("help", "votes")).toMatch(
      /--value <NAME> +List only votes with this value\. One of:\s+unspecified, /,
    );
    const server = await listen({
      fetch: async () => Response.json({ assets: { edges: [{ cursor: "a", node: asset }], pageInfo } }),
    });
    const table = ["--format", "csv", "--node", server.url];
    expect(await program("assets", "--symbol", "USDT", ...table)).toBe("id,symbol,decimals\r\na,USDT,6\r\n");
    await server.close();
  });
});
