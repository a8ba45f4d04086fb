import { accountTypes } from "../../generated/enums.js";

/** The type of a query parameter, named as in the node's parser; a list repeats its name. */
export type FieldType = "string" | "int32" | "int64" | "bool" | "string list" | "account type list";

/** A message of the interface, with its fields by their JSON names. */
export interface Message {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldType | Message>>;
}

const pagination: Message = {
  name: "datanode.api.v2.Pagination",
  fields: { first: "int32", after: "string", last: "int32", before: "string", newestFirst: "bool" },
};

export const voteParameters: Message = {
  name: "datanode.api.v2.ListVotesRequest",
  fields: { partyId: "string", proposalId: "string", pagination },
};

export const profileParameters: Message = {
  name: "datanode.api.v2.ListPartiesProfilesRequest",
  fields: { parties: "string list", pagination },
};

export const balanceParameters: Message = {
  name: "datanode.api.v2.ListBalanceChangesRequest",
  fields: {
    filter: {
      name: "datanode.api.v2.AccountFilter",
      fields: {
        assetId: "string",
        partyIds: "string list",
        marketIds: "string list",
        accountTypes: "account type list",
      },
    },
    dateRange: {
      name: "datanode.api.v2.DateRange",
      fields: { startTimestamp: "int64", endTimestamp: "int64" },
    },
    pagination,
  },
};

export const signatureParameters: Message = {
  name: "datanode.api.v2.ListNodeSignaturesRequest",
  fields: { id: "string", pagination },
};

export const noParameters: Message = { name: "", fields: {} };

/**
 * The number of an account type: its place in the enumeration, which leaves out 8; a number stands for itself. `undefined`
 * for an unknown name.
 */
export function accountTypeNumber(type: string | number): number | undefined {
  if (typeof type === "number") return type;
  const names: readonly string[] = accountTypes;
  const index = names.indexOf(type);
  return index === -1 ? undefined : index < 8 ? index : index + 1;
}
