/** The facts that the command line adds to the table of operations. */
import { type ListOperation, type OperationId, operations } from "vegaprotocol-client/operations";

/**
 * How a member of a record is printed.
 *
 * - `"time"`: Unix nanoseconds as digits.
 * - `"amount"`: an integer in the smallest unit.
 * - `"text"`: text without a fixed form, such as a name that a party chose.
 * - `"exact"`: text of a fixed form, a number or a boolean, such as a decimal number or base64.
 * - `"json"`: an object or an array.
 */
export type ColumnKind = "time" | "amount" | "text" | "exact" | "json";

/** The columns of a list, in their order. */
export type ColumnKinds = Readonly<Record<string, ColumnKind>>;

export interface OperationText {
  readonly summary: string;
  /** A sentence on each argument, by its name in the request, apart from pagination. */
  readonly arguments: Readonly<Record<string, string>>;
  /** For a list: the members of a record. */
  readonly columns?: ColumnKinds;
}

export type OperationTexts = { readonly [Id in OperationId]: OperationText };

export type ListId = {
  [Id in OperationId]: (typeof operations)[Id] extends { readonly kind: "list" } ? Id : never;
}[OperationId];

/** The lists, each with the command that prints it: the member of the response that holds the page. */
export const lists = Object.entries(operations).flatMap(([id, operation]) =>
  operation.kind === "list" ? [{ id: id as ListId, name: operation.envelope }] : [],
);

export const listOperation = (id: ListId) => operations[id] as ListOperation<{ readonly [name: string]: unknown }>;

export const idOf = (name: string): ListId => lists.find((each) => each.name === name)?.id as ListId;

/** The largest page that nodes allow, which is the default size for votes. */
export const largestPage = operations.listVotes.defaultPageSize;

export const isScannable = (id: OperationId): boolean => id === "listBalanceChanges";
