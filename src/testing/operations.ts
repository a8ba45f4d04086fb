import { operations } from "../../generated/operations.js";
import type { Argument, ParameterPlace, Value } from "../arguments/operation.js";

export type OperationId = keyof typeof operations;

/** The parameters of an operation, by their names; those with a dotted name are in groups. */
export type Parameters = Readonly<Record<string, Argument>>;

/** A parameter with its full name. */
export type Parameter = Value & ParameterPlace;

/** What the fake node reads of an operation of the description. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** For a list: the member of the response that holds the page. */
  readonly envelope?: string;
  readonly arguments: Parameters;
  readonly atLeastOneOf?: readonly string[];
}

/** All operations of the description. */
export const described: Readonly<Record<OperationId, Operation>> = operations;

export const operationIds = Object.keys(described) as OperationId[];

/** The parameters of all groups, without the groups. */
export const flatten = (parameters: Parameters): Parameter[] =>
  Object.values(parameters).flatMap((each) => (each.kind === "object" ? flatten(each.members) : [each]));
