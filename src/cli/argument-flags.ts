/** The flags of an operation, derived from its arguments. */

import type { Argument, ParameterPlace, Value } from "../arguments/operation.js";
import { isDigits } from "../values/digits.js";
import { canonicalId } from "../values/ids.js";
import { quote, UsageError } from "./exit.js";
import { refuseFlag, type Values } from "./flag-values.js";
import type { Flag } from "./flags.js";
import type { OperationText } from "./operation-texts.js";
import { suggest } from "./suggest.js";
import { readTime } from "./time-values.js";

type Leaf = Value & ParameterPlace;

/** What the flags are derived from: an entry of `operations`. */
export interface DescribedArguments {
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly atLeastOneOf?: readonly string[];
  readonly range?: { readonly start: string; readonly end: string };
}

/** An argument of an operation with its flag. */
export interface ArgumentFlag {
  readonly flag: Flag;
  /** Its place in the argument of the client's method, as in `["filter", "partyIds"]`. */
  readonly path: readonly string[];
  readonly spec: Leaf;
}

/** The arguments of an operation with their flags, without those of pagination. */
export function argumentFlags(operation: DescribedArguments, text: OperationText): ArgumentFlag[] {
  const leaves = leavesOf(operation.arguments).filter(({ path }) => path[0] !== "pagination");
  const names = leaves.map(({ path, spec }) => nameOf(path.at(-1) ?? "", spec, operation));
  return leaves.map(({ path, spec }, index) => {
    const short = names[index] ?? "";
    const isUnique = names.indexOf(short) === names.lastIndexOf(short);
    const prefix = prefixOf(valuesOf(spec));
    const flag: Flag = {
      name: isUnique ? short : kebab(path.join("-")),
      value: placeholder(spec),
      text: textOf(spec, text.arguments[spec.name] ?? ""),
      ...(spec.kind === "array" && { multiple: true }),
      ...(prefix !== "" && { choices: valuesOf(spec).map((value) => friendly(value, prefix)) }),
    };
    return { flag, path, spec };
  });
}

/** Reads the argument of the client's method from the flags. */
export function readArguments(
  flags: readonly ArgumentFlag[],
  { atLeastOneOf = [] }: DescribedArguments,
  values: Values,
): Record<string, unknown> {
  const argument: Record<string, unknown> = {};
  for (const { flag, path, spec } of flags) {
    const entered = values.all(flag.name);
    if (entered.length === 0) {
      if (spec.required) throw new UsageError(`Expected --${flag.name} ${flag.value}: ${lower(flag.text)}`);
      continue;
    }
    const last = entered.at(-1) ?? "";
    const value = spec.kind === "array" ? entered.map((each) => read(spec.items, flag, each)) : read(spec, flag, last);
    let group = argument;
    for (const name of path.slice(0, -1)) group = group[name] = { ...(group[name] ?? {}) };
    group[path.at(-1) ?? ""] = value;
  }
  if (atLeastOneOf.length > 0 && atLeastOneOf.every((name) => argument[name] === undefined)) {
    const names = flags.filter(({ path }) => atLeastOneOf.includes(path.join("."))).map(({ flag }) => `--${flag.name}`);
    throw new UsageError(`Expected ${names.join(" or ")}.`);
  }
  return argument;
}

function read(spec: Value, flag: Flag, value: string): unknown {
  switch (spec.kind) {
    case "nanoseconds":
      return readTime(flag.name, value);
    case "int32":
      return isDigits(value) ? Number(value) : refuseFlag(flag.name, "an integer", value);
    case "boolean":
      return value === "true" || value === "false" ? value === "true" : refuseFlag(flag.name, "true or false", value);
    case "enum":
      return readEnum(spec, flag, value);
    default:
      return value === "" ? refuseFlag(flag.name, "a value", value) : canonicalId(value);
  }
}

/** The names of the wire are accepted, and their distinguishing ends in lower case: `general` for `ACCOUNT_TYPE_GENERAL`. */
function readEnum({ values, pattern }: Extract<Value, { kind: "enum" }>, flag: Flag, value: string): string {
  const prefix = prefixOf(values);
  const name = value.startsWith(prefix) ? value : prefix + value.toUpperCase().replaceAll("-", "_");
  if (values.includes(name)) return name;
  // A name that is close to a known one is a typo. Any other one can be of a newer node.
  const meant = suggest(
    friendly(name, prefix),
    values.map((each) => friendly(each, prefix)),
    2,
  );
  if (meant === "" && pattern !== undefined && new RegExp(pattern).test(name)) return name;
  const expected = `a name such as ${friendly(values[1] ?? values[0] ?? "", prefix)}`;
  throw new UsageError(`Expected --${flag.name} to be ${expected}, got ${quote(value)}.${meant}`);
}

const valuesOf = (spec: Value): readonly string[] =>
  spec.kind === "enum" ? spec.values : spec.kind === "array" ? valuesOf(spec.items) : [];

/** What all values begin with, up to an underscore. */
function prefixOf([first = "", ...others]: readonly string[]): string {
  let prefix = first;
  for (const value of others) while (!value.startsWith(prefix)) prefix = prefix.slice(0, -1);
  return prefix.slice(0, prefix.lastIndexOf("_") + 1);
}

const friendly = (value: string, prefix: string) => value.slice(prefix.length).toLowerCase().replaceAll("_", "-");

const leavesOf = (members: Readonly<Record<string, Argument>>, path: string[] = []): { path: string[]; spec: Leaf }[] =>
  Object.entries(members).flatMap(([name, spec]) =>
    spec.kind === "object" ? leavesOf(spec.members, [...path, name]) : [{ path: [...path, name], spec }],
  );

/** As in `party` for `partyIds`, and `account-type` for `accountTypes`. */
function nameOf(name: string, spec: Leaf, { range }: DescribedArguments): string {
  if (spec.name === range?.start) return "from";
  if (spec.name === range?.end) return "to";
  const singular = spec.kind === "array" ? name.replace(/ies$/, "y").replace(/s$/, "") : name;
  return kebab(singular.replace(/(?<=.)Id$/, ""));
}

const kebab = (name: string) => name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
const lower = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

function textOf(spec: Leaf, text: string): string {
  if (spec.kind === "array") return `${text} Can be repeated.`;
  if (spec.kind === "nanoseconds")
    return text.replace(/, in Unix nanoseconds/, ", as in 2024-02-01, 2024-02-01T12:00:00Z or 1707495900");
  return text;
}

function placeholder(spec: Value): string {
  if (spec.kind === "array") return placeholder(spec.items);
  return spec.kind === "nanoseconds" ? "TIME" : spec.kind === "enum" ? "NAME" : spec.kind === "string" ? "ID" : "VALUE";
}
