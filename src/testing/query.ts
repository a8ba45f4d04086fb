import type { Argument, Arguments, Operation, Value } from "../arguments/operation.js";
import { isDigits } from "../values/integers.js";
import { toName } from "../values/names.js";
import { type NodeVersion, removedName } from "./versions.js";
import { GatewayError } from "./wire.js";

/** The parameters with their dotted names. */
const flatten = (parameters: Arguments, prefix = ""): [string, Exclude<Argument, { kind: "object" }>][] =>
  Object.entries(parameters).flatMap(([name, each]) =>
    each.kind === "object" ? flatten(each.members, `${prefix}${name}.`) : [[prefix + name, each]],
  );

/** The spellings of a boolean that Go reads, such as the `False` of Python. */
const booleans = /^(?:[tTfF01]|true|True|TRUE|false|False|FALSE)$/;

/**
 * Reads the parameters of a request by their names in camelCase or in snake_case. As on a node, unknown parameters are
 * ignored.
 */
export function readQuery(search: string, operation: Operation, version: NodeVersion): URLSearchParams {
  const jsonName = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const query = new URLSearchParams([...new URLSearchParams(search)].map(([name, value]) => [jsonName(name), value]));
  for (const [name, type] of flatten(operation.arguments)) {
    const given = query.getAll(name);
    if (given.length > 1 && type.kind !== "array")
      throw new GatewayError(3, `too many values for field "${name}": ${given.join(", ")}`);
    const invalid = given.find((text) => !isValid(type.kind === "array" ? type.items : type, text, version));
    if (invalid !== undefined) throw new GatewayError(3, `parsing field "${name}": "${invalid}" is not a valid value`);
  }
  return query;
}

function isValid(type: Value, text: string, version: NodeVersion): boolean {
  const isInteger = (bits: number) => isDigits(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text);
  switch (type.kind) {
    case "int32":
      return isInteger(32);
    case "nanoseconds":
      return isInteger(64);
    case "boolean":
      return booleans.test(text);
    case "enum": {
      const name = /^[+-]?\d+$/.test(text) ? toName(type, Number(text)) : text;
      return type.values.some((each) => each === name && (version === "v0.74" || each !== removedName));
    }
    default:
      return true;
  }
}
