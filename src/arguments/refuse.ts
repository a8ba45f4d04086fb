import { ArgumentError } from "../errors/index.js";

/** Formats a value for a message, shortened if it is long. */
export function show(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString();
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  const type = Object.prototype.toString.call(value).slice(8, -1);
  return type === "Object" ? "an object" : `an object of type ${type}`;
}

/** Formats names for a message. */
export const listNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Where an invalid value was passed. */
export interface Place {
  operation?: string | undefined;
  /** As in `pagination.first`. */
  argument: string;
}

/** Throws the {@link ArgumentError} of an argument: what was expected of it, and what was passed. */
export function refuse(place: Place, expected: string, value: unknown): never {
  throw new ArgumentError(`${expectation(place, expected)}, got ${show(value)}.`, place);
}

/** Like {@link refuse}, for a value that may be a secret: the message does not contain it. */
export function refuseSecret(place: Place, expected: string): never {
  throw new ArgumentError(`${expectation(place, expected)}.`, place);
}

/** Throws the {@link ArgumentError} of an argument that breaks a rule, such as "must not be empty; omit it to list all". */
export function refuseByRule(place: Place, rule: string): never {
  throw new ArgumentError(`${subjectOf(place)} ${rule}.`, place);
}

/** Throws the {@link ArgumentError} of a name that is not one of `names`. */
export function refuseUnknown(owner: string, what: string, names: readonly string[], place: Place): never {
  throw new ArgumentError(`${owner} has no ${what}. Expected ${listNames(names)}.`, place);
}

const expectation = (place: Place, expected: string): string => `Expected ${subjectOf(place)} to be ${expected}`;

const subjectOf = ({ operation, argument }: Place): string =>
  `\`${argument}\`${operation === undefined ? "" : ` of ${operation}`}`;
