/** The type of `generated/command-line.ts`: texts for people, and how the members of a record are printed. */
import type { OperationId } from "../arguments/operation.js";

/**
 * - `"time"`: Unix nanoseconds as digits.
 * - `"amount"`: an integer in the smallest unit.
 * - `"text"`: text without a fixed form, such as a name that a party chose.
 * - `"exact"`: text of a fixed form, a number or a boolean, such as a decimal number or base64.
 * - `"json"`: an object or an array.
 */
export type ColumnKind = "time" | "amount" | "text" | "exact" | "json";

export interface OperationText {
  readonly summary: string;
  /** A sentence on each argument, by its name in the request, apart from pagination. */
  readonly arguments: Readonly<Record<string, string>>;
  /** For a list: the members of a record, in the order of the description. */
  readonly columns?: Readonly<Record<string, ColumnKind>>;
}

export type OperationTexts = { readonly [Id in OperationId]: OperationText };
