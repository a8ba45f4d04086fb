/** Names the member that has the {@link brandsOf} an error. Registered: it is the same in two copies of this package. */
export const brands = Symbol.for("vegaprotocol-client.brands");

/**
 * The names of a class and of those that it is derived from. A program can load this package twice, as ES modules and as CommonJS, and
 * then has two classes of each name.
 */
export function brandsOf(errorClass: object | null): string[] {
  if (errorClass === null) return [];
  const inherited = brandsOf(Object.getPrototypeOf(errorClass));
  return hasBrand(errorClass) ? [errorClass.brand, ...inherited] : inherited;
}

/** Returns whether a class has a brand of its own. One that a caller derives has none. */
export const hasBrand = (errorClass: object): errorClass is { readonly brand: string } =>
  Object.hasOwn(errorClass, "brand");

/** Returns whether a value is an instance of the named class, from this or another copy of the package. */
export function isBranded(error: unknown, brand: string): boolean {
  try {
    const { [brands]: names = [] } = error as { [brands]?: readonly string[] };
    return names.includes(brand);
  } catch {
    // `undefined` and `null` have no members, and a proxy can throw, whatever is read.
    return false;
  }
}
