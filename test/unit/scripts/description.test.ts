import { expect, test } from "vitest";
import { description } from "../../support/description.js";

test("the description has the defaults that the reference of the interface states", () => {
  const { parameters, schemas } = description.components;
  expect({
    newestFirst: parameters["PaginationNewestFirst"]?.schema?.default,
    ...Object.fromEntries(
      ["VoteValue", "AccountType", "NodeSignatureKind", "TransactionVersion"].map((name) => [
        name,
        schemas[name]?.default,
      ]),
    ),
  }).toEqual({
    newestFirst: true,
    VoteValue: "VALUE_UNSPECIFIED",
    AccountType: "ACCOUNT_TYPE_UNSPECIFIED",
    NodeSignatureKind: "NODE_SIGNATURE_KIND_UNSPECIFIED",
    TransactionVersion: "TX_VERSION_UNSPECIFIED",
  });
});
