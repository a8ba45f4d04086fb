import { accountTypes } from "../../generated/enums.js";

/**
 * The number of a name in an enumeration, which nodes accept as well: its place; the numbers of account types leave out 8
 * (observed on v0.74 nodes). `undefined` for an unknown name.
 */
export function enumNumber(names: readonly string[], name: string): number | undefined {
  const index = names.indexOf(name);
  if (index === -1) return undefined;
  return names === accountTypes && index >= 8 ? index + 1 : index;
}

/** The name of an account type; an unknown number stands for itself. */
export const accountTypeName = (type: string | number) =>
  typeof type === "string" ? type : (accountTypes.find((name) => enumNumber(accountTypes, name) === type) ?? type);

/** The number of an account type; a number stands for itself. */
export const accountTypeNumber = (type: string | number) =>
  typeof type === "number" ? type : enumNumber(accountTypes, type);
