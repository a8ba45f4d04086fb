import type { Argument, Value } from "../arguments/operation.js";
import { type Enumeration, toName } from "../values/enumeration.js";
import { GatewayError } from "./errors.js";
import { flatten, type Parameters } from "./operations.js";

type QueryValue = string | bigint | boolean;

/** The values of parameters, by their dotted JSON names. */
export class QueryValues {
  readonly #values: ReadonlyMap<string, readonly QueryValue[]>;

  constructor(values: ReadonlyMap<string, readonly QueryValue[]>) {
    this.#values = values;
  }

  /** All values of a parameter, those of an enumeration by their names; empty if it is not given. */
  all(name: string): readonly QueryValue[] {
    return this.#values.get(name) ?? [];
  }

  text(name: string): string | undefined {
    const value = this.#last(name);
    return typeof value === "string" ? value : undefined;
  }

  texts(name: string): string[] {
    return this.all(name).filter((value) => typeof value === "string");
  }

  integer(name: string): bigint | undefined {
    const value = this.#last(name);
    return typeof value === "bigint" ? value : undefined;
  }

  flag(name: string): boolean | undefined {
    const value = this.#last(name);
    return typeof value === "boolean" ? value : undefined;
  }

  #last(name: string): QueryValue | undefined {
    return this.all(name).at(-1);
  }
}

/**
 * Reads parameters as the gateway of v0.74 nodes does. In the query, JSON and `snake_case` names are accepted, `list[]=a` and
 * `list[a]=b` are further values, and unknown names are ignored. The query of an operation without query parameters is not
 * read.
 *
 * @param path - The parameters of the path.
 * @param removedNames - The names of enumerations that the node does not have.
 * @throws {@link GatewayError} for what does not parse.
 */
export function readQuery(
  search: string,
  parameters: Parameters,
  path: Readonly<Record<string, string>>,
  removedNames: readonly string[] = [],
): QueryValues {
  const values = new Map<string, QueryValue[]>();
  for (const [name, text] of Object.entries(path)) {
    const type = parameters[name];
    if (type !== undefined) values.set(name, parseField({ path: name, name, type }, [text], removedNames));
  }
  if (!flatten(parameters).some((each) => each.in === "query")) return new QueryValues(values);
  for (const [key, given] of splitQuery(search)) {
    const [, name = key, index] = /^(.*)\[(.*)\]$/.exec(key) ?? [];
    const texts = index === undefined ? given : [index, ...given];
    const field = findField(parameters, name.split("."));
    if (field === undefined) continue;
    const parsed = parseField(field, texts, removedNames);
    const before = values.get(field.path);
    if (before !== undefined && field.type.kind !== "array") {
      throw new GatewayError(3, `field already set for oneof "_${snakeCase(field.name)}"`);
    }
    values.set(field.path, [...(before ?? []), ...parsed]);
  }
  return new QueryValues(values);
}

/** The values of each key, decoded. */
function splitQuery(search: string): Map<string, string[]> {
  const pairs = new Map<string, string[]>();
  for (const part of search.replace(/^\?/, "").split("&")) {
    if (part.includes(";")) throw new GatewayError(3, "invalid semicolon separator in query");
    if (part === "") continue;
    const equals = part.indexOf("=");
    const key = decode(equals === -1 ? part : part.slice(0, equals));
    const value = decode(equals === -1 ? "" : part.slice(equals + 1));
    pairs.set(key, [...(pairs.get(key) ?? []), value]);
  }
  return pairs;
}

function decode(text: string): string {
  const [malformed] = /%(?![0-9a-f]{2}).{0,2}/i.exec(text) ?? [];
  if (malformed !== undefined) throw new GatewayError(3, `invalid URL escape "${malformed}"`);
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new GatewayError(13, "grpc: error while marshaling: string field contains invalid UTF-8");
  }
}

interface Field {
  /** The dotted JSON name. */
  path: string;
  /** The last part of the name, in JSON. */
  name: string;
  type: Argument;
}

/** The parameter of a query, or the group, that a dotted name leads to; `undefined` for an unknown name. */
function findField(parameters: Parameters, [part = "", ...rest]: readonly string[], path = ""): Field | undefined {
  const name = Object.keys(parameters).find((each) => each === part || snakeCase(each) === part);
  const type = name === undefined ? undefined : parameters[name];
  if (name === undefined || type === undefined) return undefined;
  if (type.kind !== "object" && type.in !== "query") return undefined;
  if (rest.length === 0) return { path: path + name, name, type };
  if (type.kind !== "object") throw new GatewayError(3, `invalid path: "${snakeCase(name)}" is not a message`);
  return findField(type.members, rest, `${path}${name}.`);
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function parseField({ name, type }: Field, texts: readonly string[], removedNames: readonly string[]): QueryValue[] {
  const isList = type.kind === "array";
  if (!isList && texts.length > 1) {
    throw new GatewayError(3, `too many values for field "${snakeCase(name)}": ${texts.join(", ")}`);
  }
  return texts.map((text) => {
    const parsed =
      type.kind === "object"
        ? { problem: `unsupported message type: "datanode.api.v2.${pascalCase(name)}"` }
        : parseValue(type, text, removedNames);
    if (typeof parsed !== "object") return parsed;
    throw new GatewayError(3, `parsing ${isList ? "list" : "field"} "${snakeCase(name)}": ${parsed.problem}`);
  });
}

interface Problem {
  problem: string;
}

function parseValue(type: Value, text: string, removedNames: readonly string[]): QueryValue | Problem {
  switch (type.kind) {
    case "array":
      return parseValue(type.items, text, removedNames);
    case "int32":
      return parseInteger(text, 32);
    case "nanoseconds":
      return parseInteger(text, 64);
    case "boolean":
      if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
      if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) return false;
      return { problem: `strconv.ParseBool: parsing "${text}": invalid syntax` };
    case "enum":
      return parseEnum(type, text, removedNames);
    default:
      return text;
  }
}

function parseInteger(text: string, bits: 32 | 64): bigint | Problem {
  const failure = (reason: string) => ({ problem: `strconv.ParseInt: parsing "${text}": ${reason}` });
  if (!/^[+-]?\d+$/.test(text)) return failure("invalid syntax");
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(bits, value) === value ? value : failure("value out of range");
}

/** The name of an enumeration that a text or the digits of a number stand for. */
function parseEnum(type: Enumeration, text: string, removedNames: readonly string[]): string | Problem {
  const name = /^[+-]?\d+$/.test(text) ? toName(type, Number(text)) : text;
  const found = type.values.find((each) => each === name && !removedNames.includes(each));
  return found ?? { problem: `"${text}" is not a valid value` };
}
