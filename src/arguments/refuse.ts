import { ArgumentError } from "../errors/index.js";
import { show } from "../values/show.js";

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
