/** The description of the interface as data, for programs that are built from it, such as the command line. */
export { operations } from "../generated/operations.js";
export type {
  Argument,
  ArgumentGroup,
  Arguments,
  ListOperation,
  Operation,
  OperationId,
  ParameterPlace,
  Value,
} from "./arguments/operation.js";
export type { Enumeration } from "./values/enumeration.js";
