import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { generate } from "../../../scripts/generate/main.js";
import { type Description, description, textOf } from "../../support/description-tree.js";

/** What is generated after a change of the description. */
async function generateWith(change: (description: Description) => void): Promise<Record<string, string>> {
  const changed = description();
  change(changed);
  return generate(textOf(changed));
}

/** The text from a start to the next line that closes it. */
const part = (text: string | undefined, start: string, end = "\n}") => {
  const from = text?.indexOf(start) ?? -1;
  expect(from, `expected ${start}`).toBeGreaterThanOrEqual(0);
  return text?.slice(from, text.indexOf(end, from) + end.length) ?? "";
};

/** Adds a list with pages and a filter. */
function addAssets({ paths, components: { schemas } }: Description): void {
  const pages = ["First", "After", "Last", "Before", "NewestFirst"];
  paths["/api/v2/assets"] = parse(`
    get:
      operationId: listAssets
      summary: List assets
      x-defaultPageSize: 100
      x-parameterGroups: {filter: {name: AssetsFilter, description: The assets to list.}}
      parameters:
        - {name: filter.assetId, in: query, schema: {type: string}, description: List only this asset.}
${pages.map((page) => `        - {$ref: '#/components/parameters/Pagination${page}'}`).join("\n")}
      responses: {'200': {description: Assets., content: {application/json: {schema: {$ref: '#/components/schemas/AssetList'}}}}}`);
  schemas["AssetList"] = parse(
    "{type: object, required: [assets], properties: {assets: {$ref: '#/components/schemas/AssetConnection'}}}",
  );
  schemas["AssetConnection"] = parse(`
    type: object
    required: [edges, pageInfo]
    properties:
      edges: {type: array, items: {$ref: '#/components/schemas/AssetEdge'}}
      pageInfo: {$ref: '#/components/schemas/PageInfo'}`);
  schemas["AssetEdge"] = parse("{type: object, properties: {node: {$ref: '#/components/schemas/Asset'}}}");
  schemas["Asset"] = parse("{type: object, x-naturalKey: [id], required: [id], properties: {id: {type: string}}}");
}

describe("npm run generate", () => {
  test("makes a new optional query parameter an argument of the method and an entry of the table", async () => {
    const files = await generateWith(({ paths }) =>
      paths["/api/v2/votes"]?.["get"]?.parameters.push({
        name: "testValue",
        in: "query",
        description: "List only votes with this value.",
        schema: { anyOf: [{ $ref: "#/components/schemas/VoteValue" }, { type: "string", pattern: "^VALUE_[A-Z]+$" }] },
      }),
    );
    for (const name of ["VotesOfParty", "VotesOnProposal"]) {
      expect(part(files["client.ts"], `export interface ${name} {`)).toContain(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a type.
        "  /** List only votes with this value. */\n  testValue?: VoteValue | (`VALUE_${string}` & {}) | undefined;\n",
      );
    }
    expect(part(files["operations.ts"], "  listVotes: {", "\n  },")).toContain(
      'testValue: {\n        kind: "enum",\n        values: voteValues,\n        numbers: voteValueNumbers,\n        pattern: "^VALUE_[A-Z]+$",',
    );
  });

  test("makes a new list operation a method with its argument, its record and its entry of the table", async () => {
    const files = await generateWith(addAssets);
    const client = files["client.ts"];
    expect(part(client, "export interface AssetsFilter {")).toContain("assetId?: string | undefined;");
    expect(part(client, "export interface ListAssetsArguments {")).toContain("filter?: AssetsFilter | undefined;");
    expect(client).toContain("  listAssets(query?: ListAssetsArguments, options?: ListingOptions): Listing<Asset>;\n");
    expect(client).toContain("listAssets: { arguments: ListAssetsArguments; body: AssetList; record: Asset };");
    expect(part(files["operations.ts"], "  listAssets: {", "\n  },")).toBe(`  listAssets: {
    method: "GET",
    path: "/api/v2/assets",
    kind: "list",
    envelope: "assets",
    defaultPageSize: 100,
    naturalKey: ["id"],
    arguments: {
      filter: { kind: "object", members: { assetId: { kind: "string", in: "query", name: "filter.assetId" } } },
      pagination,
    },
  },`);
    expect(part(files["types.ts"], "export interface Asset {")).toContain("  id: string;\n");
    expect(files["shapes.ts"]).toContain("listAssets: assetList");
    expect(files["public.ts"]).toMatch(/\bAsset,/);
    expect(files["public.ts"]).not.toMatch(/Asset(?:List|Connection|Edge)/);
  });

  test("rejects two groups of one name with different members", async () => {
    const generated = generateWith((changed) => {
      addAssets(changed);
      const groups = changed.paths["/api/v2/assets"]?.["get"]?.["x-parameterGroups"];
      if (groups?.["filter"]) groups["filter"].name = "BalanceChangesFilter";
    });
    await expect(generated).rejects.toThrow(
      "`BalanceChangesFilter` of openapi.yaml has different members in two operations.",
    );
  });

  test("rejects a parameter of a type that has no argument", async () => {
    const generated = generateWith(({ paths }) =>
      paths["/api/v2/votes"]?.["get"]?.parameters.push({
        name: "weight",
        in: "query",
        description: "A number.",
        schema: { type: "number" },
      }),
    );
    await expect(generated).rejects.toThrow(
      "Expected the schema of `weight` in openapi.yaml to be a string, a named enumeration, a boolean, an int32, an array of",
    );
  });
});
