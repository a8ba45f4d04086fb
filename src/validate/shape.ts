import { show } from "../values/show.js";

/** The names of members and the indexes of items that lead to a value. */
export type Path = readonly (string | number)[];

/** A value that does not match its shape. */
export interface Finding {
  path: Path;
  /** What the description requires, as in `a string`. */
  expected: string;
  /** What was received instead. */
  got: string;
}

/** Formats a path, as in `votes.edges[3].node`. */
export const formatPath = (path: Path): string =>
  path.map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`)).join("");

/** What the description requires of a value. */
export interface Shape {
  readonly expected: string;
  /** Returns whether a value matches. */
  fits(value: unknown): boolean;
  /** Returns the mismatches of a value; empty if it matches. */
  explain(value: unknown, path: Path): Finding[];
}

const mismatch = (path: Path, expected: string, value: unknown): Finding[] => [
  { path, expected, got: value === undefined ? "nothing" : show(value) },
];

function primitive(expected: string, fits: (value: unknown) => boolean): Shape {
  return { expected, fits, explain: (value, path) => (fits(value) ? [] : mismatch(path, expected, value)) };
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
  const fits = (value: unknown) => shapes.some((shape) => shape.fits(value));
  return {
    expected,
    fits,
    explain(value, path) {
      if (fits(value)) return [];
      const explanations = shapes.map((shape) => shape.explain(value, path));
      const inMembers = explanations.filter((found) => found.every((each) => each.path.length > path.length));
      // Of several objects, the one with the fewest mismatches is the most likely.
      const [closest] = inMembers.sort((a, b) => a.length - b.length);
      return closest ?? mismatch(path, expected, value);
    },
  };
}

export function list(item: Shape): Shape {
  return {
    expected: "a list",
    fits(value) {
      if (!Array.isArray(value)) return false;
      for (let index = 0; index < value.length; index++) if (!item.fits(value[index])) return false;
      return true;
    },
    explain(value, path) {
      if (!Array.isArray(value)) return mismatch(path, "a list", value);
      return value.flatMap((each, index) => item.explain(each, [...path, index]));
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object with any member names, whose values have one shape. */
export function map(member: Shape): Shape {
  return {
    expected: "an object",
    fits(value) {
      if (!isObject(value)) return false;
      for (const name in value) if (!member.fits(value[name])) return false;
      return true;
    },
    explain(value, path) {
      if (!isObject(value)) return mismatch(path, "an object", value);
      return Object.entries(value).flatMap(([name, each]) => member.explain(each, [...path, name]));
    },
  };
}

/**
 * An object with required members, optional members and any others.
 *
 * @param fits - The same check as one expression, which is faster.
 */
export function object(
  fits: (value: Record<string, unknown>) => boolean,
  required: Record<string, Shape>,
  optional: Record<string, Shape> = {},
): Shape {
  return {
    expected: "an object",
    fits: (value) => isObject(value) && fits(value),
    explain(value, path) {
      if (!isObject(value)) return mismatch(path, "an object", value);
      const present = Object.entries(optional).filter(([name]) => value[name] !== undefined);
      return [...Object.entries(required), ...present].flatMap(([name, shape]) =>
        shape.explain(value[name], [...path, name]),
      );
    },
  };
}
