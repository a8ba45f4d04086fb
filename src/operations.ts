/**
 * The operations as data, from which `vegaprotocol-cli` is built.
 *
 * The table also has the defects of nodes that the client works around. Its shape can change in any version: it is for
 * the version of `vegaprotocol-cli` that has the same number.
 *
 * @module vegaprotocol-client/operations
 */
export type { OperationId } from "../generated/client.js";
export { operations } from "../generated/operations.js";
export type { Argument, Arguments, ListOperation, Operation, Value } from "./arguments/operation.js";
export { canonicalId, type Enumeration, isId } from "./values/names.js";
