/**
 * Gives an object a JSON with digits for each `bigint`, which JSON does not have. `toJSON` is not enumerable: a copy or a comparison
 * sees the members alone.
 */
export const withDigits = <T extends object>(object: T): T => Object.defineProperty(object, "toJSON", asDigits);

const asDigits = {
  value(this: object) {
    return Object.fromEntries(
      Object.entries(this).map(([name, value]) => [name, typeof value === "bigint" ? String(value) : value]),
    );
  },
};
