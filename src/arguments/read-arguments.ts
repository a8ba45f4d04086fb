import { ArgumentError } from "../errors/index.js";
import type { Argument, Operation } from "./operation.js";
import { readValue } from "./read-value.js";
import { listNames, refuse, refuseUnknown } from "./refuse.js";

/** What an operation takes. */
export type ArgumentsSpec = Pick<Operation, "arguments" | "atLeastOneOf" | "range">;

/** The parameters of a request, by their names on the wire. */
export interface Parameters {
  query: Record<string, unknown>;
  path: Record<string, unknown>;
  body: Record<string, unknown>;
}

/**
 * Checks the argument of a method and returns what is sent.
 *
 * @throws {@link ArgumentError} if a member is invalid, missing, or not known.
 */
export function readArguments(operation: string, spec: ArgumentsSpec, argument: unknown): Parameters {
  const parameters: Parameters = { query: {}, path: {}, body: {} };
  const isOptional = spec.atLeastOneOf === undefined && !Object.values(spec.arguments).some(isRequired);
  readMembers(operation, spec.arguments, argument === undefined && isOptional ? {} : argument, "", parameters);
  checkAtLeastOne(operation, spec, parameters);
  checkRange(operation, spec, parameters);
  return parameters;
}

const isRequired = (argument: Argument) => argument.kind !== "object" && argument.required === true;

function readMembers(
  operation: string,
  members: ArgumentsSpec["arguments"],
  value: unknown,
  prefix: string,
  parameters: Parameters,
): void {
  const names = Object.keys(members);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const argument = prefix === "" ? "query" : prefix.slice(0, -1);
    refuse({ operation, argument }, `an object with ${listNames(names)}`, value);
  }
  for (const name of Object.keys(value)) {
    // Nodes ignore unknown names: a misspelled filter would silently be no filter (observed on v0.74 nodes).
    const argument = `${prefix}${name}`;
    if (!names.includes(name)) refuseUnknown(operation, `\`${argument}\``, names, { operation, argument });
  }
  for (const [name, spec] of Object.entries(members)) {
    const member: unknown = (value as Record<string, unknown>)[name];
    const argument = `${prefix}${name}`;
    if (member === undefined && !isRequired(spec)) continue;
    if (spec.kind === "object") {
      readMembers(operation, spec.members, member, `${argument}.`, parameters);
      continue;
    }
    const read = readValue(spec, member, { operation, argument });
    if (spec.in === "path") checkPathSegment(operation, argument, read);
    if (read !== undefined) parameters[spec.in][spec.name] = read;
  }
}

/** A URL parser takes these, even percent-encoded, for steps in the path: another resource would be requested. */
function checkPathSegment(operation: string, argument: string, value: unknown): void {
  if (value === "." || value === "..") refuse({ operation, argument }, "an id other than `.` or `..`", value);
}

function checkAtLeastOne(operation: string, { atLeastOneOf: names }: ArgumentsSpec, { query }: Parameters): void {
  if (names === undefined || names.some((name) => query[name] !== undefined)) return;
  const expected = names.map((name) => `\`${name}\``).join(" or ");
  throw new ArgumentError(`Expected ${expected} of ${operation}, got ${names.length === 2 ? "neither" : "none"}.`, {
    operation,
    argument: names[0] ?? "query",
  });
}

function checkRange(operation: string, { range }: ArgumentsSpec, { query }: Parameters): void {
  const [start, end] = [range?.start, range?.end].map((name) => (name === undefined ? undefined : query[name]));
  if (typeof start !== "string" || typeof end !== "string" || BigInt(end) >= BigInt(start)) return;
  refuse({ operation, argument: range?.end ?? "" }, `no earlier than \`${range?.start}\`, ${start}`, end);
}
