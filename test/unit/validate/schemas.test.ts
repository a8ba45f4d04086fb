import { expect, test } from "vitest";
import { type Schemas, schemas } from "../../../src/validate/index.js";
import { description, examples } from "../../support/description.js";

const standardOf = (name: keyof Schemas) => schemas[name]["~standard"];

test("schemas has every component of the description, except enumerations", () => {
  const components = Object.entries(description.components.schemas);
  expect(Object.keys(schemas)).toEqual(components.filter(([, schema]) => !schema.enum).map(([name]) => name));
});

test("a schema returns a value that matches, without a copy of it", () => {
  const [example] = Object.values(examples("listVotes", "200"));
  expect(standardOf("VoteList")).toMatchObject({ version: 1, vendor: "vegaprotocol-client" });
  const result = standardOf("VoteList").validate(example?.value);
  expect(result.issues).toBeUndefined();
  expect("value" in result && result.value).toBe(example?.value);
});

test("a schema returns an issue with its path for each place that does not match", () => {
  const edges = [null, { cursor: "a", node: { partyId: 5 } }];
  const { issues } = standardOf("VoteConnection").validate({ edges, pageInfo: null });
  const message = "Expected `edges[1].node.partyId` to be a string, got 5.";
  expect(issues).toContainEqual({ message, path: ["edges", 1, "node", "partyId"] });
  const ofWhole = { message: 'Expected the value to be an object, got "a".', path: [] };
  expect(standardOf("Vote").validate("a").issues).toEqual([ofWhole]);
});

test("a schema of a request accepts what a wallet sends", () => {
  expect(standardOf("TransactionCheckRequest").validate({ tx: { pubKey: "a", nonce: 1 } }).issues).toBeUndefined();
  expect(standardOf("TransactionCheckRequest").validate({ tx: { pubKey: 1 } }).issues).toHaveLength(1);
});
