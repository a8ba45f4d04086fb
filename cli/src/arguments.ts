/** The arguments of an operation, as the description has them, from flags or from the parameters of a URL. */
import type { Option } from "commander";
import { toNanoseconds } from "vegaprotocol-client";
import {
  type Argument,
  canonicalId,
  type Operation,
  type OperationId,
  operations,
  type Value,
} from "vegaprotocol-client/operations";
import { operationTexts } from "../generated/operation-texts.js";
import { didYouMean, UsageError } from "./errors.js";
import { type Flags, filterFlag, severalText } from "./flags.js";
import { checkTime, readTime } from "./times.js";

type Leaf = Exclude<Argument, { kind: "object" }>;

/** The flags of an operation, each with its path in the argument of the method, such as `["filter", "partyIds"]`. */
export function argumentFlags(id: OperationId) {
  const operation: Operation = operations[id];
  const leaves = leavesOf(operation.arguments).filter(({ path }) => path[0] !== "pagination");
  return leaves.map(({ path, spec }) => {
    const name = nameOf(path, spec, operation);
    const text = textOf(spec, operationTexts[id].arguments[path.join(".")] ?? "");
    const [value, more] =
      name === "asset" ? ["ASSET", " An id or a symbol."] : [placeholders[itemOf(spec).kind] ?? "VALUE", ""];
    const option = filterFlag(`--${name} <${value}>`, text + more, {
      ...(spec.kind === "nanoseconds" && { parse: checkTime }),
      repeat: spec.kind === "array",
      mandatory: spec.required,
    });
    return { name, path, spec, option };
  });
}

/** The flags that filter a list, without `--from` and `--to`. */
export const listFilters = (id: OperationId): Option[] =>
  argumentFlags(id).flatMap(({ path, option }) => (path[0] === "dateRange" ? [] : [option]));

/** Reads the argument of the client's method from the flags that were entered. */
export function readArguments(id: OperationId, flagsEntered: Flags): Record<string, unknown> {
  const entered = flagsEntered as Readonly<Record<string, string | string[] | undefined>>;
  const argument: Record<string, unknown> = {};
  const flags = argumentFlags(id);
  for (const { name, option, path, spec } of flags) {
    const value = entered[option.attributeName()];
    if (value === undefined || (name === "to" && value === "now")) continue;
    const read = (each: string) =>
      spec.kind === "nanoseconds" ? readTime(each, flagsEntered.timeZone) : readName(spec, name, each);
    setMember(argument, path, Array.isArray(value) ? value.map(read) : read(value));
  }
  const { atLeastOneOf }: Operation = operations[id];
  if (atLeastOneOf?.every((name) => argument[name] === undefined)) {
    const names = flags.filter(({ path }) => atLeastOneOf.includes(path.join("."))).map(({ name }) => `--${name}`);
    throw new UsageError(`Expected ${names.join(" or ")}.`);
  }
  return argument;
}

function setMember(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let group = object;
  for (const part of path.slice(0, -1)) {
    group[part] ??= {};
    group = group[part] as Record<string, unknown>;
  }
  group[path.at(-1) ?? ""] = value;
}

/** Reads parameters of a URL as the argument of a method. Unknown names are refused: they would filter nothing. */
export function readParameters(operation: Pick<Operation, "arguments">, query: URLSearchParams, path = {}) {
  const argument: Record<string, unknown> = { ...path };
  const unknown = new Set(query.keys());
  const leaves = leavesOf(operation.arguments).filter(({ spec }) => spec.in === undefined);
  for (const { path, spec } of leaves) {
    const name = path.join(".");
    const names = [...new Set([name, kebab(name).replaceAll("-", "_")])];
    for (const each of names) unknown.delete(each);
    const texts = names.flatMap((each) => query.getAll(each));
    if (texts.length === 0) continue;
    if (spec.kind !== "array" && texts.length > 1) throw new UsageError(`Expected the parameter \`${name}\` once.`);
    const values = texts.map((text) => readValue(itemOf(spec), text));
    if (spec.kind === "boolean" && typeof values[0] === "string")
      throw new UsageError(`Expected \`${name}\` to be true or false, got "${values[0]}".`);
    if (spec.kind === "nanoseconds" && !isTime(texts[0] ?? "")) {
      const expected = 'a time such as "2024-02-09" or "2024-02-09T16:54:49.123Z", or digits of Unix nanoseconds';
      throw new UsageError(`Expected \`${name}\` to be ${expected}, got "${texts[0]}".`);
    }
    setMember(argument, path, spec.kind === "array" ? values : values[0]);
  }
  const known = leaves.map(({ path }) => path.join("."));
  for (const name of unknown) throw new UsageError(`There is no parameter ${name}.${didYouMean(name, known)}`);
  return argument;
}

/** Digits that people write for a year, or for seconds to microseconds. As nanoseconds they are a moment in 1970. */
const inOtherUnits = /^(?:(?:19[7-9]|2[01]\d)\d|(?:\d{3}){3,5}\d?)$/;

function isTime(text: string): boolean {
  try {
    return toNanoseconds(text) !== undefined && !inOtherUnits.test(text);
  } catch {
    return false;
  }
}

/** A value of another form stays a text, which the client refuses. */
function readValue(spec: Value, text: string): unknown {
  if (spec.kind === "int32") return /^[+-]?\d+$/.test(text) ? Number(text) : text;
  if (spec.kind === "boolean") return /^(?:1|t|true)$/i.test(text) || (/^(?:0|f|false)$/i.test(text) ? false : text);
  if (spec.kind !== "enum" || !/^\d+$/.test(text)) return text;
  return spec.values[spec.numbers.indexOf(Number(text))] ?? text;
}

function readName(spec: Value, flagName: string, value: string): string {
  const names = namesByWord(spec);
  if (names.size === 0) return value;
  const name = names.get(wordOf(value)) ?? [...names.values()].find((each) => each === value);
  if (name !== undefined) return name;
  const known = [...names.keys()];
  const several = value.includes(",") ? ` ${severalText}` : "";
  const advice = several || didYouMean(value, known) || ` The known names are ${known.join(", ")}.`;
  throw new UsageError(`Unknown name "${value}" in --${flagName}.${advice}`);
}

const wordOf = (name: string) => name.toLowerCase().replaceAll("_", "-");

const itemOf = (spec: Value): Value => (spec.kind === "array" ? spec.items : spec);

/** The names of an enumeration by their short words, without the prefix that all names share. */
function namesByWord(spec: Value): ReadonlyMap<string, string> {
  const item = itemOf(spec);
  const names = item.kind === "enum" ? item.values : [];
  let prefix = names[0] ?? "";
  for (const name of names) while (!name.startsWith(prefix)) prefix = prefix.slice(0, -1);
  const length = prefix.lastIndexOf("_") + 1;
  return new Map(names.map((name) => [wordOf(name.slice(length)), name]));
}

const leavesOf = (members: Readonly<Record<string, Argument>>, path: string[] = []): { path: string[]; spec: Leaf }[] =>
  Object.entries(members).flatMap(([name, spec]) =>
    spec.kind === "object" ? leavesOf(spec.members, [...path, name]) : [{ path: [...path, name], spec }],
  );

/** Such as `party` for `partyIds`, and `account-type` for `accountTypes`. */
function nameOf(path: readonly string[], spec: Leaf, { range }: Operation): string {
  const name = path.at(-1) ?? "";
  if (path.join(".") === range?.start) return "from";
  if (path.join(".") === range?.end) return "to";
  const singular = spec.kind === "array" ? name.replace(/ies$/, "y").replace(/s$/, "") : name;
  return kebab(singular.replace(/(?<=.)Id$/, ""));
}

/** Such as `account-type` for `accountType`. */
export function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

function textOf(spec: Leaf, text: string): string {
  const words = [...namesByWord(spec).keys()];
  const known = words.length > 0 ? ` One of: ${words.join(", ")}.` : "";
  if (spec.kind === "array") return `${text} Can be repeated.${known}`;
  if (spec.kind !== "nanoseconds") return `${text}${known}`;
  return text.replace(
    ", in Unix nanoseconds",
    ", such as 2024-02-01, 2024-02-01T12:00:00Z, 1707495900, or 24h for a day ago",
  );
}

const placeholders: { readonly [kind in Value["kind"]]?: string } = { nanoseconds: "TIME", enum: "NAME", id: "ID" };

/** Options of the client whose flags have another name. */
const otherNames = [
  ["baseUrl", "node"],
  ["urls", "node"],
  ["headers", "header"],
  ["retry.attempts", "retries"],
  ["maxItems", "limit"],
  ["pagination.first", "page-size"],
  ["liquidity.requiredMajority", "liquidity-majority"],
  ["liquidity.requiredParticipation", "liquidity-participation"],
  ["liquidity.marketId", "market"],
] as const;

/** Replaces options in a message of the client by flags: `filter.partyIds[2]` by `--party`. */
export function withFlagNames(message: string, flags: readonly string[]): string {
  const own = (Object.keys(operations) as OperationId[]).flatMap((id) =>
    argumentFlags(id).map(({ path, name }) => [path.join("."), name] as const),
  );
  const names = new Map<string, string>([...own, ...otherNames]);
  const withFlags = message.replaceAll(/`([A-Za-z.]+)(?:\[\d+\])?`(?: of [A-Za-z]+)?/g, (all, path: string) => {
    const name = `--${names.get(path) ?? kebab(path)}`;
    return flags.includes(name) ? name : all;
  });
  return withFlags
    .replace("to be a bigint or digits", "to be digits")
    .replace("List them in several calls", "Run the command for about 80 of them at a time");
}

const method = "(?:(?:list|scan|get|follow|check)[A-Z]\\w+|nodes\\.check)";

/** Leaves out methods and an option of the client, which the command line does not have. */
export const withoutMethods = (message: string): string =>
  message
    .replace(/, longer than `maxRetryAfter`, \d+ ms/, "")
    .replace(new RegExp(`^${method} received`), "Received")
    .replace(new RegExp(`^${method}(?= failed| took)`), "The request")
    .replaceAll(new RegExp(`(?<=^Attempt \\d+) of ${method}|(?<=: )${method} (?=received)`, "g"), "");

/** Each id once, in lower case if it is hexadecimal, as nodes return them: a checkpoint belongs to its ids. */
export function canonicalIds<T>(ids: T): T {
  if (typeof ids === "string") return canonicalId(ids) as T;
  if (Array.isArray(ids)) return [...new Set(ids.map(canonicalIds))] as T;
  if (typeof ids !== "object" || ids === null) return ids;
  return Object.fromEntries(Object.entries(ids).map(([name, value]) => [name, canonicalIds(value)])) as T;
}
