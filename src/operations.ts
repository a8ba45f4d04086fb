/**
 * The operations as data, for programs that are built from them, such as the command line.
 *
 * @module vegaprotocol-client/operations
 */
export { operations } from "../generated/operations.js";
export type { Argument, Arguments, ListOperation, Operation, OperationId, Value } from "./arguments/operation.js";
export { canonicalId, type Enumeration, isId } from "./values/names.js";
