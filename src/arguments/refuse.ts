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

/** Throws the {@link ArgumentError} of an argument: what was expected of it, and what was passed, unless that may be a secret. */
export function refuse(place: Place, expected: string, ...passed: [value?: unknown]): never {
  const got = passed.length > 0 ? `, got ${show(passed[0])}` : "";
  throw new ArgumentError(`Expected ${subjectOf(place)} to be ${expected}${got}.`, place);
}

/** Throws the {@link ArgumentError} of an argument that breaks a rule, such as "must not be empty; omit it to list all". */
export function refuseByRule(place: Place, rule: string): never {
  throw new ArgumentError(`${subjectOf(place)} ${rule}.`, place);
}

/** Throws the {@link ArgumentError} of a name that is not one of `names`. */
export function refuseUnknown(owner: string, what: string, names: readonly string[], place: Place): never {
  const similar = mostSimilar(place.argument.replace(/^.*\./, ""), names);
  const advice = similar === undefined ? `Expected ${listNames(names)}.` : `Did you mean \`${similar}\`?`;
  throw new ArgumentError(`${owner} has no ${what}. ${advice}`, place);
}

/** The name that was probably meant: it differs in two letters at most, or begins alike. */
function mostSimilar(text: string, names: readonly string[]): string | undefined {
  const given = text.toLowerCase();
  const rated = names.map((name) => ({ name, distance: distance(given, name.toLowerCase()) }));
  const [best] = rated.sort((a, b) => a.distance - b.distance);
  if (best && best.distance <= Math.min(2, given.length / 3)) return best.name;
  return names.find((name) => given.startsWith(name.slice(0, 4).toLowerCase()) && name.length > 4);
}

/** How many letters to insert, remove or replace to turn one text into another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const subjectOf = ({ operation, argument }: Place): string =>
  `\`${argument}\`${operation === undefined ? "" : ` of ${operation}`}`;
