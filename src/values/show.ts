import { ArgumentError, shorten } from "../errors/index.js";

/** Formats a value for a message, shortened if it is long. */
export function show(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(shorten(value, 60));
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString();
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  const type = Object.prototype.toString.call(value).slice(8, -1);
  if (type.startsWith("Temporal.")) return String(value);
  return type === "Object" ? "an object" : `an object of type ${type}`;
}

/** Throws the {@link ArgumentError} of a function that converts values. */
export function refuseValue(argument: string, expected: string, value: unknown): never {
  throw new ArgumentError(`Expected ${expected}, got ${show(value)}.`, { argument });
}

/** Returns an object that `console.log` prints as one line, in Node.js and Bun. */
export const printedAs = <T extends object>(object: T, line: string): T =>
  Object.defineProperty(object, Symbol.for("nodejs.util.inspect.custom"), { value: () => line });

/** Gives an object a JSON with digits for each `bigint`. `toJSON` is not enumerable, so comparisons ignore it. */
export const withDigits = <T extends object>(object: T): T => Object.defineProperty(object, "toJSON", asDigits);

const asDigits = {
  value(this: object) {
    return Object.fromEntries(
      Object.entries(this).map(([name, value]) => [name, typeof value === "bigint" ? String(value) : value]),
    );
  },
};
