import { listNames, refuse as refuseAt } from "../arguments/refuse.js";
import { ArgumentError } from "../errors/index.js";

export function refuse(argument: string, expected: string, value: unknown): never {
  return refuseAt({ argument }, expected, value);
}

/** Refuses anything but an object with these names. */
export function checkNames(argument: string, value: unknown, names: readonly string[]): void {
  if (typeof value !== "object" || value === null) refuse(argument, `an object with ${listNames(names)}`, value);
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    const place = `${argument}.${name}`;
    throw new ArgumentError(`There is no \`${place}\`. Expected ${listNames(names)}.`, { argument: place });
  }
}

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The longest timer of all runtimes, in milliseconds. A longer one fires immediately. */
export const longestTimer = 2 ** 31 - 1;

export const isTimer = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= longestTimer;

/** Refuses a value that is given and has another type. */
export function checkType(argument: string, value: unknown, type: "bigint" | "boolean" | "function" | "string"): void {
  if (value !== undefined && typeof value !== type) refuse(argument, `a ${type}`, value);
}
