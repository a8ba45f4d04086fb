import { expect, test } from "vitest";
import { description } from "../../support/description.js";

test("the description has the defaults that the reference of the interface states", () => {
  const { parameters, schemas } = description.components;
  expect({
    newestFirst: parameters["PaginationNewestFirst"]?.schema?.default,
    vote: schemas["Vote"]?.properties?.["value"]?.default,
    account: schemas["BalanceChange"]?.properties?.["accountType"]?.default,
    signature: schemas["NodeSignature"]?.properties?.["kind"]?.default,
    transaction: schemas["Transaction"]?.properties?.["version"]?.default,
  }).toEqual({
    newestFirst: true,
    vote: "VALUE_UNSPECIFIED",
    account: "ACCOUNT_TYPE_UNSPECIFIED",
    signature: "NODE_SIGNATURE_KIND_UNSPECIFIED",
    transaction: "TX_VERSION_UNSPECIFIED",
  });
});
