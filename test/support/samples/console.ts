import { exampleData, exampleValues } from "../../../docs/.vitepress/theme/operations/example-node.js";
import type { FormValues, OperationId } from "../../../docs/.vitepress/theme/operations/fields.js";
import { typescriptSample } from "../../../docs/.vitepress/theme/operations/samples.js";
import { createFakeNode } from "../../../src/testing/index.js";
import { operations } from "../description.js";
import type { Sample } from "./collect.js";

const party = "3839f8c82a3e36accef530b124044184b618ff463668744370c77c8134f6f0d1";
const tx = operations
  .flatMap(({ requestBody }) => Object.values(requestBody?.content["application/json"].examples ?? {}))
  .map(({ value }) => JSON.stringify(value.tx));

/** What the forms of the operation pages can hold, so that the client accepts the call. */
export const forms: { id: OperationId; name: string; values: FormValues }[] = [
  ...Object.entries(exampleValues(createFakeNode(exampleData).records)).map(([id, values]) => ({
    id: id as OperationId,
    name: "prefilled",
    values,
  })),
  { id: "checkTransaction", name: "prefilled", values: { tx: tx[0] ?? "" } },
  { id: "checkTransaction", name: "an empty transaction", values: { tx: "{}" } },
  { id: "listPartiesProfiles", name: "no parameters", values: {} },
  { id: "listBalanceChanges", name: "no parameters", values: {} },
  {
    id: "listBalanceChanges",
    name: "empty fields",
    values: { "filter.assetId": "", "filter.partyIds": "\n", "filter.accountTypes": [] },
  },
  { id: "listPartiesProfiles", name: "an array of one", values: { parties: "network" } },
  { id: "listPartiesProfiles", name: "an array of several", values: { parties: `${party}\n network \n` } },
  {
    id: "listBalanceChanges",
    name: "all filters",
    values: {
      "filter.assetId": party,
      "filter.partyIds": party,
      "filter.marketIds": `${party}\n${party}`,
      "filter.accountTypes": ["ACCOUNT_TYPE_GENERAL", "ACCOUNT_TYPE_MARGIN"],
      "dateRange.startTimestamp": "1707497580000000000",
      "dateRange.endTimestamp": "1707497580000001000",
      "pagination.newestFirst": "false",
    },
  },
  {
    id: "listVotes",
    name: "both ids and a boolean",
    values: { partyId: party, proposalId: party, "pagination.newestFirst": "true" },
  },
  {
    id: "listVotes",
    name: "a cursor",
    values: { partyId: party, "pagination.after": "eyJ2ZWdhX3RpbWUiOiIyMDI0LTAyLTA5VDE2OjU0OjU1WiJ9" },
  },
  { id: "listNodeSignatures", name: "the last page", values: { id: party, "pagination.last": 10 } },
];

/** The programs that the operation pages show for these forms. */
export const consoleSamples: Sample[] = forms.map(({ id, name, values }) => ({
  place: `the page of ${id}, ${name}`,
  code: typescriptSample(id, "https://node.example", values),
  language: "ts",
  runs: true,
}));
