import { ArgumentError } from "../errors/index.js";
import { show } from "../values/show.js";

export const listNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Where an invalid value was passed. */
export interface Place {
  operation?: string | undefined;
  /** Such as `pagination.first`. */
  argument: string;
}

/** Throws the {@link ArgumentError} of an argument: the expected and the passed value, unless that may be a secret. */
export function refuse(place: Place, expected: string, ...passed: [value?: unknown]): never {
  const got = passed.length > 0 ? `, got ${show(passed[0])}` : "";
  throw new ArgumentError(`Expected ${subjectOf(place)} to be ${expected}${got}.`, place);
}

/** Throws the {@link ArgumentError} of an argument that breaks a rule, such as "must not be empty". */
export function refuseByRule(place: Place, rule: string): never {
  throw new ArgumentError(`${subjectOf(place)} ${rule}.`, place);
}

/** Throws the {@link ArgumentError} of a name that is not one of `names`. */
export function refuseUnknown(owner: string, what: string, names: readonly string[], place: Place): never {
  const similar = mostSimilar(place.argument.replace(/^.*\./, ""), names);
  const advice = similar === undefined ? `Expected ${listNames(names)}.` : `Did you mean \`${similar}\`?`;
  throw new ArgumentError(`${owner} has no ${what}. ${advice}`, place);
}

/** The name that was probably meant: the one that begins and ends most alike, if half of the letters are the same. */
function mostSimilar(text: string, names: readonly string[]): string | undefined {
  const alike = (name: string) => {
    const [given, known] = [[...text.toLowerCase()], [...name.toLowerCase()]];
    return sharedStart(given, known) + sharedStart(given.reverse(), known.reverse());
  };
  const [best = ""] = [...names].sort((a, b) => alike(b) - alike(a));
  return alike(best) >= text.length / 2 ? best : undefined;
}

function sharedStart(a: readonly string[], b: readonly string[]): number {
  const end = a.findIndex((letter, index) => letter !== b[index]);
  return end < 0 ? a.length : end;
}

const subjectOf = ({ operation, argument }: Place): string =>
  `\`${argument}\`${operation === undefined ? "" : ` of ${operation}`}`;
