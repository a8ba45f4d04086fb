import { operations } from "../../generated/operations.js";
import type { Argument, Arguments, OperationId, Value } from "../arguments/operation.js";
import { toName } from "../values/names.js";
import { GatewayError } from "./wire.js";

/** What the fake node reads of an operation of the description. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** For a list: the member of the response that holds the page. */
  readonly envelope?: string;
  readonly arguments: Arguments;
}

export const described: Readonly<Record<OperationId, Operation>> = operations;

export const operationIds = Object.keys(described) as OperationId[];

/** The parameters with their dotted names. */
const flatten = (parameters: Arguments, prefix = ""): [string, Exclude<Argument, { kind: "object" }>][] =>
  Object.entries(parameters).flatMap(([name, each]) =>
    each.kind === "object" ? flatten(each.members, `${prefix}${name}.`) : [[prefix + name, each]],
  );

type QueryValue = string | bigint | boolean;

/** The values of parameters, by their dotted JSON names; those of an enumeration by their names. */
export class QueryValues extends Map<string, readonly QueryValue[]> {
  readonly #all = (name: string): readonly QueryValue[] => this.get(name) ?? [];
  texts = (name: string): string[] => this.#all(name).filter((value) => typeof value === "string");
  text = (name: string): string | undefined => this.texts(name).at(-1);
  integer = (name: string): bigint | undefined => this.#all(name).find((value) => typeof value === "bigint");
  flag = (name: string): boolean | undefined => this.#all(name).find((value) => typeof value === "boolean");
}

/** Reads the parameters of a request by their JSON names. As on a node, unknown parameters are ignored. */
export function readQuery(
  search: string,
  { arguments: parameters }: Operation,
  path: Readonly<Record<string, string>>,
  removedNames: readonly string[],
): QueryValues {
  const query = new URLSearchParams(search);
  const values = new QueryValues();
  for (const [name, type] of flatten(parameters)) {
    const inPath = path[name];
    const given = type.in === undefined ? query.getAll(name) : inPath === undefined ? [] : [inPath];
    if (given.length > 1 && type.kind !== "array") {
      throw new GatewayError(3, `too many values for field "${name}": ${given.join(", ")}`);
    }
    const parsed = given.map((text) => {
      const value = parseValue(type, text, removedNames);
      if (value !== undefined) return value;
      throw new GatewayError(3, `parsing field "${name}": "${text}" is not a valid value`);
    });
    if (parsed.length > 0) values.set(name, parsed);
  }
  return values;
}

function parseValue(type: Value, text: string, removedNames: readonly string[]): QueryValue | undefined {
  switch (type.kind) {
    case "array":
      return parseValue(type.items, text, removedNames);
    case "int32":
      return parseInteger(text, 32);
    case "nanoseconds":
      return parseInteger(text, 64);
    case "boolean":
      return text === "true" || (text === "false" ? false : undefined);
    case "enum": {
      const name = /^[+-]?\d+$/.test(text) ? toName(type, Number(text)) : text;
      return type.values.find((each) => each === name && !removedNames.includes(each));
    }
    default:
      return text;
  }
}

function parseInteger(text: string, bits: 32 | 64): bigint | undefined {
  const value = /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  return value !== undefined && BigInt.asIntN(bits, value) === value ? value : undefined;
}
