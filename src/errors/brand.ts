/**
 * Two copies of this package in one program have two classes of each name, and `instanceof` recognises only one of them. A
 * registered symbol on the prototype is the same in both copies.
 */
const symbolOf = (name: string) => Symbol.for(`vegaprotocol-client.${name}`);

/** Marks the prototype of an error class, so that {@link isBranded} recognises its instances. */
export function brand(prototype: object, name: string): void {
  Object.defineProperty(prototype, symbolOf(name), { value: true });
}

/** Returns whether a value is an instance of the named class, from this or another copy of the package. */
export function isBranded(error: unknown, name: string): boolean {
  return typeof error === "object" && error !== null && symbolOf(name) in error;
}
