import { accountTypes } from "../../generated/enums.js";
import { GatewayError } from "./errors.js";
import { accountTypeNumber, type FieldType, type Message } from "./parameters.js";

/** The parameters of a query, by their dotted JSON names. */
export class QueryValues {
  readonly #values: ReadonlyMap<string, readonly (string | bigint | boolean)[]>;

  constructor(values: ReadonlyMap<string, readonly (string | bigint | boolean)[]>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#last(name);
    return typeof value === "string" ? value : undefined;
  }

  texts(name: string): string[] {
    return (this.#values.get(name) ?? []).filter((value) => typeof value === "string");
  }

  integer(name: string): bigint | undefined {
    const value = this.#last(name);
    return typeof value === "bigint" ? value : undefined;
  }

  integers(name: string): number[] {
    return (this.#values.get(name) ?? []).map(Number);
  }

  flag(name: string): boolean | undefined {
    const value = this.#last(name);
    return typeof value === "boolean" ? value : undefined;
  }

  #last(name: string): string | bigint | boolean | undefined {
    return this.#values.get(name)?.at(-1);
  }
}

/**
 * Reads a query as the gateway of v0.74 nodes does: JSON and `snake_case` names, `list[]=a` and `list[a]=b` as further
 * values, unknown names ignored.
 *
 * @throws {@link GatewayError} for what does not parse.
 */
export function readQuery(search: string, parameters: Message): QueryValues {
  const values = new Map<string, (string | bigint | boolean)[]>();
  for (const [key, given] of splitQuery(search)) {
    const [, name = key, index] = /^(.*)\[(.*)\]$/.exec(key) ?? [];
    const texts = index === undefined ? given : [index, ...given];
    const field = findField(parameters, name.split("."));
    if (field === undefined) continue;
    const parsed = parseField(field.name, field.type, texts);
    values.set(field.path, field.isList ? [...(values.get(field.path) ?? []), ...parsed] : parsed);
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
  /** The name in error messages. */
  name: string;
  type: FieldType | Message;
  isList: boolean;
}

/** The field that a dotted name leads to; `undefined` for an unknown name. */
function findField(message: Message, [part = "", ...rest]: readonly string[], path = ""): Field | undefined {
  const json = Object.keys(message.fields).find((each) => each === part || snakeCase(each) === part);
  const type = json === undefined ? undefined : message.fields[json];
  if (json === undefined || type === undefined) return undefined;
  const isMessage = typeof type === "object";
  if (rest.length === 0) {
    return { path: path + json, name: snakeCase(json), type, isList: !isMessage && type.endsWith("list") };
  }
  if (!isMessage) throw new GatewayError(3, `invalid path: "${snakeCase(json)}" is not a message`);
  return findField(type, rest, `${path}${json}.`);
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function parseField(name: string, type: Field["type"], texts: readonly string[]): (string | bigint | boolean)[] {
  const isList = typeof type === "string" && type.endsWith("list");
  if (!isList && texts.length > 1) {
    throw new GatewayError(3, `too many values for field "${name}": ${texts.join(", ")}`);
  }
  return texts.map((text) => {
    const parsed = parseValue(type, text);
    if (typeof parsed !== "object") return parsed;
    throw new GatewayError(3, `parsing ${isList ? "list" : "field"} "${name}": ${parsed.problem}`);
  });
}

function parseValue(type: Field["type"], text: string): string | bigint | boolean | { problem: string } {
  if (typeof type === "object") return { problem: `unsupported message type: "${type.name}"` };
  switch (type) {
    case "string":
    case "string list":
      return text;
    case "int32":
      return parseInteger(text, 32);
    case "int64":
      return parseInteger(text, 64);
    case "bool":
      if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
      if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) return false;
      return { problem: `strconv.ParseBool: parsing "${text}": invalid syntax` };
    case "account type list":
      return parseAccountType(text);
  }
}

function parseInteger(text: string, bits: 32 | 64): bigint | { problem: string } {
  const failure = (reason: string) => ({ problem: `strconv.ParseInt: parsing "${text}": ${reason}` });
  if (!/^[+-]?\d+$/.test(text)) return failure("invalid syntax");
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(bits, value) === value ? value : failure("value out of range");
}

/** An account type by its name or its number. */
function parseAccountType(text: string): bigint | { problem: string } {
  const numbers = accountTypes.map((name) => accountTypeNumber(name));
  const number = accountTypeNumber(text) ?? (/^[+-]?\d+$/.test(text) ? Number(text) : undefined);
  return number !== undefined && numbers.includes(number)
    ? BigInt(number)
    : { problem: `"${text}" is not a valid value` };
}
