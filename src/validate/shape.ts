import { show } from "../arguments/refuse.js";

/** Where an answer is not what the description says. */
export interface Mismatch {
  /** As in `votes.edges[3].node.value`; empty for the answer itself. */
  path: string;
  /** As in `a string`. */
  expected: string;
  /** What is there instead. */
  got: string;
}

/** What the description says of a value. */
export interface Shape {
  readonly expected: string;
  /** Whether a value is so. */
  fits(value: unknown): boolean;
  /** Where a value that does not fit is not so. */
  explain(value: unknown, path: string): Mismatch[];
}

const mismatch = (path: string, expected: string, value: unknown): Mismatch[] => [
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

/** One of several; where an object is expected, what is wrong within it is told. */
export function anyOf(...shapes: Shape[]): Shape {
  const expected = shapes.map((shape) => shape.expected).join(" or ");
  const fits = (value: unknown) => shapes.some((shape) => shape.fits(value));
  return {
    expected,
    fits,
    explain(value, path) {
      if (fits(value)) return [];
      const tellings = shapes.map((shape) => shape.explain(value, path));
      const within = tellings.filter((found) => found.every((each) => each.path !== path));
      // Of several objects, the one that comes closest was meant.
      const [closest] = within.sort((a, b) => a.length - b.length);
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
      return value.flatMap((each, index) => item.explain(each, `${path}[${index}]`));
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const join = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

/** Any names, all with the same shape. */
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
      return Object.entries(value).flatMap(([name, each]) => member.explain(each, join(path, name)));
    },
  };
}

/**
 * Members that have to be there, members that can be there, and any others.
 *
 * @param fits - The same as one expression.
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
      const there = Object.entries(optional).filter(([name]) => value[name] !== undefined);
      return [...Object.entries(required), ...there].flatMap(([name, shape]) =>
        shape.explain(value[name], join(path, name)),
      );
    },
  };
}
