import { ArgumentError } from "../errors/index.js";
import { show } from "../values/show.js";
import { isPlainObject } from "./check-options.js";
import type { Argument, Arguments, Operation } from "./operation.js";
import { readValue } from "./read-value.js";
import { listNames, refuse, refuseUnknown } from "./refuse.js";

export type ArgumentsSpec = Pick<Operation, "arguments" | "atLeastOneOf" | "range">;

/** The checked members of an argument, nested as the caller passes them. Members that are not sent are left out. */
export type CheckedArguments = Readonly<Record<string, unknown>>;

export type Parameters = Record<"query" | "path" | "body", Record<string, unknown>>;

/** @throws {@link ArgumentError} if a member is invalid, missing, or not known. */
export function readArguments(operation: string, spec: ArgumentsSpec, argument: unknown): CheckedArguments {
  const checked = readMembers(operation, spec.arguments, argument === undefined ? {} : argument, "");
  const { atLeastOneOf, range } = spec;
  if (atLeastOneOf?.every((name) => checked[name] === undefined)) {
    const names = atLeastOneOf.map((name) => `\`${name}\``).join(" or ");
    const message = `Expected ${names} of ${operation}, got none of them.`;
    throw new ArgumentError(message, { operation, argument: atLeastOneOf[0] ?? "query" });
  }
  const { start, end } = timesOf(checked, range);
  if (range && start !== undefined && end !== undefined && end < start) {
    const [passedStart, passedEnd] = [range.start, range.end].map((name) =>
      memberAt(argument as CheckedArguments, name),
    );
    refuse({ operation, argument: range.end }, `no earlier than \`${range.start}\`, ${show(passedStart)}`, passedEnd);
  }
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
  const timeAt = (name = "") => {
    const time = memberAt(checked, name);
    return typeof time === "string" ? BigInt(time) : undefined;
  };
  return { start: timeAt(range?.start), end: timeAt(range?.end) };
}

function memberAt(argument: CheckedArguments, name: string): unknown {
  const [group = "", member = ""] = name.split(".");
  return (argument[group] as CheckedArguments | undefined)?.[member];
}

const isRequired = (argument: Argument) => argument.kind !== "object" && argument.required === true;

function readMembers(operation: string, members: Arguments, value: unknown, prefix: string): CheckedArguments {
  const names = Object.keys(members);
  if (!isPlainObject(value)) {
    const argument = prefix === "" ? "query" : prefix.slice(0, -1);
    const required = names.filter((name) => isRequired(members[name] as Argument));
    const expected = required.length > 0 ? listNames(required) : `at least one of ${listNames(names)}`;
    refuse({ operation, argument }, `an object with ${expected}`, value);
  }
  for (const name of Object.keys(value)) {
    // Nodes ignore unknown names: a misspelled filter would silently be no filter (observed on v0.74 nodes).
    const argument = `${prefix}${name}`;
    if (Object.hasOwn(members, name)) continue;
    refuseUnknown(operation, `\`${argument}\``, names, { operation, argument });
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

/**
 * Reads the argument of a caller at once: later changes of it have no effect. Returns a function that returns the
 * checked members, or throws the error of the argument.
 */
export function take<T>(read: () => T): () => T {
  try {
    const taken = read();
    return () => taken;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
