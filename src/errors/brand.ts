/** A class with a name of its own that is the same in every copy of this package, as in `vegaprotocol-client.ApiError`. */
interface Branded {
  readonly brand: string;
}

/** Returns whether a class has a brand of its own. One that a caller derives has none. */
export const hasBrand = (errorClass: object): errorClass is Branded => Object.hasOwn(errorClass, "brand");

/**
 * Returns whether the class of a value, or one that it is derived from, has a brand. A program can load this package twice, as ES modules
 * and as CommonJS, and then has two classes of each brand.
 */
export function isBranded(error: unknown, brand: string): boolean {
  if (typeof error !== "object" || error === null) return false;
  try {
    for (let each: object | null = error.constructor; each; each = Object.getPrototypeOf(each)) {
      if (hasBrand(each) && each.brand === brand) return true;
    }
  } catch {
    // A proxy can throw, whatever is read.
  }
  return false;
}
