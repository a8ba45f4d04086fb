import { expected } from "../arguments/check-options.js";
import { listNames, refuse } from "../arguments/refuse.js";
import { ArgumentError } from "../errors/index.js";

export function refuseArgument(argument: string, expected: string, value: unknown): never {
  return refuse({ argument }, expected, value);
}

/** Refuses anything but an object with these names. */
export function checkNames(argument: string, value: unknown, names: readonly string[]): void {
  if (typeof value !== "object" || value === null)
    refuseArgument(argument, `an object with ${listNames(names)}`, value);
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    const place = `${argument}.${name}`;
    throw new ArgumentError(`There is no \`${place}\`. Expected ${listNames(names)}.`, { argument: place });
  }
}

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export const bigint = expected("a bigint", (value) => typeof value === "bigint");

export function checkRecord(place: string, value: unknown): void {
  if (typeof value !== "object" || value === null) refuseArgument(place, "a record", value);
}
