import { ArgumentError } from "../errors/index.js";
import { show } from "../values/show.js";
import { isPlainObject } from "./check-options.js";
import type { Argument, Arguments, Operation } from "./operation.js";
import { readValue } from "./read-value.js";
import { listNames, refuse, refuseUnknown } from "./refuse.js";

/*
 * Everything that callers pass is checked by a table, before anything is sent: the argument of a method by the table of
 * operations (here, with a reader for each kind of value in `read-value.ts`), and options by a check for each name
 * (`check-options.ts`). A wrong one is refused with the expected and the passed value (`refuse.ts`).
 */

export type ArgumentsSpec = Pick<Operation, "arguments" | "atLeastOneOf" | "range">;

/** The checked members of an argument, nested as the caller passes them. Members that are not sent are left out. */
export type CheckedArguments = Readonly<Record<string, unknown>>;

type Parameters = Record<"query" | "path" | "body", Record<string, unknown>>;

/** Checks the argument of a method: throws an {@link ArgumentError} if a member is invalid, missing, or not known. */
export function readArguments(operation: string, spec: ArgumentsSpec, argument: unknown): CheckedArguments {
  const checked = readMembers(operation, spec.arguments, argument === undefined ? {} : argument, "");
  checkAtLeastOne(operation, spec, checked);
  checkRange(operation, spec, checked, argument as CheckedArguments);
  return checked;
}

export function serialize(
  members: Arguments,
  checked: CheckedArguments,
  parameters: Parameters = { query: {}, path: {}, body: {} },
  prefix = "",
): Parameters {
  for (const name in checked) {
    const spec = members[name] as Argument;
    const value = checked[name];
    if (spec.kind === "object") serialize(spec.members, value as CheckedArguments, parameters, `${prefix}${name}.`);
    else parameters[spec.in ?? "query"][prefix + name] = value;
  }
  return parameters;
}

/** The two times of an operation's range, in Unix nanoseconds. */
export function timesOf(checked: CheckedArguments, range: Operation["range"]) {
  return { start: timeAt(checked, range?.start), end: timeAt(checked, range?.end) };
}

function timeAt(checked: CheckedArguments, name = ""): bigint | undefined {
  const time = memberAt(checked, name);
  return typeof time === "string" ? BigInt(time) : undefined;
}

function memberAt(argument: CheckedArguments, name: string): unknown {
  const [group = "", member = ""] = name.split(".");
  return (argument[group] as CheckedArguments | undefined)?.[member];
}

const isRequired = (argument: Argument) => argument.kind !== "object" && argument.required === true;

function describeMembers(members: Arguments): string {
  const required = Object.keys(members).filter((name) => isRequired(members[name] as Argument));
  return required.length > 0 ? listNames(required) : `at least one of ${listNames(Object.keys(members))}`;
}

function readMembers(operation: string, members: Arguments, value: unknown, prefix: string): CheckedArguments {
  if (!isPlainObject(value)) {
    const argument = prefix === "" ? "query" : prefix.slice(0, -1);
    refuse({ operation, argument }, `an object with ${describeMembers(members)}`, value);
  }
  for (const name of Object.keys(value)) {
    // Nodes ignore unknown names: a misspelled filter would silently be no filter (observed on v0.74 nodes).
    const argument = `${prefix}${name}`;
    if (Object.hasOwn(members, name)) continue;
    refuseUnknown(operation, `\`${argument}\``, Object.keys(members), { operation, argument });
  }
  const checked: Record<string, unknown> = {};
  for (const name in members) {
    const spec = members[name] as Argument;
    const member: unknown = (value as Record<string, unknown>)[name];
    const argument = `${prefix}${name}`;
    if (member === undefined && !isRequired(spec)) continue;
    checked[name] =
      spec.kind === "object"
        ? readMembers(operation, spec.members, member, `${argument}.`)
        : readValue(spec, member, { operation, argument });
  }
  return checked;
}

function checkAtLeastOne(operation: string, { atLeastOneOf: names }: ArgumentsSpec, checked: CheckedArguments): void {
  if (names === undefined || names.some((name) => checked[name] !== undefined)) return;
  const expected = names.map((name) => `\`${name}\``).join(" or ");
  const message = `Expected ${expected} of ${operation}, got neither.`;
  throw new ArgumentError(message, { operation, argument: names[0] ?? "query" });
}

function checkRange(
  operation: string,
  { range }: ArgumentsSpec,
  checked: CheckedArguments,
  passed: CheckedArguments,
): void {
  if (range === undefined) return;
  const { start, end } = timesOf(checked, range);
  if (start === undefined || end === undefined || end >= start) return;
  const expected = `no earlier than \`${range.start}\`, ${show(memberAt(passed, range.start))}`;
  refuse({ operation, argument: range.end }, expected, memberAt(passed, range.end));
}

/**
 * Reads the argument of a caller at once: later changes of it have no effect. Returns a function that returns the
 * checked members, or throws the error of the argument.
 */
export function readAtOnce<T>(read: () => T): () => T {
  try {
    const taken = read();
    return () => taken;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
