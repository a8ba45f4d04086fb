import { isPlainObject } from "../arguments/check-options.js";
import { show } from "../values/show.js";

/** The names of members and the indexes of items that lead to a value. */
type Path = readonly (string | number)[];

/** A value that does not match its shape. */
interface Finding {
  /** The place, from the value that was checked. */
  readonly path: Path;
  readonly expected: string;
  readonly got: string;
}

/** Formats a path, such as `votes.edges[3].node`. */
export const formatPath = (path: Path): string =>
  path.map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`)).join("");

/** The rules of the description for a value. */
export interface Shape {
  readonly expected: string;
  /** Returns the first mismatches of a value, at most {@link mostFindings}; empty if it matches. */
  explain(value: unknown): readonly Finding[];
}

/** A body of another format mismatches everywhere: further places say nothing new, and take quadratic time. */
export const mostFindings = 100;

const none: readonly Finding[] = [];

const mismatch = (expected: string, value: unknown): readonly Finding[] => [
  { path: [], expected, got: value === undefined ? "nothing" : show(value) },
];

/** Adds the mismatches of a member or an item to those before it. */
const add = (found: readonly Finding[], key: string | number, mismatches: readonly Finding[]): readonly Finding[] =>
  mismatches.length === 0
    ? found
    : [...found, ...mismatches.map((finding) => ({ ...finding, path: [key, ...finding.path] }))].slice(0, mostFindings);

function primitive(expected: string, fits: (value: unknown) => boolean): Shape {
  return { expected, explain: (value) => (fits(value) ? none : mismatch(expected, value)) };
}

export const text = primitive("a string", (value) => typeof value === "string");
export const integer = primitive("a whole number", (value) => Number.isInteger(value));
export const number = primitive("a number", (value) => typeof value === "number");
export const flag = primitive("true or false", (value) => typeof value === "boolean");
export const nothing = primitive("null", (value) => value === null);
export const literal = (expected: string | number | boolean) =>
  primitive(JSON.stringify(expected), (value) => value === expected);

/** One of several shapes. If one of them is an object, the mismatches of its members are reported. */
export function anyOf(...shapes: Shape[]): Shape {
  const expected = shapes.map((shape) => shape.expected).join(" or ");
  return {
    expected,
    explain(value) {
      let closest: readonly Finding[] | undefined;
      for (const shape of shapes) {
        const found = shape.explain(value);
        if (found.length === 0) return none;
        // The most likely of several objects is the one with the fewest mismatches.
        const isInMembers = found.every(({ path }) => path.length > 0);
        if (isInMembers && (closest === undefined || found.length < closest.length)) closest = found;
      }
      return closest ?? mismatch(expected, value);
    },
  };
}

/** A value of any number of members or items, which have one shape. */
function collection(expected: string, fits: (value: unknown) => boolean, item: Shape): Shape {
  return {
    expected,
    explain(value) {
      if (!fits(value)) return mismatch(expected, value);
      let found = none;
      for (const [key, each] of Array.isArray(value) ? value.entries() : Object.entries(value as object)) {
        found = add(found, key, item.explain(each));
        if (found.length === mostFindings) break;
      }
      return found;
    },
  };
}

export const list = (item: Shape) => collection("a list", Array.isArray, item);

/** An object with any member names. */
export const map = (member: Shape) => collection("an object", isPlainObject, member);

/** An object with required members, optional members and any others. */
export function object(required: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape {
  const shapes = Object.entries({ ...required, ...optional });
  return {
    expected: "an object",
    explain(value) {
      if (!isPlainObject(value)) return mismatch("an object", value);
      let found = none;
      for (const [name, shape] of shapes) {
        const member = (value as Record<string, unknown>)[name];
        if (member !== undefined || !(name in optional)) found = add(found, name, shape.explain(member));
      }
      return found;
    },
  };
}
