import { expect, test } from "vitest";
import { generate } from "../../../scripts/generate/main.js";
import { source } from "../../support/description.js";

// `test/slow/description-change` generates from a description with additions.
test.each([
  [
    "two groups of one name with different members",
    ["name: BalanceChangesDateRange", "name: BalanceChangesFilter"],
    "`BalanceChangesFilter` of openapi.yaml has different members in two operations.",
  ],
  [
    "a parameter of a type that has no argument",
    ["schema: {type: boolean, default: true}", "schema: {type: number}"],
    "Expected the schema of `pagination.newestFirst` in openapi.yaml to be a string, a named enumeration, a boolean, an int32, an array of",
  ],
])("npm run generate rejects %s", async (_, [before = "", after = ""], message) => {
  expect(source.includes(before)).toBe(true);
  await expect(generate(source.replace(before, after))).rejects.toThrow(message);
});
